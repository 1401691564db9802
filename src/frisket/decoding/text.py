"""Bytes of tokens → text as it becomes certain: whole characters, cut before a stop string."""

from __future__ import annotations

import codecs
from collections.abc import Sequence


class Text:
    """What has been written so far.

    >>> text = Text(stop=["\\n"])
    >>> [text.feed(piece) for piece in (b"caf\\xc3", b"\\xa9\\nand more")]
    ['caf', 'é']
    >>> text.stopped
    True

    A character whose last bytes are still to come, and an ending that may be the beginning of a stop string, are held
    back, so that nothing that was shown is ever taken back.
    """

    def __init__(self, stop: Sequence[str] = ()) -> None:
        if any(not word for word in stop):
            raise ValueError("a stop string has at least one character")
        self.stopped = False
        self._stop = tuple(stop)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._shown: list[str] = []
        self._held = ""

    def __str__(self) -> str:
        return "".join(self._shown)

    def feed(self, data: bytes) -> str:
        """Take the bytes of a token; the text that is certain now and was not before."""
        return self._show(self._decoder.decode(data), last=False)

    def flush(self) -> str:
        """Nothing more comes: the text that was held back; an unfinished character becomes U+FFFD."""
        return self._show(self._decoder.decode(b"", True), last=True)

    def _show(self, new: str, *, last: bool) -> str:
        if self.stopped:
            return ""
        text = self._held + new
        places = [place for word in self._stop if (place := text.find(word)) >= 0]
        if places:
            self.stopped = True
            certain, self._held = text[: min(places)], ""
        else:
            keep = 0 if last else self._beginning_of_a_stop(text)
            certain, self._held = text[: len(text) - keep], text[len(text) - keep :]
        self._shown.append(certain)
        return certain

    def _beginning_of_a_stop(self, text: str) -> int:
        lengths = (
            n for word in self._stop for n in range(min(len(word) - 1, len(text)), 0, -1) if text[-n:] == word[:n]
        )
        return max(lengths, default=0)
