"""Words → a tokenizer: printable ASCII and the words of a task, the longest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

import frisket

BOS, EOS = "<|bos|>", "<|eos|>"
CHARACTERS = [chr(code) for code in (0x0A, *range(0x20, 0x7F))]


class Texts:
    """The tokens of a trained model; any text of printable ASCII can be written.

    >>> texts = Texts(["answer", '": '])
    >>> texts.decode(texts.encode('"answer": 7'))
    '"answer": 7'
    >>> len(texts.encode('"answer": 7'))
    4
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.tokens = [*CHARACTERS, *dict.fromkeys(word for word in words if len(word) > 1)]
        self.bos, self.eos = len(self.tokens), len(self.tokens) + 1
        self._ids = {text: place for place, text in enumerate(self.tokens)}
        ordered = sorted(self.tokens, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, ordered)))

    def __len__(self) -> int:
        return len(self.tokens) + 2

    @cached_property
    def vocabulary(self) -> frisket.Vocabulary:
        special = {BOS: self.bos, EOS: self.eos}
        return frisket.Vocabulary.from_bytes(
            [*(text.encode() for text in self.tokens), None, None], special=special, eos=[self.eos]
        )

    def encode(self, text: str) -> list[int]:
        found = self._pattern.findall(text)
        if sum(map(len, found)) != len(text):
            raise ValueError(f"not printable ASCII: {text!r}")
        return [self._ids[part] for part in found]

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(self.tokens[one] for one in ids if one < len(self.tokens))
