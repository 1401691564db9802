"""Pieces of a template → node, and text → the place where the pieces end.

Both directions are in one file, since they must agree on what a hole may hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from frisket.notations.combination.outline import named
from frisket.tools.template import Hole, Piece, Special, Text

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

#: Most blanks and line breaks that `$ws` matches.
WIDEST = 8


def lower(
    builder: GrammarBuilder, pieces: Iterable[Piece], values: Mapping[str, int | Callable[[], int]] | None = None
) -> int:
    """The node of the pieces, with the nodes of their holes."""
    return builder.seq([_lower(builder, piece, values or {}) for piece in pieces])


def _lower(builder: GrammarBuilder, piece: Piece, values: Mapping[str, int | Callable[[], int]]) -> int:
    if isinstance(piece, Text):
        return builder.literal(piece.text.encode())
    if isinstance(piece, Special):
        return builder.special(piece.name)
    if piece.name == "ws":
        return builder.repeat(builder.words([b" ", b"\n"]), 0, WIDEST)
    value = values[piece.name]
    return value() if callable(value) else value


def skip(text: str, place: int, pieces: Iterable[Piece], values: Mapping[str, str] | None = None) -> int | None:
    """The end of the pieces at a place of a text; None if the text does not match them."""
    for piece in pieces:
        if piece == Hole("ws"):
            while text[place : place + 1] in (" ", "\n") and place < len(text):
                place += 1
            continue
        if isinstance(piece, Hole):
            assert values is not None
            said = values[piece.name]
        else:
            said = piece.text if isinstance(piece, Text) else piece.name
        if not text.startswith(said, place):
            return None
        place += len(said)
    return place


def delimited(
    builder: GrammarBuilder,
    name: str,
    text: int,
    forbidden: Sequence[str],
    end: Iterable[Piece],
    *,
    max_chars: int | None = None,
) -> int:
    """A named text and its end pieces; the text contains neither the end nor forbidden strings.

    `text` is a regular node. Without end pieces, nothing limits the text.
    """
    pieces = list(end)
    if max_chars is not None:
        text = builder.bounded(text, 0, max_chars)
    marker = ""
    if pieces and isinstance(pieces[0], Text):
        marker = pieces.pop(0).text  # type: ignore[union-attr]
    text = builder.bounded_text(text, marker, forbidden)
    text = named(builder, name, text, ends=(marker,) if marker else ())
    return builder.seq([text, lower(builder, pieces)]) if pieces else text
