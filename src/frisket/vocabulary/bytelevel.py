"""Pieces written in GPT-2's alphabet of bytes → bytes."""

from __future__ import annotations


def _alphabet() -> dict[str, int]:
    """Character → byte: printable bytes are themselves, the other 68 are the characters from U+0100 on, in order."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


ALPHABET = _alphabet()
_TO_LATIN_1 = {ord(character): byte for character, byte in ALPHABET.items()}
_CHARACTERS = frozenset(ALPHABET)


def spell_byte_level(pieces: list[str | None]) -> list[bytes | None]:
    """The bytes of each piece; None stays None.

    A piece with a character outside the alphabet is its own text in UTF-8: so says the decoder of `tokenizers`.
    """
    text = "".join(piece for piece in pieces if piece)
    if _CHARACTERS.issuperset(text):
        # One character is one byte, so the whole vocabulary is translated at once and cut at the same places.
        return _cut(text.translate(_TO_LATIN_1).encode("latin-1"), pieces)
    spelt: list[bytes | None] = []
    for piece in pieces:
        if piece is None:
            spelt.append(None)
        elif _CHARACTERS.issuperset(piece):
            spelt.append(piece.translate(_TO_LATIN_1).encode("latin-1"))
        else:
            spelt.append(piece.encode())
    return spelt


def _cut(data: bytes, pieces: list[str | None]) -> list[bytes | None]:
    cuts: list[bytes | None] = []
    start = 0
    for piece in pieces:
        if piece is None:
            cuts.append(None)
        else:
            end = start + len(piece)
            cuts.append(data[start:end])
            start = end
    return cuts
