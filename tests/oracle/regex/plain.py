"""Tree without assertions → the node of the texts that match it, part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle.regex.ast import Alt, Chars, Node, Repeat, Seq, Text
from tests.oracle.regex.measure import one_char

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


class Plain:
    """Makes nodes of trees, one to one; of a tree that stands in several places, once."""

    def __init__(self, builder: GrammarBuilder) -> None:
        self.builder = builder
        self.known: dict[int, int] = {}

    def plain(self, node: Node) -> int:
        known = self.known.get(id(node))
        if known is None:
            known = self.known[id(node)] = self.lowered(node)
        return known

    def lowered(self, node: Node) -> int:
        builder = self.builder
        if isinstance(node, Text):
            return builder.literal(node.text.encode())
        if isinstance(node, Chars):
            return builder.char_class(node.ranges)
        if isinstance(node, Seq):
            if not node.items:
                return builder.epsilon()
            parts = [self.plain(item) for item in node.items]
            return builder.cat(parts)
        if isinstance(node, Alt):
            ranges = one_char(node)
            if ranges is not None:
                return builder.char_class(ranges)
            if all(isinstance(item, Text) for item in node.items):
                return builder.words([item.text.encode() for item in node.items if isinstance(item, Text)])
            return builder.alt([self.plain(item) for item in node.items])
        if isinstance(node, Repeat):
            return builder.repeat(self.plain(node.item), node.low, node.high)
        raise TypeError(f"{type(node).__name__} is an assertion")
