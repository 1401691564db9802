"""Text of a grammar × a place in it → line, column and the line with a caret; and a cursor that reads the text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NoReturn, Protocol

from frisket.errors import GrammarSyntaxError
from frisket.json_fault import BOM, BOM_HINT
from frisket.notations.regex import unicode
from frisket.notations.regex.unicode import CharSet

#: Limit steps per character that a parser in Python reads, which takes about 4 µs.
STEPS_PER_CHARACTER = 100
#: Most characters that an excerpt shows on either side of its place.
_SHOWN = 60

#: Largest count: the engine's counts have 32 bits.
_LARGEST = 2**32 - 1

_SURROGATE = re.compile("[\ud800-\udfff]")
_NEWLINE = re.compile(r"\r\n|\r|\n")


class Check(Protocol):
    """Spends steps and bytes of the limits; LimitExceededError beyond them."""

    def __call__(self, steps: int, memory_bytes: int = 0, /) -> None: ...


def _no_limit(steps: int, memory_bytes: int = 0, /) -> None:
    """The check without limits."""


class Source:
    """A grammar's text, read from left to right; `at` is the offset of the next character.

    `check` spends the steps and bytes of constructs that grow beyond their text, and raises if a limit is reached.
    """

    def __init__(self, text: str, check: Check = _no_limit) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a grammar is a str, got {type(text).__name__}")
        self.text = text
        self.end = len(text)
        self.at = 0
        self.check = check
        if text.startswith(BOM):
            self.fail("the grammar begins with a byte order mark", 0, BOM_HINT)
        for match in _SURROGATE.finditer(text):
            self.fail("a lone surrogate has no UTF-8 form", match.start(), "leave it out")

    def fail(self, message: str, at: int | None = None, hint: str | None = None) -> NoReturn:
        """Raise an error that shows a place, by default that of the cursor."""
        at = self.at if at is None else at
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
        return number, begin, self.end

    # -- the cursor -----------------------------------------------------------------------------------------------

    def peek(self) -> str:
        """The next character; empty at the end."""
        return self.text[self.at : self.at + 1]

    def take(self, text: str) -> bool:
        """Read the text if it comes next; return whether it did."""
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Read and return the text that the pattern matches here; None if it does not match."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def expect(self, text: str, why: str, hint: str | None = None) -> None:
        """Read the text; an error if something else comes next."""
        if not self.take(text):
            self.fail(f"expected {text} {why}, found {self.found()}", hint=hint)

    def found(self, at: int | None = None) -> str:
        """The character at a place, in words for an error."""
        at = self.at if at is None else at
        if at >= self.end:
            return "the end of the grammar"
        char = self.text[at]
        return "the end of the line" if char in "\r\n" else repr(char)

    def count(self, digits: str, at: int) -> int:
        """The number that the digits at a place stand for."""
        digits = digits.lstrip("0") or "0"
        if len(digits) > 10 or int(digits) > _LARGEST:
            self.fail(
                "the number of repetitions is too large", at, f"at most {_LARGEST:,} are possible; `*` has no limit"
            )
        return int(digits)

    def code_point(self, digits: str, base: int, at: int) -> int:
        """The code point that the digits at a place stand for."""
        digits = digits.lstrip("0") or "0"
        value = int(digits, base) if len(digits) <= 32 else 0x110000
        if value > 0x10FFFF:
            self.fail("there is no such character", at, "the last code point of Unicode is U+10FFFF")
        return value

    def ranges(self, code_point: Callable[[], int], *, close: str, hyphen: str, empty: str) -> CharSet:
        """The characters of a class `[a-z]` or `[^a-z]`, read from its bracket on. `code_point` reads one character.
        The others are hints: how to write the closing bracket, a hyphen, and a class without characters."""
        begin = self.at
        self.at += 1
        inverse = self.take("^")
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            at = self.at
            if at == self.end:
                self.fail("the class is not closed", begin, close)
            low = high = code_point()
            if self.peek() == "-" and not self.text.startswith("-]", self.at):
                self.at += 1
                if self.at == self.end:
                    continue
                high = code_point()
                if high < low:
                    self.fail(f"the range {self.text[at : self.at]} is in reverse order", at, hyphen)
            ranges.append((low, high))
        if not ranges:
            self.fail("the class is empty", begin, empty)
        found = unicode.complement(unicode.normalize(ranges)) if inverse else unicode.normalize(ranges)
        if all(low >= 0xD800 and high <= 0xDFFF for low, high in found):
            self.fail("no character is in the class", begin, "surrogates are no characters")
        return found

    def character(self, value: int, at: int) -> str:
        """The character of a code point that is written at a place."""
        if 0xD800 <= value <= 0xDFFF:
            self.fail(
                f"U+{value:04X} is half of a surrogate pair, and no character", at, "write the whole character's number"
            )
        return chr(value)


def _blank(char: str) -> str:
    """White space as wide as the character on a terminal."""
    if char == "\t":
        return char
    if unicodedata.combining(char):
        return ""
    return "  " if unicodedata.east_asian_width(char) in "WF" else " "
