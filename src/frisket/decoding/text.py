"""Bytes of tokens → the text that is certain: whole characters, cut before a stop string."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Sequence


class Text:
    """The text that has been written so far.

    >>> text = Text(stop=["\\n"])
    >>> [text.feed(piece) for piece in (b"caf\\xc3", b"\\xa9\\nand more")]
    ['caf', 'é']
    >>> text.stopped
    True

    An incomplete character, and an ending that may begin a stop string, are held back, so that no shown text is ever
    taken back. The stop string that ends first counts; if several end at one character, the longest.
    """

    def __init__(self, stop: Sequence[str] = ()) -> None:
        if any(not word for word in stop):
            raise ValueError("a stop string has at least one character")
        self.stopped = False
        self._stops = Stops(stop)
        self._state = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._shown: list[str] = []
        self._held = ""

    def __str__(self) -> str:
        return "".join(self._shown)

    def feed(self, data: bytes) -> str:
        """Take the bytes of a token; the text that has become certain."""
        return self._show(self._decoder.decode(data), last=False)

    def flush(self) -> str:
        """The text that was held back, since nothing more comes; an incomplete character becomes U+FFFD."""
        return self._show(self._decoder.decode(b"", True), last=True)

    def _show(self, new: str, *, last: bool) -> str:
        if self.stopped:
            return ""
        text, place = self._held + new, len(self._held)
        for character in new:
            place += 1
            self._state = self._stops.advance(self._state, character)
            if length := self._stops.ends[self._state]:
                self.stopped = True
                text, self._state = text[: place - length], 0
                break
        keep = 0 if last or self.stopped else self._stops.depths[self._state]
        certain, self._held = text[: len(text) - keep], text[len(text) - keep :]
        self._shown.append(certain)
        return certain


class Stops:
    """An automaton of stop strings (Aho, Corasick, *Efficient string matching*, 1975).

    State 0 is the start. Every other state is an ending of the text that begins some stop string; the longest counts.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._fail = [0]
        self.depths = [0]
        """By state: the length of the ending that it stands for."""
        self.ends = [0]
        """By state: the length of the longest stop string that ends there; 0 if none does."""
        for word in words:
            state = 0
            for depth, character in enumerate(word, 1):
                state = self._next[state].setdefault(character, len(self._next))
                if state == len(self._next):
                    self._next.append({})
                    self._fail.append(0)
                    self.depths.append(depth)
                    self.ends.append(0)
            self.ends[state] = len(word)
        agenda = deque(self._next[0].values())
        while agenda:
            state = agenda.popleft()
            self.ends[state] = self.ends[state] or self.ends[self._fail[state]]
            for character, after in self._next[state].items():
                self._fail[after] = self.advance(self._fail[state], character)
                agenda.append(after)

    def advance(self, state: int, character: str) -> int:
        """The state after one more character."""
        while character not in self._next[state]:
            if not state:
                return 0
            state = self._fail[state]
        return self._next[state][character]
