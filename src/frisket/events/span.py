"""Capture × text → its span, in bytes and in tokens."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frisket.token_name import token_names

if TYPE_CHECKING:
    from frisket import _core
    from frisket.vocabulary import Vocabulary


@dataclass(frozen=True)
class Span:
    """The span of a capture; `text` decodes the bytes from `start` up to, not including, `end`.

    `first_token` and `last_token` are the indexes of the tokens with its first and last byte, or None if no tokens were
    given or the text is empty. These tokens may reach beyond the capture.
    """

    start: int
    end: int
    text: str
    first_token: int | None = None
    last_token: int | None = None


class TokenText:
    """Tokens as one text of units (bytes, and the names of special tokens), and the unit where each token begins."""

    def __init__(self, tokens: Sequence[bytes | frozenset[str]]) -> None:
        self.units: list[int | frozenset[str]] = []
        #: First unit of each token.
        self.begins: list[int] = []
        for token in tokens:
            self.begins.append(len(self.units))
            self.units += token if isinstance(token, bytes) else [token]
        #: Number of bytes before each unit.
        self.offsets = [0]
        for unit in self.units:
            self.offsets.append(self.offsets[-1] + isinstance(unit, int))

    def span(self, begin: int, end: int, *, tokens: bool) -> Span:
        """The span of the units from `begin` to `end`."""
        data = bytes(unit for unit in self.units[begin:end] if isinstance(unit, int))
        first = bisect_right(self.begins, begin) - 1 if tokens and end > begin else None
        last = bisect_left(self.begins, end) - 1 if tokens and end > begin else None
        return Span(self.offsets[begin], self.offsets[end], data.decode("utf-8", "replace"), first, last)


def token_text(token_ids: Sequence[int], vocabulary: Vocabulary | _core.Vocabulary) -> TokenText:
    """Token ids as one text, without end tokens at its end."""
    ids, eos = list(token_ids), set(vocabulary.eos)
    while ids and ids[-1] in eos:
        ids.pop()
    return TokenText([vocabulary.token(token_id) or token_names(vocabulary, token_id) for token_id in ids])
