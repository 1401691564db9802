"""Syntax tree of a production; a node means the same in all notations of the BNF family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from frisket.notations.regex.ast import Dialect
from frisket.notations.regex.unicode import CharSet

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


@dataclass(slots=True, eq=False)
class Text:
    """These characters, one after the other; without any, the empty text."""

    text: str


@dataclass(slots=True, eq=False)
class Chars:
    """One code point in any of the ranges."""

    ranges: CharSet


@dataclass(slots=True, eq=False)
class Octets:
    """One byte in any of the ranges."""

    ranges: tuple[tuple[int, int], ...]


@dataclass(slots=True, eq=False)
class Token:
    """The special token of that name."""

    name: str


@dataclass(slots=True, eq=False)
class Reference:
    """A call of the rule of that name."""

    name: str
    at: int


@dataclass(slots=True, eq=False)
class Seq:
    """The items in sequence; without items, the empty text."""

    items: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Alt:
    """Any one of the items."""

    items: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Repeat:
    """`item`{low,high}; `high` None is no limit."""

    item: Node
    low: int
    high: int | None


@dataclass(slots=True, eq=False)
class Except:
    """The texts of `item` except those of `excluded`; `at` is the offset of the operator."""

    item: Node
    excluded: Node
    at: int


@dataclass(slots=True, eq=False)
class Both:
    """The texts that all items have in common; `at` is the offset of the operator."""

    items: tuple[Node, ...]
    at: int


@dataclass(slots=True, eq=False)
class Complement:
    """All byte strings except the texts of `item`; `at` is the offset of the operator."""

    item: Node
    at: int


@dataclass(slots=True, eq=False)
class Shortest:
    """The texts of `item` that do not begin with a shorter text of it; `at` is the offset of the request."""

    item: Node
    at: int


@dataclass(slots=True, eq=False)
class Pattern:
    """The texts that a regular expression matches; `at` is where it begins."""

    pattern: str
    flags: str
    at: int
    dialect: Dialect = "python"


@dataclass(slots=True, eq=False)
class Embedded:
    """A part in another notation: `lower` makes its node, which is regular if `is_regular`."""

    lower: Callable[[GrammarBuilder], int]
    is_regular: bool
    at: int


Node: TypeAlias = (
    Text
    | Chars
    | Octets
    | Token
    | Reference
    | Seq
    | Alt
    | Repeat
    | Except
    | Both
    | Complement
    | Shortest
    | Pattern
    | Embedded
)


@dataclass(eq=False)
class Production:
    """One rule: its name in its own spelling, its body, and the offset of its definition."""

    name: str
    body: Node
    at: int

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes of the body, children before their parents."""
        return postorder(self.body)

    @cached_property
    def calls(self) -> list[str]:
        """The names of the rules that the body calls, each once, the last call first."""
        return list(dict.fromkeys(node.name for node in reversed(self.nodes) if type(node) is Reference))


#: The rules of a grammar, by the name that references use.
Productions: TypeAlias = dict[str, Production]

#: Node type → function that returns the child nodes; leaves have no entry. It is a table because every pass over a
#: grammar looks it up for every node.
_BELOW: dict[type, Callable[[Any], tuple[Node, ...]]] = {
    Seq: attrgetter("items"),
    Alt: attrgetter("items"),
    Both: attrgetter("items"),
    Repeat: lambda node: (node.item,),
    Complement: lambda node: (node.item,),
    Shortest: lambda node: (node.item,),
    Except: attrgetter("item", "excluded"),
}


def children(node: Node) -> tuple[Node, ...]:
    """The child nodes."""
    below = _BELOW.get(type(node))
    return () if below is None else below(node)


def postorder(body: Node) -> list[Node]:
    """All nodes of a body, children before their parents; found without recursion, since groups may nest deep."""
    found: list[Node] = []
    agenda = [body]
    while agenda:
        node = agenda.pop()
        found.append(node)
        below = _BELOW.get(type(node))
        if below is not None:
            agenda += below(node)
    found.reverse()
    return found


def reachable(productions: Productions, root: str) -> list[str]:
    """The rules that a text of the root may use, in order of first mention."""
    found = {root: None}
    agenda = [root]
    for name in agenda:
        for call in productions[name].calls:
            if call not in found:
                found[call] = None
                agenda.append(call)
    return list(found)


def sequence(items: list[Node]) -> Node:
    """The items one after the other."""
    return items[0] if len(items) == 1 else Seq(tuple(items))


def alternatives(items: list[Node]) -> Node:
    """Any one of the items."""
    return items[0] if len(items) == 1 else Alt(tuple(items))
