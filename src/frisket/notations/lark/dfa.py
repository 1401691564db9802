"""A regular node → its automaton over bytes; some of its texts → a tree for a production.

The automaton's states are the node's derivatives (Brzozowski 1964), and its states are eliminated one by one (Kleene
1956), which leaves a tree. Ignored terminals are small, so nothing here is made for large ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.notations.production import ast

if TYPE_CHECKING:
    from collections.abc import Collection

    from frisket._core import GrammarBuilder

#: States of an automaton that is still written as a tree.
_MOST = 64


class Automaton:
    """The derivatives of a node by number, the node itself first, and which bytes lead from one to another."""

    def __init__(self, builder: GrammarBuilder, node: int) -> None:
        self.states = [node]
        self.steps: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self.is_complete = True
        number = {node: 0}
        empty = builder.empty()
        for at, state in enumerate(self.states):
            if at >= _MOST:
                self.is_complete = False
                return
            for byte in range(256):
                to = builder.after(state, bytes([byte]))
                if to == empty:
                    continue
                if to not in number:
                    number[to] = len(self.states)
                    self.states.append(to)
                ranges = self.steps.setdefault((at, number[to]), [])
                if ranges and ranges[-1][1] == byte - 1:
                    ranges[-1] = (ranges[-1][0], byte)
                else:
                    ranges.append((byte, byte))
        self.accepting = [at for at, state in enumerate(self.states) if builder.accepts(state, b"")]

    def tree(self, ends: Collection[int]) -> ast.Node:
        """The texts that lead to one of these states."""
        begin, end = len(self.states), len(self.states) + 1
        table: dict[tuple[int, int], ast.Node] = {pair: _bytes(ranges) for pair, ranges in self.steps.items()}
        table[begin, 0] = ast.Seq(())
        table.update({(state, end): ast.Seq(()) for state in ends})
        for state in reversed(range(len(self.states))):
            loop = table.pop((state, state), None)
            rounds: list[ast.Node] = [] if loop is None else [ast.Repeat(loop, 0, None)]
            into = [(start, node) for (start, to), node in table.items() if to == state]
            out = [(to, node) for (start, to), node in table.items() if start == state]
            for start, first in into:
                for to, last in out:
                    way = joined([first, *rounds, last])
                    known = table.get((start, to))
                    table[start, to] = way if known is None else either([known, way])
            table = {pair: node for pair, node in table.items() if state not in pair}
        return table.get((begin, end), ast.Alt(()))


def joined(items: list[ast.Node]) -> ast.Node:
    """The items one after the other, without empty texts among them."""
    return ast.sequence([item for item in items if not (isinstance(item, ast.Seq) and not item.items)])


def either(items: list[ast.Node]) -> ast.Node:
    """Any of the items, those of unions among them one by one."""
    flat = [part for item in items for part in (item.items if isinstance(item, ast.Alt) else (item,))]
    return ast.alternatives(flat)


def _bytes(ranges: list[tuple[int, int]]) -> ast.Node:
    return ast.Chars(tuple(ranges)) if ranges[-1][1] < 0x80 else ast.Octets(tuple(ranges))
