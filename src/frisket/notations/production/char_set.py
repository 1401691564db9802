"""Ranges of code points → their complement, and the set of all characters."""

from __future__ import annotations

from frisket.notations.production.ast import Ranges

#: Every code point; the engine leaves surrogates out.
ANY: Ranges = ((0, 0x10FFFF),)


def negated(ranges: list[tuple[int, int]]) -> Ranges:
    """All code points in none of the ranges.

    >>> negated([(0x61, 0x7A), (0, 0x60)])
    ((123, 1114111),)
    """
    found, next_one = [], 0
    for low, high in sorted(ranges):
        if low > next_one:
            found.append((next_one, low - 1))
        next_one = max(next_one, high + 1)
    if next_one <= 0x10FFFF:
        found.append((next_one, 0x10FFFF))
    return tuple(found)
