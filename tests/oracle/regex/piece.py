"""Pieces of a text beside each other → joined, or narrowed at an edge to the characters that an assertion asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tests.oracle.regex import unicode
from tests.oracle.regex.ast import After, Before, FinalNewline, Look, Repeat
from tests.oracle.regex.measure import EMPTY, Measure, concatenation, union
from tests.oracle.regex.plain import Plain
from tests.oracle.regex.unicode import CharSet


class Unplaced(Exception):
    """An assertion cannot be placed; `at` says where it stands."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(slots=True)
class Piece:
    """A part of the text that a regular node describes; `Measure.low` is 0 exactly if the part may be empty."""

    node: int
    size: Measure
    anything: bool = False
    run: Repeat | None = None
    """Set if the part is a run of characters of one set."""


Item: TypeAlias = Piece | Before | After | Look | FinalNewline
Edge: TypeAlias = Literal["edge", "unknown"]


class Pieces(Plain):
    """What can be done with pieces of one pattern."""

    def anything(self) -> Piece:
        return Piece(self.builder.any_text(), Measure(0, None, unicode.ALL, unicode.ALL), anything=True)

    def repeated(self, piece: Piece, node: Repeat) -> Piece:
        size = piece.size
        high = None if node.high is None or size.high is None else size.high * node.high
        node_id = self.builder.repeat(piece.node, node.low, node.high)
        return Piece(node_id, Measure(size.low * node.low, high, size.first, size.last))

    def either(self, pieces: list[Piece]) -> Piece:
        if not pieces:
            return Piece(self.builder.empty(), EMPTY)
        if len(pieces) == 1:
            return pieces[0]
        return Piece(self.builder.alt([piece.node for piece in pieces]), union([piece.size for piece in pieces]))

    def join(self, pieces: list[Piece]) -> Piece:
        if len(pieces) == 1:
            return pieces[0]
        if not pieces:
            return Piece(self.builder.epsilon(), EMPTY)
        node = self.builder.cat([piece.node for piece in pieces])
        return Piece(node, concatenation([piece.size for piece in pieces]))

    def constrained(self, piece: Piece, language: int, negative: bool) -> Piece:
        builder = self.builder
        if negative:
            return self.checked(builder.and_([piece.node, builder.not_(language)]), piece.size)
        if piece.anything:
            return self.checked(language, piece.size)
        return self.checked(builder.and_([piece.node, language]), piece.size)

    def checked(self, node: int, size: Measure) -> Piece:
        """A piece whose lower bound says truly whether it may be empty."""
        if size.low == 0 and not self.builder.accepts(node, b""):
            size = size._replace(low=1)
        return Piece(node, size)

    def narrow(
        self, items: list[Item], ranges: CharSet, at_edge: bool, edge: Edge, at: int, *, ahead: bool
    ) -> list[list[Item]]:
        """The ways for `items`, nearest first, to have a nearest character in `ranges`, or none (`at_edge`)."""
        if not ranges:
            if not at_edge:
                return []
            if edge == "unknown":
                raise Unplaced(at)
            if any(isinstance(item, Piece) and item.size.low for item in items):
                return []
            return [[item for item in items if not isinstance(item, Piece)]]
        count = 0
        while count < len(items) and isinstance(items[count], Piece):
            count += 1
            nearest = items[count - 1]
            if isinstance(nearest, Piece) and nearest.size.low:
                break
        near = [item for item in items[:count] if isinstance(item, Piece)]
        rest = items[count:]
        solid = bool(near) and near[-1].size.low > 0
        reached = not solid and not rest
        if reached and edge == "unknown":
            raise Unplaced(at)
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
            return [[Piece(builder.alt([builder.epsilon(), node]), filled.size._replace(low=0))]]
        beyond: list[list[Item]] = []
        # The near pieces are empty, and another assertion stands before whatever decides.
        skipped = next((i for i, item in enumerate(rest) if isinstance(item, Piece)), len(rest))
        for part in self.narrow(rest[skipped:], ranges, at_edge, edge, at, ahead=ahead):
            beyond.append([*rest[:skipped], *part])
        return beyond if filled is None else [[filled, *rest], *beyond]

    def nearest(self, near: list[Piece], ranges: CharSet, *, ahead: bool) -> Piece | None:
        """Pieces, nearest first, whose nearest character is in `ranges`: it is the first piece's, or that is empty …"""
        ways = []
        for index, piece in enumerate(near):
            filled = self.filled(piece, ranges, ahead=ahead)
            if filled is not None:
                pieces = [filled, *near[index + 1 :]]
                ways.append(self.join(pieces if ahead else pieces[::-1]))
        return self.either(ways) if ways else None

    def filled(self, piece: Piece, ranges: CharSet, *, ahead: bool) -> Piece | None:
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
            return Piece(builder.cat([char, rest] if ahead else [rest, char]), size)
        anything = builder.any_text()
        wanted = builder.cat([char, anything] if ahead else [anything, char])
        return Piece(wanted if piece.anything else builder.and_([piece.node, wanted]), size)
