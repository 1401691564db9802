"""Pieces written in GPT-2's alphabet of bytes → bytes."""

from __future__ import annotations

from itertools import accumulate


def _alphabet() -> dict[str, int]:
    """Character → byte: printable bytes are themselves, the other 68 are the characters from U+0100 on, in order."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


ALPHABET = _alphabet()

# To Latin-1, whose code points are the bytes. Latin-1 characters that are not in the alphabet become one that cannot be
# encoded, and so do not pass for bytes; all others outside it cannot be encoded as they are.
_TO_LATIN_1 = {code: 0xFFFF for code in range(0x100)} | {ord(character): byte for character, byte in ALPHABET.items()}


def spell_byte_level(pieces: list[str | None]) -> list[bytes | None]:
    """The bytes of each piece; None stays None.

    A piece with a character outside the alphabet is its own text in UTF-8: so says the decoder of `tokenizers`.
    """
    try:
        # One character is one byte, so the whole vocabulary is translated at once and cut at the same places.
        return _cut(_bytes("".join(filter(None, pieces))), pieces)
    except UnicodeEncodeError:
        return [None if piece is None else _bytes_or_text(piece) for piece in pieces]


def _bytes(piece: str) -> bytes:
    return piece.translate(_TO_LATIN_1).encode("latin-1")


def _bytes_or_text(piece: str) -> bytes:
    try:
        return _bytes(piece)
    except UnicodeEncodeError:
        return piece.encode()


def _cut(data: bytes, pieces: list[str | None]) -> list[bytes | None]:
    ends = accumulate([len(piece or "") for piece in pieces])
    return [None if piece is None else data[end - len(piece) : end] for piece, end in zip(pieces, ends, strict=True)]
