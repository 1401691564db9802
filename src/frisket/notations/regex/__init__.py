"""Regular expression → regular node. The engine reads the pattern, and explains what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket._core.front_end import is_ecma_regex
from frisket.notations.regex.ast import Dialect, parse

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

__all__ = ["Dialect", "is_ecma_regex", "lower_part", "lower_regex", "parse"]


def lower_regex(
    builder: GrammarBuilder, pattern: str, *, dialect: Dialect = "python", search: bool = False, flags: str = ""
) -> int:
    """A regular node of the UTF-8 texts that match: as a whole, or with `search` somewhere inside.

    `flags` are letters of `imsxa`. Raises GrammarSyntaxError, with the offset, for syntax outside the dialect, and for
    constructs that no regular language can express.
    """
    return builder.regex(pattern, dialect=dialect, search=search, flags=flags)


def lower_part(builder: GrammarBuilder, pattern: str, *, dialect: Dialect = "python", flags: str = "") -> int:
    """A regular node of the texts that match as a whole, for a place with more text on both sides.

    Raises GrammarSyntaxError, with the offset, for all that `lower_regex` refuses, and for an assertion about the text
    outside.
    """
    return builder.regex_part(pattern, dialect=dialect, flags=flags)
