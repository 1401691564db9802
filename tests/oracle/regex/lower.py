"""Tree × GrammarBuilder → the regular node of exactly the texts that match.

Without assertions a tree maps to nodes one to one. An assertion constrains what lies beside it: one about the next or
the previous character narrows its neighbour; a lookahead is an intersection with the rest of the text, a lookbehind one
with the text so far, and a negative one is an intersection with the complement. What cannot be placed like this (an
assertion that looks out of the loop it stands in) goes through an automaton of the whole pattern.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from frisket.errors import GrammarSyntaxError, LimitExceededError
from tests.oracle.regex.ast import After, Alt, Before, Chars, Dialect, FinalNewline, Node, Repeat, Seq, Text
from tests.oracle.regex.atomic import release
from tests.oracle.regex.automaton import TooManyStates, lower_automaton
from tests.oracle.regex.measure import asserts
from tests.oracle.regex.parser import parse
from tests.oracle.regex.piece import Unplaced
from tests.oracle.regex.placement import Placement
from tests.oracle.regex.plain import Plain

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

_MAY_BE_ATOMIC = re.compile(r"[+*?}]\+|\(\?>")

# Characters from which on the same part is likely to come twice.
_LONG = 200


def lower_regex(
    builder: GrammarBuilder, pattern: str, *, dialect: Dialect = "python", search: bool = False, flags: str = ""
) -> int:
    """A regular node of the texts (UTF-8) that match: as a whole, or somewhere inside if `search`.

    `flags` are letters of `imsxa`. Raises GrammarSyntaxError, with the offset, for what is not in the dialect and for
    what no regular language can say exactly.
    """
    try:
        node, assertive = prepared(pattern, dialect, flags)
        if assertive:
            return _whole(Placement(builder), node, search)
        core = Plain(builder).plain(node)
    except RecursionError:
        raise LimitExceededError("the pattern nests too deeply", hint="take some of its groups apart") from None
    return builder.cat([builder.any_text(), core, builder.any_text()]) if search else core


def lower_part(builder: GrammarBuilder, pattern: str, *, flags: str = "") -> int:
    """A regular node of the texts that match as a whole, where more text may stand on both sides.

    `pattern` is in Python's dialect. Raises GrammarSyntaxError, with the offset, for what `lower_regex` refuses and for
    an assertion that looks at the text outside.
    """
    try:
        node, assertive = prepared(pattern, "python", flags)
        if not assertive:
            return Plain(builder).plain(node)
        placement = Placement(builder)
        return placement.resolve(placement.alternatives(node), "unknown", "unknown").node
    except Unplaced as unplaced:
        raise GrammarSyntaxError(
            "this assertion may look at the text beside it, and a terminal has only its own",
            where=f"offset {unplaced.at}",
            hint="leave it out, or say what the terminal is not with & and ~",
        ) from None
    except RecursionError:
        raise LimitExceededError("the pattern nests too deeply", hint="take some of its groups apart") from None


@lru_cache(maxsize=4096)
def prepared(pattern: str, dialect: Dialect, flags: str) -> tuple[Node, bool]:
    """The tree of a pattern without atomic groups, and whether it holds an assertion."""
    node = parse(pattern, dialect, flags)
    if dialect == "python" and _MAY_BE_ATOMIC.search(pattern):
        node = release(node)
    if len(pattern) > _LONG:
        node = _shared(node, {})
    return node, asserts(node)


def _shared(node: Node, known: dict[object, Node]) -> Node:
    """The same tree with equal subtrees as one object, which is then lowered once."""
    key: object
    if isinstance(node, Text):
        key = node.text
    elif isinstance(node, Chars):
        key = node.ranges
    elif isinstance(node, (Seq, Alt)):
        node = type(node)([_shared(item, known) for item in node.items])
        key = (type(node), *map(id, node.items))
    elif isinstance(node, Repeat):
        node = Repeat(_shared(node.item, known), node.low, node.high, node.at)
        key = (id(node.item), node.low, node.high)
    else:
        return node
    return known.setdefault(key, node)


def _whole(placement: Placement, node: Node, search: bool) -> int:
    """The node of a tree with assertions."""
    direct = _anchored(placement, node, search)
    if direct is not None:
        return direct
    try:
        alternatives = placement.alternatives(node)
        if search:
            anything = placement.anything()
            alternatives = [[anything, *items, anything] for items in alternatives]
        return placement.resolve(alternatives, "edge", "edge").node
    except Unplaced as unplaced:
        try:
            return lower_automaton(placement.builder, node, search)
        except TooManyStates:
            raise GrammarSyntaxError(
                "this assertion looks out of the loop it stands in, or too many stand beside it, to be exact",
                where=f"offset {unplaced.at}",
                hint="move it out of the loop, or shorten what it looks at",
            ) from None


def _anchored(placement: Placement, node: Node, search: bool) -> int | None:
    """The common case: assertions are only ^ at the start and $ at the end of top-level alternatives."""
    builder = placement.builder
    parts = []
    for branch in node.items if isinstance(node, Alt) else [node]:
        items = branch.items if isinstance(branch, Seq) else [branch]
        start, end = 0, len(items)
        while start < end and isinstance(item := items[start], Before) and item.edge and not item.ranges:
            start += 1
        tail: Node | None = None
        while start < end and (
            isinstance(item := items[end - 1], FinalNewline)
            or (isinstance(item, After) and item.edge and not item.ranges)
        ):
            end -= 1
            tail = item if not isinstance(tail, After) else tail
        inner = items[start:end]
        if any(map(asserts, inner)):
            return None
        nodes = [placement.plain(item) for item in inner]
        if search and not start:
            nodes.insert(0, builder.any_text())
        if search and tail is None:
            nodes.append(builder.any_text())
        elif search and isinstance(tail, FinalNewline):
            nodes.append(builder.repeat(builder.literal(b"\n"), 0, 1))
        parts.append(builder.cat(nodes) if nodes else builder.epsilon())
    return builder.alt(parts)
