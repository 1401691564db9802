"""Pattern → syntax tree, parsed by the engine; the nodes are the same for all dialects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from frisket._core import front_end

#: Sorted, disjoint, inclusive ranges of code points that do not touch.
CharSet: TypeAlias = tuple[tuple[int, int], ...]


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
    """`item`{low,high}; `high` None is no limit. Greedy and lazy match the same texts."""

    item: Node
    low: int
    high: int | None
    is_lazy: bool
    at: int


@dataclass(slots=True)
class Before:
    """Holds if the character before is in `ranges`, or at the start of the text if `edge`."""

    ranges: CharSet
    edge: bool
    at: int


@dataclass(slots=True)
class After:
    """Holds if the character after is in `ranges`, or at the end of the text if `edge`."""

    ranges: CharSet
    edge: bool
    at: int


@dataclass(slots=True)
class Boundary:
    """`\\b` or `\\B`."""

    at: int


@dataclass(slots=True)
class Look:
    """A lookahead if `ahead`, otherwise a lookbehind."""

    item: Node
    ahead: bool
    negative: bool
    at: int


@dataclass(slots=True)
class FinalNewline:
    """Python's `$`: holds at the end of the text, and before a newline at its end."""

    at: int


Node: TypeAlias = Text | Chars | Seq | Alt | Repeat | Before | After | Boundary | Look | FinalNewline
Dialect: TypeAlias = Literal["python", "ecma", "rust"]

_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (Text, Chars, Seq, Alt, Repeat, Before, After, Boundary, Look, FinalNewline)
}


def parse(pattern: str, dialect: Dialect = "python", flags: str = "") -> Node:
    """The tree of a pattern.

    Raises GrammarSyntaxError, with the offset, for syntax outside the dialect.
    """
    return _node(front_end.Regex(pattern, dialect=dialect, flags=flags).tree())


def _node(described: tuple[Any, ...]) -> Node:
    kind, first, *rest = described
    if kind in ("Seq", "Alt"):
        first = [_node(item) for item in first]
    elif kind in ("Repeat", "Look"):
        first = _node(first)
    node: Node = _KINDS[kind](first, *rest)
    return node
