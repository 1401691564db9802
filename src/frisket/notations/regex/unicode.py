"""Sets of code points for the front ends in Python: sorted tuples of disjoint, non-adjacent, inclusive ranges."""

from __future__ import annotations

from collections.abc import Iterable

from frisket._core import front_end

CharSet = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
ALL: CharSet = ((0, LAST),)


def normalize(ranges: Iterable[tuple[int, int]]) -> CharSet:
    """The set of the given ranges, which may overlap and come in any order."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            if high > result[-1][1]:
                result[-1] = (result[-1][0], high)
        else:
            result.append((low, high))
    return tuple(result)


def complement(ranges: CharSet) -> CharSet:
    """Code points not in the set."""
    result: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if low > start:
            result.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        result.append((start, LAST))
    return tuple(result)


def includes(ranges: CharSet, point: int) -> bool:
    """Whether the code point is in the set."""
    return any(low <= point <= high for low, high in ranges)


def property_set(name: str, value: str | None = None) -> CharSet | None:
    """`\\p{name}` or `\\p{name=value}`; None if the engine has no exact table for it."""
    return front_end.property_set(name, value)
