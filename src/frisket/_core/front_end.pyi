"""What the front ends, the readers of tokenizers and the cache of grammars take from the extension.

No public surface: it changes with them. `frisket._core` is what is for everybody.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, final

from typing_extensions import Self

from frisket._core import Grammar, GrammarBuilder, Limits, Matcher
from frisket.json_schema.options import JSONSchemaOptions

#: (JSON pointer of a keyword, the keyword, what slips through or is left out)
_Omission: TypeAlias = tuple[str, str, str]
#: (code, text, JSON pointers of the schemas that it speaks of)
_Note: TypeAlias = tuple[str, str, list[str]]

#: How a text is read, as `lower_rules` says
_Asked: TypeAlias = tuple[str, str | None, str | None, Callable[[GrammarBuilder, str, int], int]]

__all__ = [
    "Fault",
    "MaskRows",
    "MemberValues",
    "Prelude",
    "Regex",
    "SchemaDocument",
    "TagParts",
    "advance_all",
    "check_strings",
    "closest",
    "content",
    "is_ecma_regex",
    "is_keyword",
    "is_sorted",
    "json_hash",
    "lower_rules",
    "lower_tags",
    "lower_text",
    "may_take_later",
    "open_rules",
    "print_rules",
    "read_structural_tag",
    "relating",
    "schema_references",
    "schema_report",
]

class Fault(Exception):
    """What is wrong with a text: a message, an offset, a rule or None, a hint or None, and its kind."""

def lower_rules(builder: GrammarBuilder, text: str, asked: _Asked) -> int:
    """The node of the texts of a grammar. `asked`: the constructor's name, its option (a dialect, or the values of
    numbers), the root's name or None, and a function for schemas in Lark: (builder, schema, offset) → node.

    Raises Fault, of the kind syntax, empty or limit; what the function raises."""

def print_rules(builder: GrammarBuilder, text: str, asked: _Asked, is_gbnf: bool) -> str:
    """The rules of a grammar in GBNF or else in the W3C's EBNF.

    Raises as `lower_rules`, and Fault of the kind unsaid for what the notation lacks."""

def open_rules(text: str, asked: _Asked, begin: bytes, limits: Limits | None = None) -> list[str]:
    """The rules that are open at the end of a beginning, from the root inwards. Raises as `lower_rules`."""

def lower_text(
    builder: GrammarBuilder,
    ends: Sequence[tuple[bool, str]] | None,
    forbidden: Sequence[str],
    min: int,
    max: int | None = None,
) -> int:
    """The node of a text that contains none of the strings and has `min` to `max` characters, up to and with the first
    of its ends, if there are any.

    An end is whether it is a special token, and its text or name."""

def lower_tags(
    builder: GrammarBuilder,
    tags: Sequence[tuple[tuple[bool, str], int]],
    triggers: Sequence[str],
    forbidden: Sequence[str],
    max_chars: int | None,
    at_least: int,
    at_most: int | None,
    text_after: bool,
) -> int:
    """The node of texts with tags in between: begins, and the nodes behind them. `max_chars` bounds each text."""

def check_strings(triggers: Sequence[str], forbidden: Sequence[str], limits: Limits | None = None) -> None:
    """Raises Fault, with the number of a trigger, if this trigger can never be found."""

def relating(keys: Sequence[str], kind: str | None = None) -> list[str]:
    """The keywords of a schema that a format cannot enforce if it writes members or items one by one."""

def read_structural_tag(
    tag: Any,
    options: Any = None,
    registry: Callable[[str], Any] | None = None,
    limits: Limits | None = None,
) -> tuple[Grammar, TagParts]:
    """(the grammar of a structural tag, its parts).

    `tag` is a value or JSON text, `options` are JSONSchemaOptions, `registry` gives the document of a URI, or
    None. Raises GrammarSyntaxError, with the JSON pointer, for a tag that is wrong or not exact; LimitExceededError."""

@final
class TagParts:
    """The parts of a structural tag, which name the places of its texts."""

    def tree(self, whole: Callable[[str, Grammar, str], Any]) -> Any:
        """The tree of parts. `whole`: (notation, rules, JSON pointer in the tag) → the Grammar of such a part."""

def advance_all(matcher: Matcher, tokens: Sequence[int]) -> tuple[bool, int]:
    """Take tokens up to the one that ends the text. Returns whether that is among them, and how many tokens were the
    only allowed ones, as far as caches know. An error leaves the matcher as it was."""

def may_take_later(matcher: Matcher, token: int) -> bool | None:
    """Whether a token is the only allowed one; None if it ends the text, or if caches do not know that it may come
    next.

    Such a token may be taken later, by `MaskRows.fill`: the step and the mask after it need the same memory."""

@final
class MaskRows:
    """The rows of an engine's bitmask (as `Matcher.fill_mask` takes it), which nobody else may write."""

    def __new__(cls, bitmask: object) -> Self: ...
    def __len__(self) -> int:
        """How many rows there are."""
    def write(self, first: int, count: int, tokens: Sequence[int], *, allowed: bool) -> None:
        """Write `count` rows from `first` on: all tokens if `allowed`, else none; for `tokens`, the opposite."""
    def fill(
        self,
        matchers: Sequence[Matcher],
        rows: Sequence[int],
        drafts: Sequence[Sequence[int]] | None = None,
        rooms: Sequence[tuple[int, int, bool] | None] | None = None,
        taken: Sequence[int | None] | None = None,
    ) -> tuple[list[tuple[int, int, Exception]], list[int], list[tuple[int, Exception]]]:
        """Write the rows of each request from `rows` on: its mask, the mask after its first draft, and so on.

        A matcher stays where it is. After a draft that is refused, all rows have the mask before it. A draft below 0
        is no token: the rows after it allow all tokens, as rows after the end of a text do.

        `rooms`: the tokens that are left before the first row, the tokens that one token may add to those that the
        text needs, and whether to tell if a mask lost tokens for it; None: any number. `taken`: a token that each
        request takes first, for good; None: there is none. Returns the requests that have failed (with the first of
        their rows that is not written), the requests of which a mask lost tokens, and those that may be cut."""

@final
class Prelude:
    """`JSONSchemaOptions` with the nodes that all their schemas share.

    `literals` is the language of literals: json, or python for arguments of a call.
    """

    def __new__(cls, options: JSONSchemaOptions, *, literals: Literal["json", "python"] = "json") -> Self: ...
    def fork(self, limits: Limits | None = None) -> GrammarBuilder:
        """A builder that has the prelude's nodes."""
    def compile(
        self,
        schema: Any,
        registry: Callable[[str], Any] | None = None,
        limits: Limits | None = None,
    ) -> tuple[Grammar, list[_Omission], list[_Omission], list[_Note]]:
        """(the grammar of a schema's documents, keywords that are not enforced, formats that are narrowed, notes).

        `schema` is a dict, a bool or a JSON text; `registry` gives the document of a URI, or None.
        """
    def embed(
        self, builder: GrammarBuilder, schema: Any, registry: Callable[[str], Any] | None = None, *, is_fork: bool
    ) -> tuple[int, list[_Omission], list[_Omission], list[_Note]]:
        """(the node of a schema's documents in a builder, keywords that are not enforced, formats that are narrowed,
        notes).

        `is_fork`: whether the builder is a fork of this prelude. In another builder, no JSON string holds the
        options' forbidden texts from now on.
        """

@final
class MemberValues:
    """The values of an object's members, as nodes of a builder that `Prelude.fork` made, for formats that write
    members one by one. Not thread-safe.

    A key names a member; None stands for all members that `properties` does not name. `types` are names of JSON
    Schema.
    """

    def __new__(cls, builder: GrammarBuilder, schema: Any) -> Self:
        """`schema` is a dict or a bool. Its references lead to places of its own."""
    def check(self) -> None:
        """Reads the keywords of the object itself. Raises InvalidSchemaError."""
    def is_anything(self, key: str | None) -> bool:
        """Whether a member may clearly have any value, without expanding its schema."""
    def has(self, key: str | None, types: Sequence[str]) -> bool:
        """Whether some values of a member may be of these types."""
    def text(self, key: str | None) -> int | None:
        """The strings among a member's values, without quotes and escapes; None if there are none."""
    def literals(self, key: str | None, types: Sequence[str]) -> int | None:
        """A member's values of these types, as literals; None if there are none."""
    def value(self, key: str | None) -> int | None:
        """All of a member's values, as literals; None if clearly there are none."""
    def raise_unsupported(self) -> None:
        """Raises UnsupportedSchemaError if a keyword met so far is not enforced, unless the options allow that."""

def content(value: object, limits: Limits | None = None) -> bytes | None:
    """`marshal.dumps(value, 2)` of a JSON value; None if that is not plain (a subclass, a lone surrogate) or deep.
    LimitExceededError if it is larger than 32 MB, or by the time and cancellation of the limits."""

@final
class Regex:
    """A pattern that was read, with the facts about it that need no builder."""

    def __new__(cls, pattern: str, *, dialect: str, flags: str = "") -> Self:
        """Raises GrammarSyntaxError, with the offset, for what is not in the dialect."""
    def tree(self) -> tuple[Any, ...]:
        """The tree: for each node a tuple of the name of its class in `notations.regex.ast` and its fields."""
    def longest(self) -> int | None:
        """The greatest length of its texts, in characters; None is no limit."""
    def may_be_empty(self) -> bool:
        """Whether the empty text may match."""

@final
class SchemaDocument:
    """A schema as the compiler finds its parts. Places are JSON pointers; other documents are not read."""

    def __new__(cls, schema: Any) -> Self:
        """Raises InvalidSchemaError for what is no value of JSON."""
    def draft(self, place: str) -> int:
        """The draft whose rules hold at a place: 4, 6, 7, 2019 or 2020. Raises LookupError if nothing stands there."""
    def has_keyword(self, place: str, keyword: str) -> bool:
        """Whether the draft of a place has a keyword. Raises LookupError if nothing stands there."""
    def subschemas(self, place: str) -> list[str]:
        """The places that may be schemas directly below another one, by the keywords that its draft has.
        Raises LookupError if nothing stands there."""
    def target(self, place: str, reference: str) -> str | None:
        """The place in the document to which a reference at another place leads; None if it leads elsewhere or nowhere.
        Raises InvalidSchemaError for what is no reference, LookupError if nothing stands there."""

def is_ecma_regex(pattern: str) -> bool:
    """Whether ECMA-262 (with `u`) takes the pattern; back-references are fine here."""

def closest(word: str, known: Sequence[str]) -> str | None:
    """The known word that another one may be meant for, as hints and reports name it."""

def is_keyword(name: str) -> bool:
    """Whether some draft has a keyword of this name that has an effect on documents."""

def is_sorted(schema: Any) -> bool:
    """Whether a tool sorted the names of a schema, so that their order is nobody's choice."""

def schema_references(
    schema: Any, registry: Callable[[str], Any]
) -> list[tuple[str, str, str, tuple[str, str, str] | None]]:
    """Every reference that the front end finds: its place, keyword and text; its target's place, URI and draft.

    `registry` gives the document of a URI, or None. For tests.
    """

def schema_report(
    schema: Any,
    prelude: Prelude,
    registry: Callable[[str], Any] | None = None,
    limits: Limits | None = None,
) -> list[tuple[str, str, str, str, str]]:
    """The outcome for every keyword of a schema that compiles: pointer, keyword, status, wrongly allowed values, note.

    The schema is read again, within these limits. `registry` gives the document of a URI, or None.
    """

def json_hash(schema: Any) -> int:
    """A hash of the content of a value or JSON text: spellings of numbers, and members in their order. For tests."""
