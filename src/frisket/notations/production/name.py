"""Node of a body → whether it is a name of any length, which stays apart where rules are recursive."""

from __future__ import annotations

from frisket.notations.production.ast import Alt, Chars, Node, Repeat, Seq, Text
from frisket.notations.regex.measure import is_name_class
from frisket.notations.regex.unicode import CharSet, union


def is_name(node: Node) -> bool:
    """Whether the node is any number of characters that names are made of, perhaps behind other single characters."""
    if isinstance(node, Seq):
        return all(_one_char(item) is not None for item in node.items[:-1]) and is_name(node.items[-1])
    ranges = _one_char(node.item) if isinstance(node, Repeat) and node.high is None else None
    return ranges is not None and is_name_class(ranges)


def is_optional(node: Node) -> bool:
    """Whether the node repeats something, perhaps not at all."""
    return isinstance(node, Repeat) and node.low == 0


def _one_char(node: Node) -> CharSet | None:
    """The set of a tree whose every text is one character, if it is plainly so."""
    if isinstance(node, Chars):
        return node.ranges
    if isinstance(node, Text) and len(node.text) == 1:
        return ((ord(node.text), ord(node.text)),)
    if isinstance(node, Alt):
        sets = [_one_char(item) for item in node.items]
        if all(item is not None for item in sets):
            return union(*(item for item in sets if item is not None))
    return None
