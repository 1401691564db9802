"""Rules × text × Meter → where sentences end that begin the text, and whether the rest may be the beginning of one.

A text is read in pieces that grow, so that a parser that asks at many places pays for what the engine reads there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket._core import Grammar
    from frisket.limit import Meter

#: Bytes of the first piece, and the factor by which each next piece is longer.
_FIRST, _GROWTH = 64, 4
#: Limit steps per byte that the engine reads.
_STEPS_PER_BYTE = 12


def sentence_ends(rules: Grammar, text: bytes, meter: Meter) -> tuple[list[int], bool]:
    """The lengths of the text's prefixes that are sentences, and whether the whole text is a prefix of a sentence."""
    size, is_open = _FIRST, True
    while True:
        piece = text[:size]
        meter.spend(2 * _STEPS_PER_BYTE * len(piece))
        is_open = rules.accepts_prefix(piece, limits=meter.limits)
        if not is_open or size >= len(text):
            return rules.ends(piece, limits=meter.limits), is_open
        size *= _GROWTH
