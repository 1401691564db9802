"""Template text → pieces: literal text, special tokens, and holes such as `$name`.

A family's wire format is data: its templates say where names, arguments and identifiers stand. The grammar and the
parser use the same pieces, so the parser can read whatever the grammar allows.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

from frisket.errors import ToolError

HoleName: TypeAlias = Literal["name", "arguments", "id", "ws", "key", "value", "calls", "kind"]

_HOLE = re.compile(r"\$([a-z]+)")


@dataclass(frozen=True)
class Text:
    """Literal text."""

    text: str


@dataclass(frozen=True)
class Special:
    """A special token, by its name in the vocabulary."""

    name: str


@dataclass(frozen=True)
class Hole:
    """A place for something that differs from call to call."""

    name: HoleName


Piece: TypeAlias = Text | Special | Hole


@lru_cache(maxsize=4096)
def pieces_of(template: str, special: frozenset[str] = frozenset()) -> tuple[Piece, ...]:
    """The pieces of a template; each name in `special` is a token wherever it occurs.

    >>> pieces_of("<call>$name", frozenset({"<call>"}))
    (Special(name='<call>'), Hole(name='name'))
    """
    pieces: list[Piece] = []
    for place, part in enumerate(_HOLE.split(template)):
        if place % 2:
            if part not in get_args(HoleName):
                names = ", ".join(f"${name}" for name in get_args(HoleName))
                raise ToolError(f"${part} is no hole of a template", where="template", hint=f"the holes are {names}")
            pieces.append(Hole(part))  # type: ignore[arg-type]
        else:
            pieces += literal_pieces(part, special)
    return tuple(pieces)


def literal_pieces(text: str, special: Collection[str]) -> list[Text | Special]:
    """The text and the special tokens of a marker; if two names begin at one place, the longer one is the token."""
    if not special:
        return [Text(text)] if text else []
    names = "|".join(re.escape(name) for name in sorted(special, key=lambda name: (-len(name), name)))
    parts = re.split(f"({names})", text)
    return [Special(part) if place % 2 else Text(part) for place, part in enumerate(parts) if part]


def written(pieces: Collection[Piece]) -> str:
    """The text of pieces without holes, with each special token as its name."""
    return "".join(piece.text if isinstance(piece, Text) else piece.name for piece in pieces)


def leading(pieces: tuple[Piece, ...]) -> str:
    """The text before the first hole."""
    ends = next((place for place, piece in enumerate(pieces) if isinstance(piece, Hole)), len(pieces))
    return written(pieces[:ends])


def without_prefix(pieces: tuple[Piece, ...], prefix: str) -> tuple[Piece, ...]:
    """The pieces without a text at their beginning."""
    rest = list(pieces)
    while prefix:
        piece = rest.pop(0)
        assert not isinstance(piece, Hole)
        text = piece.text if isinstance(piece, Text) else piece.name
        if len(text) > len(prefix):
            assert isinstance(piece, Text), "a special token is never cut"
            rest.insert(0, Text(text[len(prefix) :]))
        prefix = prefix[len(text) :]
    return tuple(rest)


def until_hole(pieces: tuple[Piece, ...]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """(the pieces that end a value, the pieces after them), divided at the first hole."""
    cut = next((place for place, piece in enumerate(pieces) if isinstance(piece, Hole)), len(pieces))
    return pieces[:cut], pieces[cut:]


def after_text(text: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The pieces with a text before them."""
    if pieces and isinstance(pieces[0], Text):
        return Text(text + pieces[0].text), *pieces[1:]
    return Text(text), *pieces
