"""Text of a grammar × a place in it → line, column and the line with a caret."""

from __future__ import annotations

import re
import unicodedata
from typing import NoReturn

from frisket.errors import GrammarSyntaxError

#: Most characters that an excerpt shows on either side of its place.
_SHOWN = 60

_SURROGATE = re.compile("[\ud800-\udfff]")
_NEWLINE = re.compile(r"\r\n|\r|\n")


class Source:
    """A grammar's text, whose places errors show."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a grammar is a str, got {type(text).__name__}")
        self.text = text
        for match in _SURROGATE.finditer(text):
            self.fail("a lone surrogate has no UTF-8 form", match.start(), "leave it out")

    def fail(self, message: str, at: int, hint: str | None = None) -> NoReturn:
        """Raise an error that shows a place."""
        raise GrammarSyntaxError(message, where=self.where(at), excerpt=self.excerpt(at), hint=hint)

    def where(self, at: int) -> str:
        """line:column, both counted from 1."""
        line, begin, _ = self._line(at)
        return f"{line}:{at - begin + 1}"

    def excerpt(self, at: int) -> str:
        """The line around the place, and a caret below it."""
        _, begin, end = self._line(at)
        left, right = max(begin, at - _SHOWN), min(end, at + _SHOWN)
        before = "…" * (left > begin) + self.text[left:at]
        after = self.text[at:right] + "…" * (right < end)
        return f"  {before}{after}\n  {''.join(map(_blank, before))}^"

    def _line(self, at: int) -> tuple[int, int, int]:
        """(number of the line with the place, offset of its begin, offset of its end)."""
        number, begin = 1, 0
        for newline in _NEWLINE.finditer(self.text):
            if newline.end() > at:
                return number, begin, newline.start()
            number, begin = number + 1, newline.end()
        return number, begin, len(self.text)


def _blank(char: str) -> str:
    """White space as wide as the character on a terminal."""
    if char == "\t":
        return char
    if unicodedata.combining(char):
        return ""
    return "  " if unicodedata.east_asian_width(char) in "WF" else " "
