"""What the front ends, the readers of tokenizers and the cache of grammars take from the extension.

No public surface: it changes with them. `frisket._core` is what is for everybody.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, Literal, TypeAlias, TypeVar, final

from typing_extensions import Self

from frisket._core import Grammar, GrammarBuilder, Limits
from frisket.json_schema.options import JSONSchemaOptions

_T = TypeVar("_T")
#: (JSON pointer of a keyword, the keyword, what slips through or is left out)
_Omission: TypeAlias = tuple[str, str, str]

__all__ = [
    "Constants",
    "Flaw",
    "MemberValues",
    "NativePrelude",
    "Plain",
    "Productions",
    "Recent",
    "Regex",
    "Stock",
    "Unplain",
    "Usual",
    "content",
    "is_ecma_regex",
    "is_json",
    "is_sorted",
    "native_closest",
    "native_facts",
    "native_is_sorted",
    "native_references",
    "native_report",
    "native_report_of_all",
    "native_value",
    "property_set",
    "said",
    "without",
]

@final
class Stock:
    """What all schemas have in common under the same options, for `Plain`: nodes that every fork of a prelude's builder
    has, the keywords that count, the drafts by name. It remembers the leaves met so far, at most some 8 MB of them.

    `digits`: of an integer that nothing bounds, None if integers may be written in other ways, too. `integers`: the
    formats that are integers between two bounds. `cut`: the formats of which not all texts are written. `formats`:
    (builder, name, draft) → (whether the format is plain, the node of its texts if it asks for any), for each once.
    """

    def __new__(
        cls,
        *,
        any: int,
        words: Sequence[int],
        numbers: tuple[int, int, int],
        string: int,
        array: int,
        object: int,
        texts: int,
        punctuation: tuple[int, int, int, int, int, int, int, int],
        margins: tuple[int, int] | None,
        escapes: str,
        closed: bool,
        digits: int | None,
        keywords: dict[str, int],
        drafts: dict[str, int],
        integers: dict[str, tuple[int, int]],
        cut: Sequence[str],
        formats: Callable[[GrammarBuilder, str, int], tuple[bool, int | None]],
    ) -> Self: ...

@final
class Plain:
    """The plain places of one schema: those whose meaning needs no complement of another.

    They are lowered here, node for node as `json_schema.lower.Lowering` would, which lowers all others. Thread-safe as
    far as its builder is.
    """

    @staticmethod
    def grammar(
        prelude: GrammarBuilder,
        stock: Stock,
        root: dict[str, Any],
        property_order: str,
        python: Callable[[Plain, Any], _T],
        given: object,
        limits: Limits | None,
        /,
    ) -> tuple[Grammar, _T | None, bool]:
        """(the grammar of a schema, the `Lowering` if there was need of one, whether the schema leaves the order of
        properties to be chosen, having been sorted by a tool).

        It is built with a fork of `prelude`. `python` makes the `Lowering` of this and of what is `given`, when it is
        needed; that is asked by `from_plain(schema, pointer, levels)`, and returns (node, whether the report has
        nothing to say). Raises Unplain where Python should lower the whole schema.
        """
    @property
    def builder(self) -> GrammarBuilder:
        """The builder of the schema's nodes, a fork of the prelude's."""
    @property
    def is_sorted(self) -> bool:
        """Whether properties are to come in the order of the schema, and that is a tool's, which sorted them."""
    def lower(self, lowering: object, schema: dict[str, Any], pointer: str, levels: int) -> tuple[bool, int | None]:
        """(whether the place is plain, its node): what `Lowering` asks of each place."""

class Unplain(Exception):
    """The schema is for Python to lower, all of it."""

@final
class Productions:
    """The rules of a grammar, node by node: each node joins the last ones that nothing joins yet."""

    def __new__(cls) -> Self: ...
    def text(self, text: str) -> None:
        """These characters, one after the other."""
    def chars(self, ranges: Sequence[tuple[int, int]]) -> None:
        """One code point in any of the inclusive ranges."""
    def octets(self, ranges: Sequence[tuple[int, int]]) -> None:
        """One byte in any of the inclusive ranges."""
    def token(self, name: str) -> None:
        """The special token of that name."""
    def call(self, name: str, at: int) -> None:
        """A call of a rule."""
    def leaf(self, is_regular: bool, may_be_empty: bool) -> int:
        """What another front end says; the number by which `give` says its node."""
    def seq(self, below: int) -> None:
        """The last nodes, one after the other."""
    def alt(self, below: int) -> None:
        """Any one of the last nodes."""
    def repeat(self, low: int, high: int | None) -> None:
        """The last node `low` to `high` times."""
    def exclude(self, at: int) -> None:
        """The texts of the node before the last that are none of the last."""
    def both(self, below: int, at: int) -> None:
        """The texts that all of the last nodes have."""
    def complement(self, at: int) -> None:
        """The byte strings that are no text of the last node."""
    def shortest(self, at: int) -> None:
        """The texts of the last node that do not begin with a shorter one."""
    def define(self, name: str, title: str) -> None:
        """The last node is the body of a rule, whose name is written like `title`."""
    def check(self, root: str) -> list[str]:
        """The names of the rules that a text of the root may use. Raises Flaw if one is not defined or has no text."""
    def give(self, builder: GrammarBuilder, leaf: int, node: int, ends_in_name: bool) -> None:
        """The node of a leaf, and whether its texts may end with a name of any length."""
    def lower(self, builder: GrammarBuilder) -> int:
        """The node of the root that was checked. Raises Flaw for operators that are not exact, or leave nothing."""
    def with_text(self) -> list[str]:
        """The names of the rules that have a text."""
    def nullable(self) -> list[str]:
        """The names of the rules that may have the empty text."""

class Flaw(Exception):
    """What is wrong with rules: its kind, the name of a rule, an offset, and whether the grammar has no text at all."""

@final
class Constants:
    """The nodes of constants under one schema's options, made by a builder without a step of Python.

    `punctuation`: open, close, colon, comma, empty of objects; open, close, empty of arrays. `digits`: of an integer
    that nothing bounds, None if integers may be written in other ways, too.
    """

    def __new__(
        cls,
        builder: GrammarBuilder,
        punctuation: tuple[int, int, int, int, int, int, int, int],
        *,
        free: bool,
        any_order: bool,
        digits: int | None,
    ) -> Self: ...
    def lower(self, value: object, otherwise: Callable[[Any], int | None], /) -> tuple[bool, int | None]:
        """(whether the value was lowered, its node if any document spells it). Lists and dicts that it holds several
        times are made once. `otherwise` makes the node of a scalar that is not read here, None if no document spells
        it; a value that nests deep is left to the caller."""

@final
class NativePrelude:
    """`JSONSchemaOptions` for the native front end, with what all their schemas have in common.

    `literals`: the language whose literals values are. Those of Python stand in one line, as a call's arguments.
    """

    def __new__(cls, options: JSONSchemaOptions, *, literals: Literal["json", "python"] = "json") -> Self: ...
    def fork(self, limits: Limits | None = None) -> GrammarBuilder:
        """A builder that has the prelude's nodes."""
    def compile(
        self, schema: Any, registry: Callable[[str], Any] | None = None, limits: Limits | None = None
    ) -> tuple[Grammar, list[_Omission], list[_Omission], list[str]]:
        """(the grammar of a schema's documents, what is not enforced, formats that are narrowed, notes)"""
    def embed(
        self, builder: GrammarBuilder, schema: Any, registry: Callable[[str], Any] | None = None, *, is_fork: bool
    ) -> tuple[int, list[_Omission], list[_Omission], list[str]]:
        """(the node of a schema's documents in a builder, what is not enforced, formats that are narrowed, notes)

        `is_fork`: whether the builder is a fork of this prelude. Of another one, no JSON string holds the options'
        forbidden texts from now on.
        """

@final
class MemberValues:
    """The values of an object's members, as nodes of a builder that `NativePrelude.fork` made, for formats that write
    members one by one. Not thread-safe.

    A member is named by its key; None is any member that `properties` does not name. `types` are names of JSON Schema.
    """

    def __new__(cls, builder: GrammarBuilder, schema: Any) -> Self:
        """`schema` is a dict or a bool. Its references lead to places of its own."""
    def check(self) -> None:
        """Reads the keywords of the object itself. Raises InvalidSchemaError."""
    def is_anything(self, key: str | None) -> bool:
        """Whether a member may have any value, by what its schema clearly says."""
    def has(self, key: str | None, types: Sequence[str]) -> bool:
        """Whether some values of a member may be of these types."""
    def text(self, key: str | None) -> int | None:
        """The texts among a member's values, as they stand; None if there are none."""
    def literals(self, key: str | None, types: Sequence[str]) -> int | None:
        """A member's values of these types, as literals; None if there are none."""
    def value(self, key: str | None) -> int | None:
        """All of a member's values, as literals; None if clearly there are none."""
    def raise_unsupported(self) -> None:
        """Raises UnsupportedSchemaError if a keyword met so far is not enforced, unless the options allow that."""

@final
class Recent(Generic[_T]):
    """At most `count` results that weigh at most `weight` bytes together; the least recently used is dropped first.
    Thread-safe. Keys are texts, bytes, numbers, or tuples of these: comparing them runs no Python code."""

    def __new__(cls, *, count: int, weight: int) -> Self: ...
    @property
    def count(self) -> int:
        """How many results are kept at most."""
    @property
    def weight(self) -> int:
        """How many bytes they may weigh together."""
    def get(self, key: Hashable, /) -> _T | None:
        """The result of a key; None if it was dropped or never put."""
    def put(self, key: Hashable, value: _T, weight: int, /) -> None:
        """Keep a result, unless it alone weighs more than the cache holds."""
    def clear(self) -> None:
        """Forget everything."""
    def __len__(self) -> int: ...

@final
class Usual:
    """Schemas without options: those that came lately, and what makes grammars of others.

    `prelude` is what a schema is known by in `recent`, beside its content; the next are as for `Plain.grammar`.
    `lowering` makes the `Lowering` where there is need of one, and `finished` the report then; `otherwise` what
    is not for the engine (the schema, its content if it is plain, what the engine came upon).
    """

    def __new__(
        cls,
        recent: Recent[tuple[Grammar, Any, bytes | None]],
        prelude: object,
        builder: GrammarBuilder,
        stock: Stock,
        property_order: str,
        *,
        lowering: Callable[[Plain, dict[str, Any]], _T],
        finished: Callable[[Grammar, _T, dict[str, Any], bytes], tuple[Grammar, Any, bytes | None]],
        otherwise: Callable[[dict[str, Any], bytes | None, Exception | None], tuple[Grammar, Any, bytes | None]],
    ) -> Self: ...
    def grammar(self, schema: dict[str, Any], /) -> tuple[Grammar, Any, bytes | None]:
        """(the grammar, its report or if there is nothing to say whether a tool sorted the schema, the content if it is
        plain)"""

def content(value: object) -> bytes | None:
    """`marshal.dumps(value, 2)` of a JSON value; None if that is not plain (a subclass, a lone surrogate) or deep.
    LimitExceededError if it is larger than 32 MB."""

def is_sorted(document: object) -> bool:
    """Whether the names of every `properties` are in alphabetical order, and too many for chance (`order.py`)."""

def is_json(value: object) -> bool:
    """Whether a value is JSON without a doubt: plain lists, dicts, texts and finite numbers, and no levels to speak of.
    False says nothing."""

@final
class Regex:
    """A pattern that was read: what there is to know about it without a builder."""

    def __new__(cls, pattern: str, *, dialect: str, flags: str = "", is_released: bool = True) -> Self:
        """Raises GrammarSyntaxError, with the offset, for what is not in the dialect. `is_released`: atomic groups are
        replaced by what means the same, or refused."""
    def tree(self) -> tuple[Any, ...]:
        """The tree: for each node a tuple of the name of its class in `notations.regex.ast` and its fields."""
    def longest(self) -> int | None:
        """The greatest length of its texts, in characters; None is no limit."""
    def may_be_empty(self) -> bool:
        """Whether the empty text may match."""
    def ends_in_name(self) -> bool:
        """Whether a text may end with any number of characters that names are made of."""

def is_ecma_regex(pattern: str) -> bool:
    """Whether ECMA-262 (with `u`) takes the pattern; back-references are fine here."""

def property_set(name: str, value: str | None = None) -> tuple[tuple[int, int], ...] | None:
    """The code points of a property by its name, or by its name and value; None where the engine has no exact table."""

def said(schema: object, keywords: dict[str, int]) -> bytes | None:
    """What a schema says by these keywords, each with what its values hold (`HOLDS` of `resolve.py`), all else aside:
    the same bytes, the same values. None if it is large, or if it says what depends on where it stands or on an
    option."""

def native_closest(word: str, known: Sequence[str]) -> str | None:
    """The word that another one may be meant for, as hints and reports say it. For tests."""

def native_facts(
    schema: Any,
    registry: Callable[[str], Any],
    *,
    is_nullable: bool,
    has_closed_objects: bool,
    has_scopes: bool,
) -> str:
    """What the native front end reads in each subschema, as JSON: [the root's number, facts by number, omissions].

    A conjunction is the number of its only subschema, true if it asks nothing, false if nothing meets it. Patterns are
    known by their texts, and formats assert nothing. For tests.
    """

def native_is_sorted(schema: Any) -> bool:
    """Whether the native front end takes a schema for one that a tool sorted. For tests."""

def native_references(
    schema: Any, registry: Callable[[str], Any]
) -> list[tuple[str, str, str, tuple[str, str, str] | None]]:
    """Every reference that the native front end finds: its place, keyword and text; its target's place, URI and draft.

    `registry` gives the document of a URI, or None. For tests.
    """

def native_report(
    schema: Any,
    prelude: NativePrelude,
    registry: Callable[[str], Any] | None = None,
    limits: Limits | None = None,
) -> list[tuple[str, str, str, str, str]]:
    """What became of every keyword of a schema that compiles: pointer, keyword, status, what slips, note.

    The schema is read again, within these limits. `registry` gives the document of a URI, or None.
    """

def native_report_of_all(
    schema: Any, registry: Callable[[str], Any], prelude: NativePrelude, *, has_scopes: bool
) -> list[tuple[str, str, str, str, str]]:
    """The same where all of a schema is read, whether values come to it or not, and patterns and formats are exact. For
    tests."""

def native_value(text: str) -> Any:
    """The value that the native parser reads in a JSON text, each number as the bytes of its numeral. For tests."""

def without(text: bytes, keys: Sequence[str]) -> bytes | None:
    """A JSON text with null in place of the value that these keys lead to, which is not read; None if there is none, or
    if the text is not JSON by the letter (`json.loads` takes more)."""
