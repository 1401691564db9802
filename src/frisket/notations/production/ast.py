"""What a production says, as a tree: all notations of the BNF family mean the same by the same node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from frisket.notations.regex.unicode import CharSet


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """These characters, one after the other; without any, the empty text."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Chars:
    """One code point in any of the ranges."""

    ranges: CharSet


@dataclass(frozen=True, slots=True, eq=False)
class Octets:
    """One byte in any of the ranges."""

    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """The special token of that name."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Regex:
    """The texts that a regular expression matches as a whole."""

    pattern: str
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A call of the rule of that name."""

    name: str
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class Seq:
    """One after the other; without items, the empty text."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Alt:
    """Any one of these."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """`item`{low,high}; `high` None is no limit."""

    item: Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Except:
    """The texts of `item` that are none of `excluded`; `at` is where the operator stands."""

    item: Node
    excluded: Node
    at: int


Node: TypeAlias = Text | Chars | Octets | Token | Regex | Reference | Seq | Alt | Repeat | Except


@dataclass(frozen=True, slots=True, eq=False)
class Production:
    """One rule: its name as it is written, its body, and where its definition begins."""

    name: str
    body: Node
    at: int


#: The rules of a grammar, by the name that references use.
Productions: TypeAlias = dict[str, Production]


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    match node:
        case Seq(items) | Alt(items):
            return items
        case Repeat(item, _, _):
            return (item,)
        case Except(item, excluded, _):
            return item, excluded
    return ()


def postorder(body: Node) -> list[Node]:
    """All nodes of a body, each one after those below it; without recursion, since groups may nest deep."""
    found: list[Node] = []
    agenda = [body]
    while agenda:
        node = agenda.pop()
        found.append(node)
        agenda += children(node)
    return found[::-1]


def sequence(items: list[Node]) -> Node:
    """The items one after the other."""
    return items[0] if len(items) == 1 else Seq(tuple(items))


def alternatives(items: list[Node]) -> Node:
    """Any one of the items."""
    return items[0] if len(items) == 1 else Alt(tuple(items))


class Groups:
    """The alternatives of a body while a parser reads it, with every group that is open around its place.

    A stack of its own keeps a parser from recursing: a thousand groups may nest.
    """

    def __init__(self) -> None:
        self._outer: list[tuple[list[Node], list[Node], str, int]] = []
        self._done: list[Node] = []
        self.items: list[Node] = []
        """What the alternative under way holds so far."""

    @property
    def opened(self) -> tuple[str, int] | None:
        """The bracket of the innermost open group and where it stands; None outside of all groups."""
        return self._outer[-1][2:] if self._outer else None

    def add(self, node: Node) -> None:
        """Append to the alternative under way."""
        self.items.append(node)

    def wrap(self, make: Callable[[Node], Node]) -> None:
        """Put what `make` returns in place of the last item."""
        self.items[-1] = make(self.items[-1])

    def begin_alternative(self) -> None:
        """End the alternative under way; a new one begins."""
        self._done.append(sequence(self.items))
        self.items = []

    def open(self, bracket: str, at: int) -> None:
        """A group begins."""
        self._outer.append((self._done, self.items, bracket, at))
        self._done, self.items = [], []

    def close(self) -> Node:
        """The node of the innermost group, which ends; or of the whole body."""
        self.begin_alternative()
        node = alternatives(self._done)
        if self._outer:
            self._done, self.items, _, _ = self._outer.pop()
        return node
