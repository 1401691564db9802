"""Types of errors.

FrisketError
├── SchemaError (ValueError)
│   ├── InvalidSchemaError          the schema itself breaks its own specification
│   ├── UnsupportedSchemaError      it could not be enforced exactly; every such place is listed
│   └── UnsatisfiableSchemaError    no document can ever be valid
├── GrammarError (ValueError)
│   ├── GrammarSyntaxError          the notation's text cannot be read
│   └── EmptyGrammarError           nothing can match
├── VocabularyError (ValueError)    the bytes of a token cannot be known, or cannot spell the grammar
├── LimitExceededError              which limit, how much was given, what would do
│   └── BudgetError                 the tokens left do not finish the text; how many would
├── TokenRejectedError              where, what was expected
├── AnswerError (ValueError)        a text is no value of what was asked for
├── ToolError (ValueError)
│   ├── UnknownFamilyError          no family of models has this name; the known ones are listed
│   ├── UnreadableTemplateError     a chat template does not tell how its model writes: which part, and why
│   ├── RefusedToolsError           tools that cannot be enforced as asked; each is listed
│   └── MessageSyntaxError          a text is no message of the family's format
├── ConversationError (ValueError)  messages that no prompt can be made of
├── StrategyError (ValueError)      a strategy that cannot be followed as asked
├── EngineError                     names the engine; the original is chained
└── MissingDependencyError (ImportError)   prints the exact pip line
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.dependency import install_command

if TYPE_CHECKING:
    from frisket._core import Matcher
    from frisket.explanation import Explanation


__all__ = [
    "AnswerError",
    "BudgetError",
    "ConversationError",
    "EmptyGrammarError",
    "EngineError",
    "FrisketError",
    "GrammarError",
    "GrammarSyntaxError",
    "InvalidSchemaError",
    "LimitExceededError",
    "MessageSyntaxError",
    "MissingDependencyError",
    "RefusedToolsError",
    "SchemaError",
    "StrategyError",
    "TokenRejectedError",
    "ToolError",
    "UnknownFamilyError",
    "UnreadableTemplateError",
    "UnsatisfiableSchemaError",
    "UnsupportedSchemaError",
    "VocabularyError",
]


class FrisketError(Exception):
    """The root of every error that frisket raises on purpose.

    `code` is stable across versions, `where` is a JSON pointer or line:column, `hint` says what to change.
    """

    code: str = "frisket"
    index: int | None = None
    """In `generate_many`: the index of the prompt whose answer failed; None for other errors."""

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None, code: str | None = None):
        message = _printable(message)
        super().__init__(message)
        self.message = message
        self.where = None if where is None else _printable(where)
        self.hint = None if hint is None else _printable(hint)
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        place = "" if self.where is None else f" (at {self.where or 'the root'})"
        advice = f"\nhint: {self.hint}" if self.hint else ""
        prompt = "" if self.index is None else f"prompt {self.index}: "
        return f"{prompt}{self.message}{place}{advice}"


def _printable(text: str) -> str:
    """The text with lone surrogates as escapes, since an error that quotes one could not be printed."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


class SchemaError(FrisketError, ValueError):
    """A JSON Schema cannot be used as given."""

    code = "schema"


class InvalidSchemaError(SchemaError):
    """The schema breaks the JSON Schema specification."""

    code = "schema-invalid"


class UnsupportedSchemaError(SchemaError):
    """Some keywords cannot be enforced exactly; `places` lists them all as (JSON pointer, reason)."""

    code = "schema-unsupported"

    def __init__(self, message: str, *, places: list[tuple[str, str]] | None = None, **keywords: str | None):
        super().__init__(message, **keywords)
        self.places = places or []


class UnsatisfiableSchemaError(SchemaError):
    """No JSON document satisfies the schema."""

    code = "schema-unsatisfiable"


class GrammarError(FrisketError, ValueError):
    """A grammar cannot be used as given; `excerpt` is the line of its text with the fault, and a caret below."""

    code = "grammar"

    def __init__(self, message: str, *, excerpt: str | None = None, **keywords: str | None):
        super().__init__(message, **keywords)
        self.excerpt = None if excerpt is None else _printable(excerpt)

    def __str__(self) -> str:
        if self.excerpt is None:
            return super().__str__()
        place, *advice = super().__str__().split("\nhint: ", 1)
        return "\n".join([place, self.excerpt, *(f"hint: {hint}" for hint in advice)])


class GrammarSyntaxError(GrammarError):
    """The text of a notation cannot be read; `where` is line:column or an offset."""

    code = "grammar-syntax"


class EmptyGrammarError(GrammarError):
    """The grammar matches nothing at all."""

    code = "grammar-empty"


class VocabularyError(FrisketError, ValueError):
    """The bytes of some token cannot be known, or the vocabulary cannot spell the grammar."""

    code = "vocabulary"


class LimitExceededError(FrisketError):
    """A limit of time, memory or steps was reached; nothing has changed."""

    code = "limit"


class BudgetError(LimitExceededError):
    """The tokens left do not finish the text; `least` tokens do (`Matcher.least_tokens`).

    `least` is None if the vocabulary cannot spell a short end of the text.
    """

    code = "budget"

    def __init__(self, message: str, *, least: int | None = None, **keywords: str | None):
        if least is not None:
            keywords.setdefault("hint", f"give it at least {least} tokens, or ask for a shorter document")
        super().__init__(message, **keywords)
        self.least = least


class TokenRejectedError(FrisketError):
    """A token may not come next; the matcher is as it was before the call."""

    code = "token-rejected"

    refused: tuple[Matcher, int | bytes] | None = None
    """A fork of the matcher, and the token id or the text that it refused."""

    def explain(self) -> Explanation | None:
        """The keyword or option that forbids it, and what may come instead: `Matcher.explain`, called on request."""
        return None if self.refused is None else self.refused[0].explain(self.refused[1])


class AnswerError(FrisketError, ValueError):
    """A text is not a value of the target: it is no JSON (`text-rejected`), the type refuses it (`type-refused`), or
    the part of a schema that a relaxed grammar does not enforce (`value-refused`)."""

    code = "text-rejected"
    text: str | None = None
    """The text that has no value."""


class ToolError(FrisketError, ValueError):
    """Tools, or a message with calls of them, cannot be used as given."""

    code = "tool"


class UnknownFamilyError(ToolError):
    """No family of models has this name; the hint lists the known ones."""

    code = "family-unknown"


class UnreadableTemplateError(ToolError):
    """The format of a model cannot be read from its chat template; `where` is the part of a message that is unclear."""

    code = "template-unreadable"


class RefusedToolsError(ToolError):
    """Some tools cannot be enforced as asked; `places` lists all of them as (name of the tool, reason)."""

    code = "tools-refused"

    def __init__(self, message: str, *, places: list[tuple[str, str]] | None = None, **keywords: str | None):
        super().__init__(message, **keywords)
        self.places = places or []


class MessageSyntaxError(ToolError):
    """The grammar does not allow a text as a message; `where` is the offset of the first wrong character."""

    code = "message-syntax"


class ConversationError(FrisketError, ValueError):
    """No prompt can be made of some messages; `where` is the JSON pointer to the part that no model can read."""

    code = "request"


class StrategyError(FrisketError, ValueError):
    """With these options, or this model, a strategy could not keep what it promises."""

    code = "strategy"


class EngineError(FrisketError):
    """An inference engine failed; the original error is chained."""

    code = "engine"


class MissingDependencyError(FrisketError, ImportError):
    """An optional package is not installed; the message holds the exact pip line."""

    code = "missing-dependency"

    @classmethod
    def of(cls, package: str, extra: str) -> MissingDependencyError:
        """The error for a missing `package`; its hint installs all packages of frisket's `extra`."""
        return cls(f"{package} is not installed", hint=install_command(extra, package))
