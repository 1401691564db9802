"""Format of an OpenAI custom tool → the node of its one input text.

A custom tool takes one text instead of arguments. Families write it as an argument of the name `input`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from frisket import _core
from frisket.errors import FrisketError, GrammarError, InvalidSchemaError, UnsupportedSchemaError

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.limit import Limits

Syntax = Literal["text", "lark", "regex"]
#: Fields that describe a grammar.
SYNTAX_FIELDS = ("syntax", "definition")
#: Name of the argument that holds the text.
INPUT = "input"
#: Schema of the arguments: one member, which holds the text.
SCHEMA: dict[str, Any] = {
    "type": "object", "properties": {INPUT: {"type": "string"}}, "required": [INPUT], "additionalProperties": False,
}  # fmt: skip
#: Pointer into the tool for errors of the format.
WHERE = "/format/definition"


@dataclass(frozen=True)
class CustomFormat:
    """The allowed input of a custom tool: any text, the texts of a Lark grammar, or those of a Rust regex."""

    syntax: Syntax = "text"
    definition: str = ""

    @classmethod
    def of(cls, given: Any) -> CustomFormat:
        """The format as OpenAI's APIs describe it; the chat API nests the grammar.

        >>> CustomFormat.of({"type": "grammar", "syntax": "regex", "definition": "[a-z]+"})
        CustomFormat(syntax='regex', definition='[a-z]+')
        """
        if given is None:
            return cls()
        if not isinstance(given, Mapping) or given.get("type") not in ("text", "grammar"):
            raise _invalid("/format/type", 'the format of a custom tool is {"type": "text"} or {"type": "grammar", …}')
        if given["type"] == "text":
            return cls()
        inner = given.get("grammar", given)
        syntax, definition = (inner.get(name) if isinstance(inner, Mapping) else None for name in SYNTAX_FIELDS)
        if syntax not in ("lark", "regex") or not isinstance(definition, str):
            raise _invalid("/format/syntax", 'write {"type": "grammar", "syntax": "lark" or "regex", "definition": …}')
        return cls(cast("Syntax", syntax), definition)

    def lower(self, builder: GrammarBuilder, limits: Limits | None = None) -> int:
        """The regular node of the texts; UnsupportedSchemaError for rules that call themselves."""
        with _placed():
            node = self._texts(builder, limits)
            try:
                return builder.and_([node, builder.any_text()])
            except GrammarError as error:
                raise UnsupportedSchemaError(
                    "a rule of the grammar calls itself, or names a token",
                    hint="a call of this family holds its input between marks, which is exact of regular grammars "
                    "alone: write the rule with + and *, bound its depth, or use a family whose calls are JSON",
                ) from error

    def quoted(self, builder: GrammarBuilder, escapes: str = "raw", limits: Limits | None = None) -> int:
        """The node of the JSON strings that hold the texts; rules may call themselves."""
        with _placed():
            node = self._texts(builder, limits)
            with suppress(GrammarError):  # regular texts may have bytes that are no UTF-8
                node = builder.and_([node, builder.any_text()])
            try:
                return builder.quoted(node, escapes)
            except GrammarError as error:
                raise UnsupportedSchemaError(
                    error.message, hint="let the rules name texts and patterns alone, under the options as they are"
                ) from error

    def _texts(self, builder: GrammarBuilder, limits: Limits | None) -> int:
        if self.syntax == "text":
            return builder.any_text()
        if self.syntax == "regex":
            return builder.regex(self.definition, dialect="rust")
        from frisket.notations.rules import lower_rules

        rules = _core.GrammarBuilder(limits=limits)
        return builder.embed(rules.build(lower_rules(rules, "from_lark", self.definition)))


@contextmanager
def _placed() -> Iterator[None]:
    """Set the `where` of errors to the definition; an offset inside the definition moves into the message."""
    try:
        yield
    except FrisketError as error:
        if error.where is not None:
            error.message = f"{error.message} ({error.where})"
        error.where, error.hint = WHERE, error.hint or "correct the definition"
        raise


def _invalid(where: str, hint: str) -> InvalidSchemaError:
    return InvalidSchemaError("the format of the custom tool cannot be read", where=where, hint=hint)
