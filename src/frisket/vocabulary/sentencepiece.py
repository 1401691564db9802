"""A SentencePiece model (file or processor) → token table.

The model is read directly as a protocol buffer (sentencepiece_model.proto of google/sentencepiece), without the
package. `▁` is a space, and `<0x0A>` of type BYTE is that byte. The space that `add_dummy_prefix` writes before a text
is an ordinary space of the first token here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from frisket.errors import VocabularyError
from frisket.vocabulary import cache
from frisket.vocabulary.table import Eos, TokenTable, unknown_bytes

_BYTE_PIECE = re.compile("<0x[0-9A-Fa-f]{2}>")
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = range(1, 7)


def read(model: object, *, size: int | None = None, eos: Eos = None) -> TokenTable:
    """The table of a `.model` file or of a `sentencepiece.SentencePieceProcessor`."""
    stops = eos if eos is None or isinstance(eos, (int, str)) else list(eos)
    where: str | None = None
    if isinstance(model, (str, os.PathLike)):
        where = os.fspath(model)
        content = cache.read_file(model, expected="SentencePiece model", hint="give a .model file")
    elif hasattr(model, "serialized_model_proto"):
        content = bytes(model.serialized_model_proto())
    else:
        raise VocabularyError(
            f"{type(model).__name__} is not a SentencePiece model",
            hint="pass the path of a .model file or a sentencepiece.SentencePieceProcessor",
        )
    wanted = json.dumps([size, stops], default=repr).encode()
    return cache.fetch("sentencepiece", [wanted, content], lambda: build(content, size=size, eos=stops, where=where))


def build(content: bytes, *, size: int | None = None, eos: Eos = None, where: str | None = None) -> TokenTable:
    """The table of a serialised model."""
    pieces: list[tuple[str, int]] = []
    # Defaults in the definition of the protocol buffer.
    eos_id, dummy_prefix, escape_spaces = 2, True, True
    try:
        for field, value in _fields(content):
            if field == 1 and isinstance(value, bytes):
                pieces.append(_piece(value))
            elif field == 2 and isinstance(value, bytes):
                eos_id = _signed(dict(_fields(value)).get(42, eos_id))
            elif field == 3 and isinstance(value, bytes):
                normalizer = dict(_fields(value))
                dummy_prefix = bool(normalizer.get(3, True))
                escape_spaces = bool(normalizer.get(5, True))
    except (ValueError, IndexError) as error:
        raise VocabularyError(
            f"this is not a SentencePiece model: {error}", where=where, hint="is the file complete?"
        ) from error
    if not pieces:
        raise VocabularyError("this is not a SentencePiece model: it has no pieces", where=where)
    tokens: list[bytes | None] = []
    special: dict[str, int] = {}
    broken: list[tuple[str, int]] = []
    for token_id, (piece, kind) in enumerate(pieces):
        text: bytes | None = None
        if kind == _BYTE:
            text = fallback_byte(piece)
            if text is None:
                broken.append((piece, token_id))
        elif kind in (_NORMAL, _USER_DEFINED):
            text = (piece.replace("▁", " ") if escape_spaces else piece).encode()
        elif kind in (_CONTROL, _UNKNOWN):
            special.setdefault(piece, token_id)
        tokens.append(text)
    if broken:
        raise unknown_bytes(
            broken, "byte tokens do not name a byte", where=where, hint="a byte token is written <0x00> to <0xFF>"
        )
    if eos is None and 0 <= eos_id < len(pieces) and pieces[eos_id][1] == _CONTROL:
        eos = eos_id
    names = {piece: token_id for token_id, (piece, _kind) in enumerate(pieces)}
    return TokenTable.of(tokens, special=special, eos=eos, size=size, names=names, prepends_space=dummy_prefix)


def fallback_byte(piece: str) -> bytes | None:
    """The byte that a piece such as `<0x0A>` stands for, None for other pieces."""
    return bytes.fromhex(piece[3:5]) if _BYTE_PIECE.fullmatch(piece) else None


def _piece(message: bytes) -> tuple[str, int]:
    text, kind = "", _NORMAL
    for field, value in _fields(message):
        if field == 1 and isinstance(value, bytes):
            text = value.decode()
        elif field == 3 and isinstance(value, int):
            kind = value
    return text, kind


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a protocol buffer as (number, value): integers for varints, bytes for fields with a length."""
    at, end = 0, len(message)
    while at < end:
        tag, at = _varint(message, at)
        wire = tag & 7
        if wire == 0:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        if wire == 2:
            length, at = _varint(message, at)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise ValueError(f"wire type {wire} at byte {at}")
        if at + length > end:
            raise ValueError(f"the file ends inside a field at byte {at}")
        yield tag >> 3, message[at : at + length]
        at += length


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError(f"a number is too long at byte {at}")


def _signed(value: int | bytes) -> int:
    """A 32-bit number as protocol buffers write it: negative ones in 64-bit two's complement."""
    if isinstance(value, bytes):
        raise ValueError("a number was expected")
    return value - (1 << 64) if value >= 1 << 63 else value
