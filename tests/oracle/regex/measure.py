"""Tree → how long its texts are, in characters, and which characters they begin and end with."""

from __future__ import annotations

from typing import NamedTuple

from tests.oracle.regex import unicode
from tests.oracle.regex.ast import Alt, Atomic, Chars, Look, Node, Repeat, Seq, Text
from tests.oracle.regex.unicode import CharSet


class Measure(NamedTuple):
    """Exact for trees without assertions; with them, `low` is a lower bound, the others are upper bounds."""

    low: int
    high: int | None
    first: CharSet
    last: CharSet


EMPTY = Measure(0, 0, unicode.NONE, unicode.NONE)


def measure(node: Node) -> Measure:
    """The measure of a tree."""
    if isinstance(node, Text):
        first, last = ord(node.text[0]), ord(node.text[-1])
        return Measure(len(node.text), len(node.text), ((first, first),), ((last, last),))
    if isinstance(node, Chars):
        return Measure(1, 1, node.ranges, node.ranges)
    if isinstance(node, Seq):
        return concatenation([measure(item) for item in node.items])
    if isinstance(node, Alt):
        return union([measure(item) for item in node.items])
    if isinstance(node, Repeat):
        item = measure(node.item)
        if node.high == 0:
            return EMPTY
        high = None if node.high is None or item.high is None else item.high * node.high
        return Measure(item.low * node.low, 0 if item.high == 0 else high, item.first, item.last)
    if isinstance(node, Atomic):
        return measure(node.item)
    return EMPTY


def concatenation(parts: list[Measure]) -> Measure:
    """The measure of texts one after the other."""
    low, high = 0, 0
    unbounded = False
    for part in parts:
        low += part.low
        if part.high is None:
            unbounded = True
        else:
            high += part.high
    first = [part.first for part in _until_solid(parts)]
    last = [part.last for part in _until_solid(parts[::-1])]
    return Measure(low, None if unbounded else high, unicode.union(*first), unicode.union(*last))


def union(parts: list[Measure]) -> Measure:
    """The measure of any one of several."""
    highs = [part.high for part in parts]
    return Measure(
        min((part.low for part in parts), default=0),
        None if None in highs else max((high for high in highs if high is not None), default=0),
        unicode.union(*(part.first for part in parts)),
        unicode.union(*(part.last for part in parts)),
    )


def may_be_empty(node: Node) -> bool:
    """Whether `low` of the measure is 0."""
    if isinstance(node, (Text, Chars)):
        return False
    if isinstance(node, Seq):
        return all(map(may_be_empty, node.items))
    if isinstance(node, Alt):
        return any(map(may_be_empty, node.items))
    if isinstance(node, Repeat):
        return node.low == 0 or may_be_empty(node.item)
    return not isinstance(node, Atomic) or may_be_empty(node.item)


def asserts(node: Node) -> bool:
    """Whether the tree holds an assertion."""
    if isinstance(node, (Text, Chars)):
        return False
    if isinstance(node, (Seq, Alt)):
        return any(map(asserts, node.items))
    if isinstance(node, (Repeat, Atomic)):
        return asserts(node.item)
    return True


def ends_in_name(node: Node) -> bool:
    """Whether a text may end with any number of characters that names are made of."""
    if isinstance(node, Seq):
        return bool(node.items) and ends_in_name(node.items[-1])
    if isinstance(node, Alt):
        return any(map(ends_in_name, node.items))
    if isinstance(node, Repeat) and node.high is None:
        ranges = one_char(node.item)
        return ranges is not None and is_name_class(ranges)
    return False


def is_name_class(ranges: CharSet) -> bool:
    """Whether the set has as many characters of ASCII as the letters, digits and signs that names are made of."""
    return _FEWEST <= sum(min(high, 0x7F) - low + 1 for low, high in ranges if low < 0x80) <= _MOST


#: Decimal and hexadecimal digits are fewer; what strings and comments are made of is more.
_FEWEST, _MOST = 20, 66


def one_char(node: Node) -> CharSet | None:
    """The set of a tree whose every text is one character, if it is plainly so."""
    if isinstance(node, Chars):
        return node.ranges
    if isinstance(node, Text) and len(node.text) == 1:
        return ((ord(node.text), ord(node.text)),)
    if isinstance(node, Seq) and len(node.items) == 1:
        return one_char(node.items[0])
    if isinstance(node, Alt):
        sets = [one_char(item) for item in node.items]
        if all(item is not None for item in sets):
            return unicode.union(*(item for item in sets if item is not None))
    return None


def looks(node: Node) -> bool:
    """Whether the tree holds a lookahead or lookbehind."""
    if isinstance(node, (Seq, Alt)):
        return any(map(looks, node.items))
    return isinstance(node, Look) or (isinstance(node, (Repeat, Atomic)) and looks(node.item))


def _until_solid(parts: list[Measure]) -> list[Measure]:
    result = []
    for part in parts:
        result.append(part)
        if part.low:
            break
    return result
