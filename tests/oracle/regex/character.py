"""Pattern and offset → characters and sets of characters: escapes, properties, classes in brackets.

Both dialects read them here. The structure around them, and what a group means, is `parser`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NoReturn

from frisket.errors import GrammarSyntaxError
from tests.oracle.regex import unicode
from tests.oracle.regex.ast import Chars, Dialect, Node
from tests.oracle.regex.rust import rust_class
from tests.oracle.regex.unicode import CharSet

#: Python's escapes by octal numbers.
_OCTAL = re.compile("[0-7]{1,3}")
_CONTROLS = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11}


class CharReader:
    """Reads the characters of a pattern, one by one or as sets, under the flags that hold where it stands."""

    def __init__(self, pattern: str, dialect: Dialect, flags: str, strict: bool) -> None:
        self.pattern = pattern
        self.ecma = dialect == "ecma"
        self.strict = strict
        self.at = 0
        self.end = len(pattern)
        self.flags = frozenset(flags)

    def fail(self, message: str, at: int, hint: str | None = None) -> NoReturn:
        raise GrammarSyntaxError(f"{message} in {shortened(self.pattern)}", where=f"offset {at}", hint=hint)

    def peek(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def take(self, text: str) -> bool:
        if self.pattern.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def folded(self, ranges: CharSet) -> CharSet:
        """The set, with all cases of its letters if the flags say so."""
        if "i" not in self.flags:
            return ranges
        return unicode.fold(ranges, ecma=self.ecma, ascii_only="a" in self.flags)

    # -- escapes ---------------------------------------------------------------------------------------------------

    def word(self) -> CharSet:
        if "r" in self.flags:
            return rust_class("w")
        if not self.ecma and "a" not in self.flags:
            return unicode.python_word()
        if self.ecma and "i" in self.flags:
            return unicode.fold(unicode.WORD, ecma=True)
        return unicode.WORD

    def class_escape(self) -> CharSet | None:
        """The set of `\\d`, `\\p{…}` and their like, or None if no such escape begins here."""
        at = self.at
        char = self.pattern[at + 1]
        kind = char.lower()
        if kind not in "dwsp":
            return None
        self.at += 2
        ascii_only = self.ecma or "a" in self.flags
        if kind != "p" and "r" in self.flags:
            ranges = rust_class(kind)
        elif kind == "d":
            ranges = unicode.DIGIT if ascii_only else unicode.python_digit()
        elif kind == "w":
            ranges = self.word()
        elif kind == "s":
            ranges = unicode.ASCII_SPACE if ascii_only else unicode.python_space()
            ranges = unicode.ECMA_SPACE if self.ecma else ranges
        else:
            ranges = self.unicode_property(at)
        return unicode.complement(ranges) if char.isupper() else ranges

    def unicode_property(self, at: int) -> CharSet:
        close = self.pattern.find("}", self.at)
        if self.peek("{") and close > 0:
            body = self.pattern[self.at + 1 : close]
            self.at = close + 1
        elif self.at < self.end and not self.strict:
            body = self.pattern[self.at]
            self.at += 1
        else:
            body = ""
        if body.startswith("^"):
            self.fail("a negated property", at, "write \\P{…}")
        name, _, value = body.partition("=")
        ranges = unicode.property_set(name, value or None)
        if ranges is None:
            self.fail(f"no exact data for the property {body!r}", at, "general categories and common scripts are known")
        return self.folded(ranges)

    def character_escape(self, *, in_class: bool) -> int:
        at = self.at
        char = self.pattern[at + 1]
        self.at += 2
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "a" and not self.ecma:
            return 7
        if char == "b" and in_class:
            return 8
        if char == "0":
            if not self.ecma:
                return self.octal(at)
            if self.at < self.end and self.pattern[self.at] in "0123456789":
                self.fail("an octal escape", at, "write \\x.. or \\u....")
            return 0
        if char == "x":
            return self.hexadecimal(2, at)
        if char == "u":
            return self.unicode_escape(at)
        if char == "U" and not self.ecma:
            point = self.hexadecimal(8, at)
            if point > unicode.LAST:
                self.fail("beyond the last code point", at)
            return point
        if char == "N" and not self.ecma and self.take("{"):
            close = self.pattern.find("}", self.at)
            name = self.pattern[self.at : max(close, self.at)]
            self.at = close + 1
            try:
                return ord(unicodedata.lookup(name))
            except (KeyError, TypeError):
                self.fail(f"no character is named {name!r}", at)
        if char == "c" and self.ecma:
            letter = self.pattern[self.at : self.at + 1]
            if not (letter.isascii() and letter.isalpha()):
                self.fail("\\c takes a letter", at)
            self.at += 1
            return ord(letter) & 31
        if char.isascii() and char.isalnum():
            self.fail(f"unknown escape \\{char}", at, "anchors of this dialect are ^ and $" if char in "AZz" else None)
        if self.strict and char not in "^$\\.*+?()[]{}|/" + ("-" if in_class else ""):
            self.fail(f"unknown escape \\{char}", at)
        return ord(char)

    def hexadecimal(self, length: int, at: int) -> int:
        digits = self.pattern[self.at : self.at + length]
        if len(digits) < length or not _is_hexadecimal(digits):
            self.fail(f"{length} hexadecimal digits are expected", at)
        self.at += length
        return int(digits, 16)

    def unicode_escape(self, at: int) -> int:
        if self.ecma and self.take("{"):
            close = self.pattern.find("}", self.at)
            digits = self.pattern[self.at : max(close, self.at)]
            if not _is_hexadecimal(digits) or int(digits, 16) > unicode.LAST:
                self.fail("\\u{…} takes a code point in hexadecimal", at)
            self.at = close + 1
            return int(digits, 16)
        point = self.hexadecimal(4, at)
        if self.ecma and 0xD800 <= point <= 0xDBFF and self.take("\\u"):
            low = self.hexadecimal(4, at)
            if 0xDC00 <= low <= 0xDFFF:
                return 0x10000 + (point - 0xD800) * 0x400 + low - 0xDC00
            self.at -= 6
        return point

    # -- classes ---------------------------------------------------------------------------------------------------

    def char_class(self) -> Node:
        start = self.at - 1
        negative = self.take("^")
        parts: list[tuple[int, int]] = []
        first = True
        while True:
            if self.at >= self.end:
                self.fail("this class is never closed", start)
            char = self.pattern[self.at]
            if char == "]" and not (first and not self.ecma):
                self.at += 1
                break
            first = False
            at = self.at
            low = self.class_member()
            if self.peek("-") and self.at + 1 < self.end and self.pattern[self.at + 1] != "]":
                self.at += 1
                high = self.class_member()
                if isinstance(low, int) and isinstance(high, int):
                    if high < low:
                        self.fail("this range is the wrong way round", at)
                    parts.append((low, high))
                    continue
                if self.strict or not self.ecma:
                    self.fail("a range between sets", at, "put the - last")
                parts.append((0x2D, 0x2D))
                parts.extend(((high, high),) if isinstance(high, int) else high)
            parts.extend(((low, low),) if isinstance(low, int) else low)
        ranges = self.folded(unicode.normalize(parts))
        return Chars(unicode.complement(ranges) if negative else ranges)

    def octal(self, at: int) -> int:
        """Up to three digits behind a backslash."""
        digits = _OCTAL.match(self.pattern, at + 1)
        assert digits is not None
        self.at = digits.end()
        if int(digits[0], 8) > 0o377:
            self.fail("an octal escape beyond \\377", at)
        return int(digits[0], 8)

    def class_member(self) -> int | CharSet:
        char = self.pattern[self.at]
        if char == "\\":
            if self.at + 1 >= self.end:
                self.fail("a backslash at the end", self.at)
            if not self.ecma and self.pattern[self.at + 1] in "01234567":
                return self.octal(self.at)
            if self.pattern[self.at + 1] in "123456789":
                self.fail("an octal escape", self.at, "write \\x.. or \\u....")
            found = self.class_escape()
            return self.character_escape(in_class=True) if found is None else found
        if not self.strict and char == "[" and self.pattern.startswith("[:", self.at):
            self.fail("a POSIX class is not part of this dialect", self.at, "write \\p{…}")
        self.at += 1
        return ord(char)


def _is_hexadecimal(text: str) -> bool:
    return bool(text) and all(char in "0123456789abcdefABCDEF" for char in text)


def shortened(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 60 else pattern[:57] + "…")
