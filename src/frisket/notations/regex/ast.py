"""Pattern → syntax tree, with the same nodes for all dialects. The engine parses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from frisket._core import front_end
from frisket.notations.regex.unicode import CharSet


@dataclass(slots=True)
class Text:
    """These characters, one after the other; never empty."""

    text: str


@dataclass(slots=True)
class Chars:
    """One character of a set."""

    ranges: CharSet


@dataclass(slots=True)
class Seq:
    """The items in sequence; without items, the empty text."""

    items: list[Node]


@dataclass(slots=True)
class Alt:
    """Any one of the items."""

    items: list[Node]


@dataclass(slots=True)
class Repeat:
    """`item`{low,high}; `high` None is no limit. Greedy or lazy is the same language, but in an atomic group."""

    item: Node
    low: int
    high: int | None
    is_lazy: bool
    at: int


@dataclass(slots=True)
class Atomic:
    """An atomic group or a possessive quantifier, which never backtracks."""

    item: Node
    at: int


@dataclass(slots=True)
class Before:
    """Holds where the character before is in `ranges`, or at the start of the text if `edge`."""

    ranges: CharSet
    edge: bool
    at: int


@dataclass(slots=True)
class After:
    """Holds where the character after is in `ranges`, or at the end of the text if `edge`."""

    ranges: CharSet
    edge: bool
    at: int


@dataclass(slots=True)
class Boundary:
    """`\\b` or `\\B`."""

    at: int


@dataclass(slots=True)
class Look:
    """Lookahead if `ahead`, else lookbehind."""

    item: Node
    ahead: bool
    negative: bool
    at: int


@dataclass(slots=True)
class FinalNewline:
    """Python's `$`: holds at the end of the text and before a newline that ends it."""

    at: int


Node: TypeAlias = Text | Chars | Seq | Alt | Repeat | Atomic | Before | After | Boundary | Look | FinalNewline
Dialect: TypeAlias = Literal["python", "ecma", "rust"]

_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (Text, Chars, Seq, Alt, Repeat, Atomic, Before, After, Boundary, Look, FinalNewline)
}


def parse(pattern: str, dialect: Dialect = "python", flags: str = "", *, is_released: bool = False) -> Node:
    """The tree of a pattern; without atomic groups if `is_released`.

    Raises GrammarSyntaxError, with the offset, for what is not in the dialect.
    """
    return _node(front_end.Regex(pattern, dialect=dialect, flags=flags, is_released=is_released).tree())


def _node(described: tuple[Any, ...]) -> Node:
    kind, first, *rest = described
    if kind in ("Seq", "Alt"):
        first = [_node(item) for item in first]
    elif kind in ("Repeat", "Atomic", "Look"):
        first = _node(first)
    node: Node = _KINDS[kind](first, *rest)
    return node
