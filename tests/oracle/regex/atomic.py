"""Tree with atomic groups → the tree without them that means the same, or a refusal."""

from __future__ import annotations

from frisket.errors import GrammarSyntaxError
from tests.oracle.regex import unicode
from tests.oracle.regex.ast import After, Alt, Atomic, Look, Node, Repeat, Seq, Text
from tests.oracle.regex.measure import asserts, measure, one_char
from tests.oracle.regex.unicode import CharSet


def release(node: Node, follow: CharSet | None = unicode.NONE) -> Node:
    """The same language without `Atomic`.

    `follow` are the characters that what comes next may begin with, None if an assertion comes next. An atomic part may
    go when it has one way to match, or when it repeats a character that nothing after it could take in its place.
    """
    if isinstance(node, Seq):
        items: list[Node] = []
        for item in reversed(node.items):
            items.append(release(item, follow))
            follow = _followed(item, follow)
        return Seq(items[::-1])
    if isinstance(node, Alt):
        return Alt([release(item, follow) for item in node.items])
    if isinstance(node, Repeat):
        inner = follow
        if node.high is None or node.high > 1:
            inner = _followed(node.item, follow)
            inner = None if inner is None or follow is None else unicode.union(inner, follow)
        return Repeat(release(node.item, inner), node.low, node.high, node.at)
    if isinstance(node, Look):
        return Look(release(node.item), node.ahead, node.negative, node.at)
    if isinstance(node, Atomic):
        item = release(node.item, None if asserts(node.item) else follow)
        if _single_way(item) or (follow is not None and _disjoint(item, follow)):
            return item
        at = node.at if node.at >= 0 else -1 - node.at
        raise GrammarSyntaxError(
            "an atomic group or possessive quantifier that changes what can match",
            where=f"offset {at}",
            hint="use the ordinary group or quantifier",
        )
    return node


def _followed(item: Node, follow: CharSet | None) -> CharSet | None:
    if isinstance(item, After) and item.edge and not item.ranges:
        return unicode.NONE
    if asserts(item):
        return None
    low, _, first, _ = measure(item)
    if low:
        return first
    return None if follow is None else unicode.union(first, follow)


def _single_way(node: Node) -> bool:
    if isinstance(node, Seq):
        return all(map(_single_way, node.items))
    if isinstance(node, Repeat):
        return node.low == node.high and _single_way(node.item)
    return isinstance(node, Text) or one_char(node) is not None


def _disjoint(node: Node, follow: CharSet) -> bool:
    if isinstance(node, Seq) and len(node.items) == 1:
        node = node.items[0]
    if not isinstance(node, Repeat):
        return False
    ranges = one_char(node.item)
    return ranges is not None and not unicode.intersection(ranges, follow)
