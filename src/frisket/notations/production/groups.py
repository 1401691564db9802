"""The items of a body, one by one → its tree; keeps the open groups, counts and exceptions meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from frisket.notations.production.ast import Except, Node, alternatives, sequence


@dataclass(slots=True)
class _Level:
    """An open group, or the whole body: its alternatives so far, and the operators that wait for an operand."""

    #: The opening bracket and its offset; None for the body itself.
    opened: tuple[str, int] | None
    done: list[Node] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    #: Function that makes the node of the next item.
    prefix: Callable[[Node], Node] | None = None
    #: Number of items before an exception's operator, and the operator's offset.
    minus: tuple[int, int] | None = None


class Groups:
    """The alternatives of a body while a parser reads it, with every open group.

    The groups are on a stack, so the parser does not recurse, and a thousand groups may nest.
    """

    def __init__(self) -> None:
        self._levels = [_Level(None)]

    @property
    def opened(self) -> tuple[str, int] | None:
        """(the bracket of the innermost open group, its offset); None outside all groups."""
        return self._levels[-1].opened

    @property
    def items(self) -> list[Node]:
        """The items of the current alternative."""
        return self._levels[-1].items

    @property
    def waits(self) -> bool:
        """Whether an operator waits for the next item."""
        return self.counted or self.minus is not None

    @property
    def counted(self) -> bool:
        """Whether a count waits for the item that it repeats."""
        return self._levels[-1].prefix is not None

    def add(self, node: Node) -> None:
        """Append to the current alternative."""
        level = self._levels[-1]
        if level.prefix is not None:
            node, level.prefix = level.prefix(node), None
        if level.minus is not None and level.minus[0] < len(level.items):
            self._settle()
        level.items.append(node)

    def wrap(self, make: Callable[[Node], Node]) -> None:
        """Replace the last item by the result of `make`."""
        self.items[-1] = make(self.items[-1])

    def prefix(self, make: Callable[[Node], Node]) -> None:
        """Replace the next item by the result of `make`."""
        self._levels[-1].prefix = make

    def exclude(self, at: int) -> None:
        """Begin an exception: the next item is excluded from the last; `at` is the operator's offset."""
        self._settle()
        self._levels[-1].minus = len(self.items), at

    @property
    def minus(self) -> int | None:
        """Offset of the operator of an exception that still lacks its right operand."""
        minus = self._levels[-1].minus
        return minus[1] if minus is not None and minus[0] == len(self.items) else None

    def forget(self) -> None:
        """Cancel the open exception, whose operator turned out to mean something else."""
        self._levels[-1].minus = None

    def begin_alternative(self) -> None:
        """End the current alternative, and begin a new one."""
        self._settle()
        level = self._levels[-1]
        level.done.append(sequence(level.items))
        level.items = []

    def open(self, bracket: str, at: int) -> None:
        """Begin a group."""
        self._levels.append(_Level((bracket, at)))

    def close(self) -> Node:
        """End the innermost group, or the body, and return its node."""
        self.begin_alternative()
        return alternatives(self._levels.pop().done)

    def _settle(self) -> None:
        """Complete the open exception, which now has both operands."""
        level = self._levels[-1]
        if level.minus is not None:
            excluded = level.items.pop()
            level.items.append(Except(level.items.pop(), excluded, level.minus[1]))
            level.minus = None
