"""Assertions among pieces of a text → pieces that say what the assertions ask for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from tests.oracle.regex import unicode
from tests.oracle.regex.ast import After, Alt, Before, Boundary, Chars, FinalNewline, Look, Node, Repeat, Seq
from tests.oracle.regex.measure import asserts, measure, one_char
from tests.oracle.regex.piece import Edge, Item, Piece, Pieces, Unplaced

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

# An alternative each; more than this many and the automaton is the better way.
_MOST_ALTERNATIVES = 64

# Each assertion is placed in a pass over all the parts around it.
_MOST_PARTS = 500

# Lookarounds within lookarounds; each is placed once per way to place the one around it.
_DEEPEST_LOOK = 8


class Placement(Pieces):
    """Places the assertions of one pattern, or raises Unplaced."""

    def __init__(self, builder: GrammarBuilder) -> None:
        super().__init__(builder)
        self.expanded: dict[int, tuple[Node, list[list[Item]] | Unplaced]] = {}
        self.placed: dict[int, Piece | None] = {}
        self.depth = 0

    # -- tree → alternatives --------------------------------------------------------------------------------------

    def alternatives(self, node: Node) -> list[list[Item]]:
        """The tree as alternatives of sequences of pieces and assertions; worked out once per tree."""
        if id(node) not in self.expanded:
            outcome: list[list[Item]] | Unplaced
            try:
                outcome = self.expand(node)
            except Unplaced as unplaced:
                outcome = unplaced
            # Keeping the tree keeps its id from being another's.
            self.expanded[id(node)] = node, outcome
        _, known = self.expanded[id(node)]
        if isinstance(known, Unplaced):
            raise known
        return known

    def expand(self, node: Node) -> list[list[Item]]:
        if not asserts(node):
            # Not `plain`: the tree may be made for the occasion, and its id be another's tomorrow.
            return [[Piece(self.lowered(node), measure(node), run=_run(node))]]
        if isinstance(node, Seq):
            return self.sequences(node.items)
        if isinstance(node, Alt):
            branches = [items for item in node.items for items in self.alternatives(item)]
            try:
                return [[self.resolve(branches, "unknown", "unknown")]]
            except Unplaced:
                return _bounded(branches, node)
        if isinstance(node, Repeat):
            local = self.local(node.item)
            if local is not None:
                return [[self.repeated(local, node)]]
            if node.high is None or node.high > 3:
                raise Unplaced(_place(node.item))
            counts = range(node.low, node.high + 1)
            return _bounded([items for count in counts for items in self.sequences([node.item] * count)], node)
        if isinstance(node, Boundary):
            inside, outside = node.word, unicode.complement(node.word)
            into: list[Item] = [Before(outside, True, node.at), After(inside, False, node.at)]
            out: list[Item] = [Before(inside, False, node.at), After(outside, True, node.at)]
            if node.negative:
                into[0], out[0] = out[0], into[0]
            return [into, out]
        if isinstance(node, Look):
            return [[_narrow(node)]]
        assert isinstance(node, (Before, After, FinalNewline))
        return [[node]]

    def sequences(self, items: list[Node]) -> list[list[Item]]:
        parts = [self.alternatives(part) for part in _flat(items)]
        total = 1
        for part in parts:
            total *= len(part)
        if total > _MOST_ALTERNATIVES or len(parts) > _MOST_PARTS:
            raise Unplaced(_place(Seq(items)))
        return [[item for part in choice for item in part] for choice in product(*parts)]

    def local(self, node: Node) -> Piece | None:
        """The piece of a tree whose assertions do not look outside it; None if one does."""
        if id(node) not in self.placed:
            try:
                self.placed[id(node)] = self.resolve(self.alternatives(node), "unknown", "unknown")
            except Unplaced:
                self.placed[id(node)] = None
        return self.placed[id(node)]

    # -- alternatives → one piece ---------------------------------------------------------------------------------

    def resolve(self, alternatives: list[list[Item]], left: Edge, right: Edge) -> Piece:
        """One piece for all alternatives; `edge`: the text begins (ends) here; `unknown`: something may be there."""
        self.depth += 1
        if self.depth > _DEEPEST_LOOK:
            self.depth -= 1
            raise Unplaced(0)
        try:
            return self.either(self.settled(alternatives, left, right))
        finally:
            self.depth -= 1

    def settled(self, alternatives: list[list[Item]], left: Edge, right: Edge) -> list[Piece]:
        pieces: list[Piece] = []
        waiting = alternatives[::-1]
        while waiting:
            items = waiting.pop()
            if len(waiting) + len(pieces) > 4 * _MOST_ALTERNATIVES:
                raise Unplaced(0)
            more = self.place_before(items, left)
            if more is None:
                more = self.place_after(items, right)
            if more is not None:
                waiting.extend(reversed(more))
                continue
            pieces.append(self.join(self.place_looks(items, left, right)))
        return pieces

    def place_before(self, items: list[Item], left: Edge) -> list[list[Item]] | None:
        """Settle the first assertion about the previous character; None if there is none."""
        index = next((i for i, item in enumerate(items) if isinstance(item, Before)), None)
        if index is None:
            return None
        before = items[index]
        assert isinstance(before, Before)
        head = items[:index]
        settled = self.narrow(head[::-1], before.ranges, before.edge, left, before.at, ahead=False)
        return [[*part[::-1], *items[index + 1 :]] for part in settled]

    def place_after(self, items: list[Item], right: Edge) -> list[list[Item]] | None:
        """Settle the last assertion about the next character; None if there is none."""
        index = next((i for i in range(len(items) - 1, -1, -1) if isinstance(items[i], After)), None)
        if index is None:
            return None
        after = items[index]
        assert isinstance(after, After)
        settled = self.narrow(items[index + 1 :], after.ranges, after.edge, right, after.at, ahead=True)
        return [[*items[:index], *part] for part in settled]

    def place_looks(self, items: list[Item], left: Edge, right: Edge) -> list[Piece]:
        """Settle lookbehinds left to right, then lookaheads right to left; only pieces are left."""
        while True:
            index = next((i for i, item in enumerate(items) if isinstance(item, Look) and not item.ahead), None)
            if index is None:
                break
            look = items[index]
            assert isinstance(look, Look)
            items = self.place_behind(items[:index], look, items[index + 1 :], left)
        while True:
            index = next((i for i in range(len(items) - 1, -1, -1) if not isinstance(items[i], Piece)), None)
            if index is None:
                return [item for item in items if isinstance(item, Piece)]
            assertion = items[index]
            tail = [item for item in items[index + 1 :] if isinstance(item, Piece)]
            if isinstance(assertion, FinalNewline):
                items = [*items[:index], *self.before_final_newline(tail, right, assertion.at)]
            else:
                assert isinstance(assertion, Look)
                at_start = left == "edge" and not any(isinstance(item, Piece) for item in items[:index])
                items = [*items[:index], *self.place_ahead(tail, assertion, right, at_start)]

    def before_final_newline(self, tail: list[Piece], right: Edge, at: int) -> list[Piece]:
        if right == "unknown":
            raise Unplaced(at)
        if not tail:
            return []
        builder = self.builder
        piece = self.join(tail)
        newline = builder.repeat(builder.literal(b"\n"), 0, 1)
        return [self.checked(newline if piece.anything else builder.and_([piece.node, newline]), piece.size)]

    def place_ahead(self, tail: list[Piece], look: Look, right: Edge, at_start: bool) -> list[Piece]:
        size = measure(look.item)
        count = _enough(tail, size.high)
        if count is not None:
            body = self.local(look.item)
            if body is not None:
                wanted = self.builder.cat([body.node, self.builder.any_text()])
                return [self.constrained(self.join(tail[:count]), wanted, look.negative), *tail[count:]]
        if right == "unknown":
            raise Unplaced(look.at)
        alternatives = [[*items, self.anything()] for items in self.alternatives(look.item)]
        language = self.resolve(alternatives, "edge" if at_start else "unknown", "edge")
        return [self.constrained(self.join(tail), language.node, look.negative)]

    def place_behind(self, head: list[Item], look: Look, tail: list[Item], left: Edge) -> list[Item]:
        size = measure(look.item)
        free = 0
        while free < len(head) and isinstance(head[-1 - free], Piece):
            free += 1
        near = [item for item in head[len(head) - free :] if isinstance(item, Piece)]
        count = _enough(near[::-1], size.high)
        if count is not None:
            body = self.local(look.item)
            if body is not None:
                cut = len(head) - count
                wanted = self.builder.cat([self.builder.any_text(), body.node])
                piece = self.constrained(self.join(near[len(near) - count :]), wanted, look.negative)
                return [*head[:cut], piece, *tail]
        if left == "unknown" or (
            free < len(head) and any(isinstance(item, Piece) for item in head[: len(head) - free])
        ):
            raise Unplaced(look.at)
        # Only assertions at the very start stand before the near pieces: they look at the whole text all the same.
        if free < len(head) and not _all_ahead_of_text(head[: len(head) - free]):
            raise Unplaced(look.at)
        alternatives = [[self.anything(), *items] for items in self.alternatives(look.item)]
        at_end = not any(isinstance(item, Piece) for item in tail)
        language = self.resolve(alternatives, "edge", "edge" if at_end else "unknown")
        return [*head[: len(head) - free], self.constrained(self.join(near), language.node, look.negative), *tail]


def _narrow(look: Look) -> Item:
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


def _bounded(alternatives: list[list[Item]], node: Node) -> list[list[Item]]:
    if len(alternatives) > _MOST_ALTERNATIVES:
        raise Unplaced(_place(node))
    return alternatives


def _enough(pieces: list[Piece], width: int | None) -> int | None:
    """How many of the nearest pieces surely hold `width` characters."""
    if width is None:
        return None
    total = 0
    for count, piece in enumerate(pieces, 1):
        total += piece.size.low
        if total >= width:
            return count
    return 0 if width == 0 else None


def _all_ahead_of_text(items: list[Item]) -> bool:
    return all(isinstance(item, (Look, FinalNewline)) for item in items)


def _place(node: Node) -> int:
    """Where the first assertion of a tree stands."""
    if isinstance(node, (Seq, Alt)):
        return next((_place(item) for item in node.items if asserts(item)), 0)
    if isinstance(node, Repeat):
        return _place(node.item)
    at = getattr(node, "at", 0)
    return at if isinstance(at, int) else 0
