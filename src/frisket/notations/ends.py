"""Rules × text × Meter → where sentences end that begin the text, and whether the rest may be the beginning of one.

A text is read in pieces that grow, so that a parser that asks at many places pays for what the engine reads there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket._core import Grammar
    from frisket.limit import Meter

#: The first piece, in bytes; each further one is so many times as long.
_FIRST, _GROWTH = 64, 4
#: Steps of the limits for a byte that the engine reads.
_STEPS_PER_BYTE = 12


def sentence_ends(rules: Grammar, text: bytes, meter: Meter) -> tuple[list[int], bool]:
    """The lengths of the beginnings that are sentences, and whether some sentence begins with the whole text."""
    size, is_open = _FIRST, True
    while True:
        piece = text[:size]
        meter.spend(2 * _STEPS_PER_BYTE * len(piece))
        is_open = rules.accepts_prefix(piece, limits=meter.limits)
        if not is_open or size >= len(text):
            return rules.ends(piece, limits=meter.limits), is_open
        size *= _GROWTH
