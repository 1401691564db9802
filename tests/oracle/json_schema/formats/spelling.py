"""Characters of a decoded text → their spellings inside a JSON string.

`quoted` wraps a regular language as JSON strings; a language that nests is no regular one, so its grammar is made of
pieces that are spelled already.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

Ranges = Iterable[tuple[int, int]]

LAST = 0x10FFFF
_LETTERS = {0x08: b"b", 0x09: b"t", 0x0A: b"n", 0x0C: b"f", 0x0D: b"r", 0x22: b'"', 0x5C: b"\\"}
_SPECIAL = (*range(0x20), 0x22, 0x5C)


class Spelling:
    """Regular nodes of spelled texts; `escapes` as in the options."""

    def __init__(self, builder: GrammarBuilder, escapes: str) -> None:
        self.builder = builder
        self.free = escapes == "free"

    def text(self, text: str) -> int:
        """The spellings of one text."""
        if self.free:
            return self.builder.cat([self.chars([(ord(char), ord(char))]) for char in text])
        return self.builder.literal(b"".join(_raw(ord(char)) for char in text))

    def any_of(self, chars: str) -> int:
        return self.chars([(ord(char), ord(char)) for char in chars])

    def chars(self, ranges: Ranges) -> int:
        """The spellings of one character in any of the inclusive ranges (no surrogates)."""
        b = self.builder
        plain: list[tuple[int, int]] = []
        nodes: list[int] = []
        for low, high in ranges:
            start = low
            for point in _SPECIAL[bisect_left(_SPECIAL, low) : bisect_right(_SPECIAL, high)]:
                if start < point:
                    plain.append((start, point - 1))
                start = point + 1
                nodes.append(b.literal(_raw(point)))
            if start <= high:
                plain.append((start, high))
            if self.free:
                nodes += self._escaped(low, high)
        if plain:
            nodes.append(b.char_class(plain))
        return b.alt(nodes)

    def _escaped(self, low: int, high: int) -> list[int]:
        b = self.builder
        nodes = [b.cat([b.literal(b"\\u"), self.hexadecimal(low, min(high, 0xFFFF), 4)])] if low <= 0xFFFF else []
        if low <= 0x2F <= high:
            nodes.append(b.literal(b"\\/"))
        first, last = max(low, 0x10000) - 0x10000, high - 0x10000
        while first <= last:
            # One leading surrogate at a time, or a run of them that take every trailing one.
            lead, trail = divmod(first, 0x400)
            whole = (last + 1) // 0x400 - lead
            if trail == 0 and whole > 0:
                until, ends = lead + whole - 1, (0, 0x3FF)
            else:
                until, ends = lead, (trail, min(last - lead * 0x400, 0x3FF))
            leading = self.hexadecimal(0xD800 + lead, 0xD800 + until, 4)
            trailing = self.hexadecimal(0xDC00 + ends[0], 0xDC00 + ends[1], 4)
            nodes.append(b.cat([b.literal(b"\\u"), leading, b.literal(b"\\u"), trailing]))
            first = (until + 1) * 0x400
        return nodes

    def hexadecimal(self, low: int, high: int, length: int) -> int:
        """Numbers of `length` hexadecimal digits, raw (not spelled again), in either case."""
        b = self.builder
        if length == 1:
            return self._digits(low, high)
        unit = 16 ** (length - 1)
        nodes: list[int] = []
        first, last = low // unit, high // unit
        rest = self._digits(0, 15)
        if first == last:
            return b.cat([self._digits(first, first), self.hexadecimal(low % unit, high % unit, length - 1)])
        if low % unit:
            nodes.append(b.cat([self._digits(first, first), self.hexadecimal(low % unit, unit - 1, length - 1)]))
            first += 1
        if high % unit != unit - 1:
            nodes.append(b.cat([self._digits(last, last), self.hexadecimal(0, high % unit, length - 1)]))
            last -= 1
        if first <= last:
            nodes.append(b.cat([self._digits(first, last), b.repeat(rest, length - 1, length - 1)]))
        return b.alt(nodes)

    def _digits(self, low: int, high: int) -> int:
        ranges = [(0x30 + low, 0x30 + min(high, 9))] if low <= 9 else []
        if high >= 10:
            ranges += [(base + max(low, 10) - 10, base + high - 10) for base in (0x41, 0x61)]
        return self.builder.byte_class(ranges)


def _raw(point: int) -> bytes:
    letter = _LETTERS.get(point)
    if letter is not None:
        return b"\\" + letter
    return b"\\u%04x" % point if point < 0x20 else chr(point).encode()
