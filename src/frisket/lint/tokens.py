"""Vocabulary × text → its longest first token, and the fewest tokens that spell it.

A vocabulary has no merges, so it does not tell how a tokenizer would spell a text. Most tokenizers begin with the
longest token, and none uses fewer than the fewest tokens.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from frisket import Vocabulary

_KNOWN: WeakKeyDictionary[Vocabulary, Tokens] = WeakKeyDictionary()


def tokens_of(vocabulary: Vocabulary) -> Tokens:
    """The tokens of a vocabulary; the same object while the vocabulary is in use."""
    found = _KNOWN.get(vocabulary)
    if found is None:
        found = _KNOWN[vocabulary] = Tokens(vocabulary)
    return found


class Tokens:
    """The texts of a vocabulary's tokens.

    >>> from frisket import Vocabulary
    >>> tokens = Tokens(Vocabulary.from_bytes([b"a", b"b", b"ab", b"bc", b"c", None], eos=5))
    >>> tokens.first(b"abc"), tokens.fewest(b"abc"), tokens.fewest(b"x")
    (b'ab', 2, None)
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.texts = {text for token in range(vocabulary.size) if (text := vocabulary.token(token))}
        self.longest = max(map(len, self.texts), default=0)

    def first(self, text: bytes) -> bytes | None:
        """The longest token that the text begins with, None if none does."""
        lengths = range(min(self.longest, len(text)), 0, -1)
        return next((text[:length] for length in lengths if text[:length] in self.texts), None)

    def fewest(self, text: bytes) -> int | None:
        """The fewest tokens that spell the text, None if none do."""
        counts: list[int | None] = [0] + [None] * len(text)
        for start, count in enumerate(counts):
            if count is None:
                continue
            for end in range(start + 1, min(start + self.longest, len(text)) + 1):
                best = counts[end]
                if (best is None or best > count + 1) and text[start:end] in self.texts:
                    counts[end] = count + 1
        return counts[-1]


def spelled(value: str) -> bytes:
    """A text as JSON spells it, behind the opening quote."""
    return json.dumps(value, ensure_ascii=False)[1:].encode("utf-8", "surrogatepass")
