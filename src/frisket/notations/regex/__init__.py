"""Regular expression → regular node. The engine reads it, and explains what it refuses."""

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
    """A regular node of the texts (UTF-8) that match: as a whole, or somewhere inside if `search`.

    `flags` are letters of `imsxa`. Raises GrammarSyntaxError, with the offset, for what is not in the dialect and for
    what no regular language can say exactly.
    """
    return builder.regex(pattern, dialect=dialect, search=search, flags=flags)


def lower_part(builder: GrammarBuilder, pattern: str, *, dialect: Dialect = "python", flags: str = "") -> int:
    """A regular node of the texts that match as a whole, where more text may stand on both sides.

    Raises GrammarSyntaxError, with the offset, for what `lower_regex` refuses and for
    an assertion that looks at the text outside.
    """
    return builder.regex_part(pattern, dialect=dialect, flags=flags)
