"""Tree × GrammarBuilder → the regular node of exactly the texts that match.

Without assertions a tree maps to nodes one to one. An assertion constrains what lies beside it: one about the next or
the previous character narrows its neighbour; a lookahead is an intersection with the rest of the text, a lookbehind one
with the text so far, and a negative one is an intersection with the complement. What cannot be placed like this (an
assertion that looks out of the loop it stands in) goes through an automaton of the whole pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Literal, TypeAlias

from frisket.errors import GrammarSyntaxError, LimitExceededError
from frisket.notations.regex import unicode
from frisket.notations.regex.ast import (
    After,
    Alt,
    Before,
    Boundary,
    Chars,
    Dialect,
    FinalNewline,
    Look,
    Node,
    Repeat,
    Seq,
    Text,
)
from frisket.notations.regex.atomic import release
from frisket.notations.regex.automaton import TooManyStates, lower_automaton
from frisket.notations.regex.measure import EMPTY, Measure, asserts, concatenation, measure, one_char, union
from frisket.notations.regex.parser import parse
from frisket.notations.regex.unicode import CharSet

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


def lower_regex(
    builder: GrammarBuilder, pattern: str, *, dialect: Dialect = "python", search: bool = False, flags: str = ""
) -> int:
    """A regular node of the texts (UTF-8) that match: as a whole, or somewhere inside if `search`.

    `flags` are letters of `imsxa`. Raises GrammarSyntaxError, with the offset, for what is not in the dialect and for
    what no regular language can say exactly.
    """
    if dialect == "ecma" and not flags:
        usual = builder.pattern(pattern, search=search)
        if usual is not None:
            return usual
    try:
        node, assertive = prepared(pattern, dialect, flags)
        if assertive:
            return _Lowering(builder).whole(node, search)
        core = _Lowering(builder).plain(node)
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
        lowering = _Lowering(builder)
        if not assertive:
            return lowering.plain(node)
        return lowering.resolve(lowering.alternatives(node), "unknown", "unknown").node
    except _Unplaced as unplaced:
        raise GrammarSyntaxError(
            "this assertion may look at the text beside it, and a terminal has only its own",
            where=f"offset {unplaced.at}",
            hint="leave it out, or say what the terminal is not with & and ~",
        ) from None
    except RecursionError:
        raise LimitExceededError("the pattern nests too deeply", hint="take some of its groups apart") from None


@lru_cache(maxsize=4096)
def prepared(pattern: str, dialect: Dialect, flags: str) -> tuple[Node, bool]:
    node = parse(pattern, dialect, flags)
    if dialect == "python" and _MAY_BE_ATOMIC.search(pattern):
        node = release(node)
    if len(pattern) > _LONG:
        node = _shared(node, {})
    return node, asserts(node)


_MAY_BE_ATOMIC = re.compile(r"[+*?}]\+|\(\?>")

# Characters from which on the same part is likely to come twice.
_LONG = 200


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


class _Unplaced(Exception):
    """An assertion cannot be placed; `at` says where it stands."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(slots=True)
class _Piece:
    """A part of the text that a regular node describes; `Measure.low` is 0 exactly if the part may be empty."""

    node: int
    size: Measure
    anything: bool = False
    run: Repeat | None = None
    """Set if the part is a run of characters of one set."""


_Item: TypeAlias = _Piece | Before | After | Look | FinalNewline
_Edge: TypeAlias = Literal["edge", "unknown"]

# An alternative each; more than this many and the automaton is the better way.
_MOST_ALTERNATIVES = 64

# Each assertion is placed in a pass over all the parts around it.
_MOST_PARTS = 500

# Lookarounds within lookarounds; each is placed once per way to place the one around it.
_DEEPEST_LOOK = 8


class _Lowering:
    def __init__(self, builder: GrammarBuilder) -> None:
        self.builder = builder
        self.known: dict[int, int] = {}
        self.expanded: dict[int, tuple[Node, list[list[_Item]] | _Unplaced]] = {}
        self.placed: dict[int, _Piece | None] = {}
        self.depth = 0

    # -- without assertions ---------------------------------------------------------------------------------------

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
            return parts[0] if len(parts) == 1 else builder.cat(parts)
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

    # -- with assertions ------------------------------------------------------------------------------------------

    def whole(self, node: Node, search: bool) -> int:
        direct = self.anchored(node, search)
        if direct is not None:
            return direct
        try:
            alternatives = self.alternatives(node)
            if search:
                anything = self.anything()
                alternatives = [[anything, *items, anything] for items in alternatives]
            return self.resolve(alternatives, "edge", "edge").node
        except _Unplaced as unplaced:
            try:
                return lower_automaton(self.builder, node, search)
            except TooManyStates:
                raise GrammarSyntaxError(
                    "this assertion looks out of the loop it stands in, or too many stand beside it, to be exact",
                    where=f"offset {unplaced.at}",
                    hint="move it out of the loop, or shorten what it looks at",
                ) from None

    def anchored(self, node: Node, search: bool) -> int | None:
        """The common case: assertions are only ^ at the start and $ at the end of top-level alternatives."""
        builder = self.builder
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
            nodes = [self.plain(item) for item in inner]
            if search and not start:
                nodes.insert(0, builder.any_text())
            if search and tail is None:
                nodes.append(builder.any_text())
            elif search and isinstance(tail, FinalNewline):
                nodes.append(builder.repeat(builder.literal(b"\n"), 0, 1))
            parts.append(nodes[0] if len(nodes) == 1 else builder.cat(nodes) if nodes else builder.epsilon())
        return parts[0] if len(parts) == 1 else builder.alt(parts)

    def anything(self) -> _Piece:
        return _Piece(self.builder.any_text(), Measure(0, None, unicode.ALL, unicode.ALL), anything=True)

    def alternatives(self, node: Node) -> list[list[_Item]]:
        """The tree as alternatives of sequences of pieces and assertions; worked out once per tree."""
        if id(node) not in self.expanded:
            outcome: list[list[_Item]] | _Unplaced
            try:
                outcome = self.expand(node)
            except _Unplaced as unplaced:
                outcome = unplaced
            # Keeping the tree keeps its id from being another's.
            self.expanded[id(node)] = node, outcome
        _, known = self.expanded[id(node)]
        if isinstance(known, _Unplaced):
            raise known
        return known

    def expand(self, node: Node) -> list[list[_Item]]:
        if not asserts(node):
            # Not `plain`: the tree may be made for the occasion, and its id be another's tomorrow.
            return [[_Piece(self.lowered(node), measure(node), run=_run(node))]]
        if isinstance(node, Seq):
            return self.sequences(node.items)
        if isinstance(node, Alt):
            branches = [items for item in node.items for items in self.alternatives(item)]
            try:
                return [[self.resolve(branches, "unknown", "unknown")]]
            except _Unplaced:
                return _bounded(branches, node)
        if isinstance(node, Repeat):
            local = self.local(node.item)
            if local is not None:
                return [[self.repeated(local, node)]]
            if node.high is None or node.high > 3:
                raise _Unplaced(_place(node.item))
            counts = range(node.low, node.high + 1)
            return _bounded([items for count in counts for items in self.sequences([node.item] * count)], node)
        if isinstance(node, Boundary):
            inside, outside = node.word, unicode.complement(node.word)
            into: list[_Item] = [Before(outside, True, node.at), After(inside, False, node.at)]
            out: list[_Item] = [Before(inside, False, node.at), After(outside, True, node.at)]
            if node.negative:
                into[0], out[0] = out[0], into[0]
            return [into, out]
        if isinstance(node, Look):
            return [[_narrow(node)]]
        assert isinstance(node, (Before, After, FinalNewline))
        return [[node]]

    def sequences(self, items: list[Node]) -> list[list[_Item]]:
        parts = [self.alternatives(part) for part in _flat(items)]
        total = 1
        for part in parts:
            total *= len(part)
        if total > _MOST_ALTERNATIVES or len(parts) > _MOST_PARTS:
            raise _Unplaced(_place(Seq(items)))
        return [[item for part in choice for item in part] for choice in product(*parts)]

    def local(self, node: Node) -> _Piece | None:
        """The piece of a tree whose assertions do not look outside it; None if one does."""
        if id(node) not in self.placed:
            try:
                self.placed[id(node)] = self.resolve(self.alternatives(node), "unknown", "unknown")
            except _Unplaced:
                self.placed[id(node)] = None
        return self.placed[id(node)]

    def repeated(self, piece: _Piece, node: Repeat) -> _Piece:
        size = piece.size
        high = None if node.high is None or size.high is None else size.high * node.high
        node_id = self.builder.repeat(piece.node, node.low, node.high)
        return _Piece(node_id, Measure(size.low * node.low, high, size.first, size.last))

    # -- placing assertions ---------------------------------------------------------------------------------------

    def resolve(self, alternatives: list[list[_Item]], left: _Edge, right: _Edge) -> _Piece:
        """One piece for all alternatives; `edge`: the text begins (ends) here; `unknown`: something may be there."""
        self.depth += 1
        if self.depth > _DEEPEST_LOOK:
            self.depth -= 1
            raise _Unplaced(0)
        try:
            return self.either(self.settled(alternatives, left, right))
        finally:
            self.depth -= 1

    def settled(self, alternatives: list[list[_Item]], left: _Edge, right: _Edge) -> list[_Piece]:
        pieces: list[_Piece] = []
        waiting = alternatives[::-1]
        while waiting:
            items = waiting.pop()
            if len(waiting) + len(pieces) > 4 * _MOST_ALTERNATIVES:
                raise _Unplaced(0)
            more = self.place_before(items, left)
            if more is None:
                more = self.place_after(items, right)
            if more is not None:
                waiting.extend(reversed(more))
                continue
            pieces.append(self.join(self.place_looks(items, left, right)))
        return pieces

    def either(self, pieces: list[_Piece]) -> _Piece:
        if not pieces:
            return _Piece(self.builder.empty(), EMPTY)
        if len(pieces) == 1:
            return pieces[0]
        return _Piece(self.builder.alt([piece.node for piece in pieces]), union([piece.size for piece in pieces]))

    def place_before(self, items: list[_Item], left: _Edge) -> list[list[_Item]] | None:
        """Settle the first assertion about the previous character; None if there is none."""
        index = next((i for i, item in enumerate(items) if isinstance(item, Before)), None)
        if index is None:
            return None
        before = items[index]
        assert isinstance(before, Before)
        head = items[:index]
        settled = self.narrow(head[::-1], before.ranges, before.edge, left, before.at, ahead=False)
        return [[*part[::-1], *items[index + 1 :]] for part in settled]

    def place_after(self, items: list[_Item], right: _Edge) -> list[list[_Item]] | None:
        """Settle the last assertion about the next character; None if there is none."""
        index = next((i for i in range(len(items) - 1, -1, -1) if isinstance(items[i], After)), None)
        if index is None:
            return None
        after = items[index]
        assert isinstance(after, After)
        settled = self.narrow(items[index + 1 :], after.ranges, after.edge, right, after.at, ahead=True)
        return [[*items[:index], *part] for part in settled]

    def narrow(
        self, items: list[_Item], ranges: CharSet, at_edge: bool, edge: _Edge, at: int, *, ahead: bool
    ) -> list[list[_Item]]:
        """The ways for `items`, nearest first, to have a nearest character in `ranges`, or none (`at_edge`)."""
        if not ranges:
            if not at_edge:
                return []
            if edge == "unknown":
                raise _Unplaced(at)
            if any(isinstance(item, _Piece) and item.size.low for item in items):
                return []
            return [[item for item in items if not isinstance(item, _Piece)]]
        count = 0
        while count < len(items) and isinstance(items[count], _Piece):
            count += 1
            nearest = items[count - 1]
            if isinstance(nearest, _Piece) and nearest.size.low:
                break
        near = [item for item in items[:count] if isinstance(item, _Piece)]
        rest = items[count:]
        solid = bool(near) and near[-1].size.low > 0
        reached = not solid and not rest
        if reached and edge == "unknown":
            raise _Unplaced(at)
        filled = self.nearest(near, ranges, ahead=ahead)
        if solid:
            return [] if filled is None else [[filled, *rest]]
        if reached:
            if filled is None:
                return [[]] if at_edge else []
            if not at_edge:
                return [[filled]]
            builder = self.builder
            node = filled.node
            return [[_Piece(builder.alt([builder.epsilon(), node]), filled.size._replace(low=0))]]
        beyond: list[list[_Item]] = []
        # The near pieces are empty, and another assertion stands before whatever decides.
        skipped = next((i for i, item in enumerate(rest) if isinstance(item, _Piece)), len(rest))
        for part in self.narrow(rest[skipped:], ranges, at_edge, edge, at, ahead=ahead):
            beyond.append([*rest[:skipped], *part])
        return beyond if filled is None else [[filled, *rest], *beyond]

    def nearest(self, near: list[_Piece], ranges: CharSet, *, ahead: bool) -> _Piece | None:
        """Pieces, nearest first, whose nearest character is in `ranges`: it is the first piece's, or that is empty …"""
        ways = []
        for index, piece in enumerate(near):
            filled = self.filled(piece, ranges, ahead=ahead)
            if filled is not None:
                pieces = [filled, *near[index + 1 :]]
                ways.append(self.join(pieces if ahead else pieces[::-1]))
        return self.either(ways) if ways else None

    def filled(self, piece: _Piece, ranges: CharSet, *, ahead: bool) -> _Piece | None:
        """The texts of a piece whose first (last) character is in `ranges`; None if there are none."""
        size = piece.size
        edge_set = size.first if ahead else size.last
        shared = unicode.intersection(edge_set, ranges)
        if not shared:
            return None
        if shared == edge_set and size.low:
            return piece
        builder = self.builder
        size = Measure(max(size.low, 1), size.high, shared if ahead else size.first, size.last if ahead else shared)
        char = builder.char_class(shared)
        if piece.run is not None:
            low, high = piece.run.low, piece.run.high
            others = self.plain(piece.run.item), max(low - 1, 0), None if high is None else high - 1
            rest = builder.repeat(*others)
            return _Piece(builder.cat([char, rest] if ahead else [rest, char]), size)
        anything = builder.any_text()
        wanted = builder.cat([char, anything] if ahead else [anything, char])
        return _Piece(wanted if piece.anything else builder.and_([piece.node, wanted]), size)

    def place_looks(self, items: list[_Item], left: _Edge, right: _Edge) -> list[_Piece]:
        """Settle lookbehinds left to right, then lookaheads right to left; only pieces are left."""
        while True:
            index = next((i for i, item in enumerate(items) if isinstance(item, Look) and not item.ahead), None)
            if index is None:
                break
            look = items[index]
            assert isinstance(look, Look)
            items = self.place_behind(items[:index], look, items[index + 1 :], left)
        while True:
            index = next((i for i in range(len(items) - 1, -1, -1) if not isinstance(items[i], _Piece)), None)
            if index is None:
                return [item for item in items if isinstance(item, _Piece)]
            assertion = items[index]
            tail = [item for item in items[index + 1 :] if isinstance(item, _Piece)]
            if isinstance(assertion, FinalNewline):
                items = [*items[:index], *self.before_final_newline(tail, right, assertion.at)]
            else:
                assert isinstance(assertion, Look)
                at_start = left == "edge" and not any(isinstance(item, _Piece) for item in items[:index])
                items = [*items[:index], *self.place_ahead(tail, assertion, right, at_start)]

    def before_final_newline(self, tail: list[_Piece], right: _Edge, at: int) -> list[_Piece]:
        if right == "unknown":
            raise _Unplaced(at)
        if not tail:
            return []
        builder = self.builder
        piece = self.join(tail)
        newline = builder.repeat(builder.literal(b"\n"), 0, 1)
        return [self.checked(newline if piece.anything else builder.and_([piece.node, newline]), piece.size)]

    def place_ahead(self, tail: list[_Piece], look: Look, right: _Edge, at_start: bool) -> list[_Piece]:
        size = measure(look.item)
        count = _enough(tail, size.high)
        if count is not None:
            body = self.local(look.item)
            if body is not None:
                wanted = self.builder.cat([body.node, self.builder.any_text()])
                return [self.constrained(self.join(tail[:count]), wanted, look.negative), *tail[count:]]
        if right == "unknown":
            raise _Unplaced(look.at)
        alternatives = [[*items, self.anything()] for items in self.alternatives(look.item)]
        language = self.resolve(alternatives, "edge" if at_start else "unknown", "edge")
        return [self.constrained(self.join(tail), language.node, look.negative)]

    def place_behind(self, head: list[_Item], look: Look, tail: list[_Item], left: _Edge) -> list[_Item]:
        size = measure(look.item)
        free = 0
        while free < len(head) and isinstance(head[-1 - free], _Piece):
            free += 1
        near = [item for item in head[len(head) - free :] if isinstance(item, _Piece)]
        count = _enough(near[::-1], size.high)
        if count is not None:
            body = self.local(look.item)
            if body is not None:
                cut = len(head) - count
                wanted = self.builder.cat([self.builder.any_text(), body.node])
                piece = self.constrained(self.join(near[len(near) - count :]), wanted, look.negative)
                return [*head[:cut], piece, *tail]
        if left == "unknown" or (
            free < len(head) and any(isinstance(item, _Piece) for item in head[: len(head) - free])
        ):
            raise _Unplaced(look.at)
        # Only assertions at the very start stand before the near pieces: they look at the whole text all the same.
        if free < len(head) and not _all_ahead_of_text(head[: len(head) - free]):
            raise _Unplaced(look.at)
        alternatives = [[self.anything(), *items] for items in self.alternatives(look.item)]
        at_end = not any(isinstance(item, _Piece) for item in tail)
        language = self.resolve(alternatives, "edge", "edge" if at_end else "unknown")
        return [*head[: len(head) - free], self.constrained(self.join(near), language.node, look.negative), *tail]

    def constrained(self, piece: _Piece, language: int, negative: bool) -> _Piece:
        builder = self.builder
        if negative:
            return self.checked(builder.and_([piece.node, builder.not_(language)]), piece.size)
        if piece.anything:
            return self.checked(language, piece.size)
        return self.checked(builder.and_([piece.node, language]), piece.size)

    def checked(self, node: int, size: Measure) -> _Piece:
        """A piece whose lower bound says truly whether it may be empty."""
        if size.low == 0 and not self.builder.accepts(node, b""):
            size = size._replace(low=1)
        return _Piece(node, size)

    def join(self, pieces: list[_Piece]) -> _Piece:
        if len(pieces) == 1:
            return pieces[0]
        if not pieces:
            return _Piece(self.builder.epsilon(), EMPTY)
        node = self.builder.cat([piece.node for piece in pieces])
        return _Piece(node, concatenation([piece.size for piece in pieces]))


def _narrow(look: Look) -> _Item:
    """A lookaround at one character, or the edge of the text, as an assertion about the neighbour."""
    ranges, edge = unicode.NONE, False
    for item in look.item.items if isinstance(look.item, Alt) else [look.item]:
        kind = After if look.ahead else Before
        chars = one_char(item)
        if chars is not None:
            ranges = unicode.union(ranges, chars)
        elif isinstance(item, (After, Before)) and isinstance(item, kind) and item.edge and not item.ranges:
            edge = True
        else:
            return look
    if look.negative:
        ranges, edge = unicode.complement(ranges), not edge
    return After(ranges, edge, look.at) if look.ahead else Before(ranges, edge, look.at)


def _flat(items: list[Node]) -> Iterator[Node]:
    """The items with groups that only hold a sequence opened, so that an assertion meets the nearest part alone."""
    for item in items:
        if isinstance(item, Seq):
            yield from _flat(item.items)
        else:
            yield item


def _run(node: Node) -> Repeat | None:
    if isinstance(node, Chars):
        return Repeat(node, 1, 1, 0)
    return node if isinstance(node, Repeat) and one_char(node.item) is not None and node.high != 0 else None


def _bounded(alternatives: list[list[_Item]], node: Node) -> list[list[_Item]]:
    if len(alternatives) > _MOST_ALTERNATIVES:
        raise _Unplaced(_place(node))
    return alternatives


def _enough(pieces: list[_Piece], width: int | None) -> int | None:
    """How many of the nearest pieces surely hold `width` characters."""
    if width is None:
        return None
    total = 0
    for count, piece in enumerate(pieces, 1):
        total += piece.size.low
        if total >= width:
            return count
    return 0 if width == 0 else None


def _all_ahead_of_text(items: list[_Item]) -> bool:
    return all(isinstance(item, (Look, FinalNewline)) for item in items)


def _place(node: Node) -> int:
    """Where the first assertion of a tree stands."""
    if isinstance(node, (Seq, Alt)):
        return next((_place(item) for item in node.items if asserts(item)), 0)
    if isinstance(node, Repeat):
        return _place(node.item)
    at = getattr(node, "at", 0)
    return at if isinstance(at, int) else 0
