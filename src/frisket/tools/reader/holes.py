"""Rendering of probes → a template of the family, with a hole in place of each name, identifier and value.

During the comparison, a hole is one character of Unicode's private use area, which no rendering contains.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NAME, ARGUMENTS, ID, COUNT, KEY, VALUE, KIND = (chr(0xE000 + place) for place in range(7))
_WRITTEN = {
    NAME: "$name", ARGUMENTS: "$arguments", ID: "$id", COUNT: "$id", KEY: "$key", VALUE: "$value", KIND: "$kind",
}  # fmt: skip
_NUMBER = re.compile(r"\d+")
_HOLE = re.compile(f"[{NAME}-{KIND}]")


def with_hole(text: str, hole: str, *said: str) -> str:
    """The text with a hole for each occurrence of the given texts."""
    for each in said:
        text = text.replace(each, hole)
    return text


def with_counts(text: str) -> tuple[str, list[str]]:
    """The text with a hole for each number, and the numbers: some formats number their calls."""
    return _NUMBER.sub(COUNT, text), _NUMBER.findall(text)


def with_numbers(text: str, numbers: Sequence[str | None]) -> str:
    """The text with its numbers put back; a hole stays where the number is None."""
    found = iter(numbers)
    return re.sub(COUNT, lambda _: next(found) or COUNT, text)


def core_of(text: str) -> tuple[str, str, str]:
    """The text up to the first hole, from the first to the last hole, and after the last hole."""
    found = list(_HOLE.finditer(text))
    first, last = found[0].start(), found[-1].end()
    return text[:first], text[first:last], text[last:]


def as_template(text: str) -> str:
    """The text with its holes as a family's templates write them: `$name`, `$id` …"""
    return _HOLE.sub(lambda hole: _WRITTEN[hole[0]], text)
