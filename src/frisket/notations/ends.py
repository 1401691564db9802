"""Rules × text × Meter → the prefixes of the text that are sentences, and whether a sentence may begin with all of it.

The text is read in growing pieces, so that a parser that asks at many places pays only for what the engine reads there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket._core import Grammar
    from frisket.limit import Meter

#: Bytes of the first piece, and the factor by which each further piece is longer.
_FIRST, _GROWTH = 64, 4
#: Limit steps per byte that the engine reads.
_STEPS_PER_BYTE = 12


def sentence_ends(rules: Grammar, text: bytes, meter: Meter) -> tuple[list[int], bool]:
    """(lengths of the text's prefixes that are sentences, whether the whole text is a prefix of a sentence)."""
    size, is_open = _FIRST, True
    while True:
        piece = text[:size]
        meter.spend(2 * _STEPS_PER_BYTE * len(piece))
        is_open = rules.accepts_prefix(piece, limits=meter.limits)
        if not is_open or size >= len(text):
            return rules.ends(piece, limits=meter.limits), is_open
        size *= _GROWTH
