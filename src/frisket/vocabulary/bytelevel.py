"""Pieces in GPT-2's alphabet, in which a character stands for a byte → bytes."""

from __future__ import annotations

from itertools import accumulate, chain

import numpy as np


def _alphabet() -> dict[str, int]:
    """Character → byte: printable bytes map to themselves, the other 68 to U+0100 and up, in order."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


ALPHABET = _alphabet()

# Byte by code point; -1 for characters outside the alphabet.
_BYTES = np.full(max(map(ord, ALPHABET)) + 2, -1, np.int16)
_BYTES[[ord(character) for character in ALPHABET]] = list(ALPHABET.values())


def spell_byte_level(pieces: list[str | None]) -> list[bytes | None]:
    """The bytes of each piece; None stays None.

    A piece with a character outside the alphabet is taken as UTF-8 text, as in the decoder of `tokenizers`.
    """
    # One character is one byte, so all pieces are translated as one text, and the bytes are cut at the same places.
    data = _bytes("".join(filter(None, pieces)))
    if data is not None:
        return _cut(data, pieces)
    return [None if piece is None else _bytes_or_text(piece) for piece in pieces]


def _bytes(piece: str) -> bytes | None:
    """The bytes of a text in the alphabet; None if a character is outside it."""
    codes = np.frombuffer(piece.encode("utf-32-le", "surrogatepass"), "<u4")
    found = _BYTES[np.minimum(codes, len(_BYTES) - 1)]
    return None if (found < 0).any() else found.astype(np.uint8).tobytes()


def _bytes_or_text(piece: str) -> bytes:
    if all(character in ALPHABET for character in piece):
        return bytes(ALPHABET[character] for character in piece)
    return piece.encode()


def _cut(data: bytes, pieces: list[str | None]) -> list[bytes | None]:
    ends = list(accumulate([len(piece) if piece else 0 for piece in pieces]))
    places = zip(pieces, chain((0,), ends), ends)  # noqa: B905
    return [None if piece is None else data[start:end] for piece, start, end in places]
