"""Vocabulary × token id → the token as a page shows it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from frisket import Vocabulary
from frisket.extension import token_name


def described(vocabulary: Vocabulary, token: int) -> dict[str, Any]:
    """The token's id, text and `kind`: `text`, `bytes` (no whole characters, shown as escapes), `special` or `end`."""
    data = vocabulary.token(token) if token < vocabulary.size else None
    if data is None:
        kind = "end" if token in vocabulary.eos else "special"
        return {"id": token, "text": token_name(vocabulary, token) or f"<{token}>", "kind": kind}
    try:
        return {"id": token, "text": data.decode(), "kind": "text"}
    except UnicodeDecodeError:
        return {"id": token, "text": data.decode("utf-8", "backslashreplace"), "kind": "bytes"}


def spelling(vocabulary: Vocabulary, text: str) -> int | None:
    """The token that writes exactly this text; None if there is none."""
    data = text.encode("utf-8", "surrogatepass")
    return next((token for token in range(vocabulary.size) if vocabulary.token(token) == data), None)


@lru_cache(maxsize=4)
def texts(vocabulary: Vocabulary) -> list[str]:
    """The text of every token, for a search."""
    return [described(vocabulary, token)["text"] for token in range(vocabulary.size)]
