"""Pattern → whether it is anchored at both ends, and whether its texts are bounded in length."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from frisket import FrisketError
from frisket.extension import Regex, parse_regex
from frisket.extension import regex_ast as ast


class Ends(NamedTuple):
    """The anchoring of a pattern.

    `start` and `end`: whether each match begins and ends with the text. `bounded`: whether its texts have a greatest
    length. `partial`: whether the pattern only asks that some characters occur, at an end or anywhere.
    """

    start: bool
    end: bool
    bounded: bool
    partial: bool


#: Result for an unreadable pattern, which causes no finding.
UNREADABLE = Ends(True, True, False, False)
#: Least code points of a class that counts as any character, and of one that excludes only a few.
ANY, WIDE = 0x10F000, 0x100000


@lru_cache(maxsize=4096)
def ends(pattern: str) -> Ends:
    """The anchoring of a JSON Schema pattern.

    An end that explicitly allows any text (`.*`) was meant to be open, and counts as anchored.

    >>> ends("^[a-z]{2}$"), ends("^a|b$").start, ends("^.*x").start
    (Ends(start=True, end=True, bounded=True, partial=False), False, True)
    >>> ends("^https://").partial, ends("^a|b$").partial
    (True, False)
    """
    try:
        tree = parse_regex(pattern, dialect="ecma")
        start, end = _is_held(tree, ast.Before, 0), _is_held(tree, ast.After, -1)
        bounded = start and end and not _is_open(tree) and _is_bounded(pattern)
        return Ends(start, end, bounded, _classes(tree) < 2 and not _is_mixed(tree))
    except (FrisketError, RecursionError):
        return UNREADABLE


def _is_bounded(pattern: str) -> bool:
    return Regex(pattern, dialect="ecma").longest() is not None


def _is_held(node: ast.Node, anchor: type[ast.Before | ast.After], side: int) -> bool:
    """Whether every match of the tree begins (ends) with an anchor, or with any text."""
    if isinstance(node, ast.Before | ast.After):
        return isinstance(node, anchor) and node.edge and not node.ranges
    if isinstance(node, ast.Alt):
        return all(_is_held(item, anchor, side) for item in node.items)
    if isinstance(node, ast.Repeat):
        return _is_anything(node) or (node.low > 0 and _is_held(node.item, anchor, side))
    if isinstance(node, ast.Seq):
        items = node.items[:: 1 if side == 0 else -1]
        # Lookarounds match no characters, so an anchor beside one still counts.
        solid = next((item for item in items if not isinstance(item, ast.Look)), None)
        return solid is not None and _is_held(solid, anchor, side)
    return False


def _is_anything(node: ast.Repeat) -> bool:
    """Whether it is `.*`, `.+`, `[\\s\\S]*` or similar: any number of any characters, perhaps without line breaks."""
    return node.high is None and _width(node.item) > ANY


def _is_open(node: ast.Node) -> bool:
    if isinstance(node, ast.Repeat):
        return _is_anything(node) or _is_open(node.item)
    return isinstance(node, (ast.Seq, ast.Alt)) and any(map(_is_open, node.items))


def _classes(node: ast.Node) -> int:
    """The number of character classes in the pattern; a repeated class counts twice, "any character" not at all."""
    if isinstance(node, ast.Chars):
        return 1
    if isinstance(node, ast.Repeat):
        if _width(node.item) > WIDE:
            return 0
        return _classes(node.item) if node.high == 1 else 2
    if isinstance(node, ast.Seq):
        return sum(map(_classes, node.items))
    return max(map(_classes, node.items)) if isinstance(node, ast.Alt) else 0


def _is_mixed(node: ast.Node) -> bool:
    """Whether some alternatives are anchored at an end, and others are not."""
    while isinstance(node, ast.Seq) and len(node.items) == 1:
        node = node.items[0]
    if not isinstance(node, ast.Alt):
        return False
    held = [(_is_held(item, ast.Before, 0), _is_held(item, ast.After, -1)) for item in node.items]
    return any(len(set(side)) > 1 for side in zip(*held, strict=True))


def _width(node: ast.Node) -> int:
    return sum(last - first + 1 for first, last in node.ranges) if isinstance(node, ast.Chars) else 0
