"""A tiktoken encoding, or a file of ranks → token table.

A rank file holds the bytes themselves (base64, then the rank). Nothing is downloaded, and a file is read without the
package.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Mapping
from typing import Any, cast

from frisket.errors import VocabularyError
from frisket.vocabulary import cache
from frisket.vocabulary.table import MAX_SIZE, Eos, TokenTable


def read(
    encoding: object, *, special: Mapping[str, int] | None = None, size: int | None = None, eos: Eos = None
) -> TokenTable:
    """The table of a `tiktoken.Encoding`, or of a rank file with its special tokens (name → id)."""
    stops = eos if eos is None or isinstance(eos, (int, str)) else list(eos)
    if isinstance(encoding, (str, os.PathLike)):
        where = os.fspath(encoding)
        content = cache.read_file(encoding, expected="rank file", hint="give a .tiktoken file")
        names = dict(special or {})
        wanted = json.dumps([size, stops, names], default=repr, sort_keys=True).encode()
        return cache.fetch(
            "tiktoken",
            [wanted, content],
            lambda: TokenTable.of(parse_ranks(content, where=where), special=names, eos=stops, size=size),
        )
    if special is not None:
        raise TypeError("special is for rank files; an encoding knows its special tokens")
    if not hasattr(encoding, "decode_single_token_bytes"):
        raise VocabularyError(
            f"{type(encoding).__name__} is not a tiktoken encoding",
            hint="pass a tiktoken.Encoding or the path of a .tiktoken file",
        )
    return _of_encoding(cast("Any", encoding), size=size, eos=stops)


def parse_ranks(content: bytes, *, where: str | None = None) -> list[bytes | None]:
    """The bytes of each rank; None for ranks that the file leaves out."""
    tokens: list[bytes | None] = []
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{where}:{number}" if where else f"line {number}"
        try:
            text, digits = line.split()
            token, rank = base64.b64decode(text, validate=True), int(digits)
        except (ValueError, binascii.Error) as error:
            raise VocabularyError(
                "a line is not `base64 rank`", where=place, hint="rank files have one token per line"
            ) from error
        if rank == len(tokens):
            tokens.append(token)
            continue
        if not 0 <= rank < MAX_SIZE:
            raise VocabularyError(f"rank {rank} is not between 0 and {MAX_SIZE:,}", where=place)
        tokens.extend([None] * (rank + 1 - len(tokens)))
        if tokens[rank] is not None:
            raise VocabularyError(f"rank {rank} is there twice", where=place, hint="each rank is one token's id")
        tokens[rank] = token
    if not tokens:
        raise VocabularyError("the rank file is empty", where=where, hint="is the file complete?")
    return tokens


def _of_encoding(encoding: Any, *, size: int | None, eos: Eos) -> TokenTable:
    special = {name: int(encoding.encode_single_token(name)) for name in encoding.special_tokens_set}
    tokens: list[bytes | None] = []
    for token_id in range(encoding.max_token_value + 1):
        try:
            tokens.append(encoding.decode_single_token_bytes(token_id))
        except KeyError:
            # Ids between the last rank and the special tokens are unused.
            tokens.append(None)
    return TokenTable.of(tokens, special=special, eos=eos, size=size)
