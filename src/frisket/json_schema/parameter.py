"""Helpers for formats that write an object's members one by one, to be used with `front_end.MemberValues`.

Such a format writes a text without quotes and escapes, up to a marker; every other value is JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

#: The types of values that are not text.
OTHER_TYPES = ("null", "boolean", "number", "array", "object")


def can_hold(builder: GrammarBuilder, text: int, words: Iterable[bytes]) -> bool:
    """Whether some text of a regular node contains one of the words."""
    anything = builder.not_(builder.empty())
    holding = builder.cat([anything, builder.words(list(words)), anything])
    return not builder.is_empty(builder.and_([text, holding]))
