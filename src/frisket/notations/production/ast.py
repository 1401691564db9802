"""What a production says, as a tree: all notations of the BNF family mean the same by the same node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

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
    """One after the other; without items, the empty text."""

    items: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Alt:
    """Any one of these."""

    items: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Repeat:
    """`item`{low,high}; `high` None is no limit."""

    item: Node
    low: int
    high: int | None


@dataclass(slots=True, eq=False)
class Except:
    """The texts of `item` that are none of `excluded`; `at` is where the operator stands."""

    item: Node
    excluded: Node
    at: int


@dataclass(slots=True, eq=False)
class Both:
    """The texts that all of the items have; `at` is where the operator stands."""

    items: tuple[Node, ...]
    at: int


@dataclass(slots=True, eq=False)
class Complement:
    """The byte strings that are no text of `item`; `at` is where the operator stands."""

    item: Node
    at: int


@dataclass(slots=True, eq=False)
class Shortest:
    """The texts of `item` that do not begin with a shorter one; `at` is where they are asked for."""

    item: Node
    at: int


@dataclass(slots=True, eq=False)
class Pattern:
    """The texts that a regular expression in Python's dialect matches; `at` is where it begins."""

    pattern: str
    flags: str
    at: int


@dataclass(slots=True, eq=False)
class Embedded:
    """What another notation says: `lower` makes its node, which is regular if `is_regular`."""

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
    """One rule: its name as it is written, its body, and where its definition begins."""

    name: str
    body: Node
    at: int

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes of the body, each one after those below it."""
        return postorder(self.body)

    @cached_property
    def calls(self) -> list[str]:
        """The names of the rules that the body calls, the last one first; once each."""
        return list(dict.fromkeys(node.name for node in reversed(self.nodes) if type(node) is Reference))


#: The rules of a grammar, by the name that references use.
Productions: TypeAlias = dict[str, Production]

#: How to get at the nodes below a node, by its type; leaves are not there. A table, since every pass over a grammar
#: asks this of every node.
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
    """The nodes directly below."""
    below = _BELOW.get(type(node))
    return () if below is None else below(node)


def postorder(body: Node) -> list[Node]:
    """All nodes of a body, each one after those below it; without recursion, since groups may nest deep."""
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


@dataclass(slots=True)
class _Level:
    """An open group, or the body around all: its alternatives so far, and the operators that wait for an operand."""

    #: Its bracket and where that stands; None for the body itself.
    opened: tuple[str, int] | None
    done: list[Node] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    #: What becomes of the next item.
    prefix: Callable[[Node], Node] | None = None
    #: How many items there were when an exception's operator came, and where that stands.
    minus: tuple[int, int] | None = None


class Groups:
    """The alternatives of a body while a parser reads it, with every group that is open around its place.

    A stack of its own keeps a parser from recursing: a thousand groups may nest.
    """

    def __init__(self) -> None:
        self._levels = [_Level(None)]

    @property
    def opened(self) -> tuple[str, int] | None:
        """The bracket of the innermost open group and where it stands; None outside of all groups."""
        return self._levels[-1].opened

    @property
    def items(self) -> list[Node]:
        """What the alternative under way holds so far."""
        return self._levels[-1].items

    @property
    def waits(self) -> bool:
        """Whether an operator waits for the next item."""
        return self.counted or self.minus is not None

    @property
    def counted(self) -> bool:
        """Whether a count waits for what it repeats."""
        return self._levels[-1].prefix is not None

    def add(self, node: Node) -> None:
        """Append to the alternative under way."""
        level = self._levels[-1]
        if level.prefix is not None:
            node, level.prefix = level.prefix(node), None
        if level.minus is not None and level.minus[0] < len(level.items):
            self._settle()
        level.items.append(node)

    def wrap(self, make: Callable[[Node], Node]) -> None:
        """Put what `make` returns in place of the last item."""
        self.items[-1] = make(self.items[-1])

    def prefix(self, make: Callable[[Node], Node]) -> None:
        """Put what `make` returns in place of the next item."""
        self._levels[-1].prefix = make

    def exclude(self, at: int) -> None:
        """The next item is excluded from the last one; the operator stands at that place."""
        self._settle()
        self._levels[-1].minus = len(self.items), at

    @property
    def minus(self) -> int | None:
        """Where the exception's operator stands that waits for its right operand."""
        minus = self._levels[-1].minus
        return minus[1] if minus is not None and minus[0] == len(self.items) else None

    def forget(self) -> None:
        """The operator of the exception under way was another one."""
        self._levels[-1].minus = None

    def begin_alternative(self) -> None:
        """End the alternative under way; a new one begins."""
        self._settle()
        level = self._levels[-1]
        level.done.append(sequence(level.items))
        level.items = []

    def open(self, bracket: str, at: int) -> None:
        """A group begins."""
        self._levels.append(_Level((bracket, at)))

    def close(self) -> Node:
        """The node of the innermost group, which ends; or of the whole body."""
        self.begin_alternative()
        return alternatives(self._levels.pop().done)

    def _settle(self) -> None:
        """The exception under way has both its operands."""
        level = self._levels[-1]
        if level.minus is not None:
            excluded = level.items.pop()
            level.items.append(Except(level.items.pop(), excluded, level.minus[1]))
            level.minus = None
