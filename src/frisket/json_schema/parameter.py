"""What formats that write an object's members one by one need beside `front_end.MemberValues`.

Such a format writes a text as it stands, without quotes and escapes, up to a marker; every other value is JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

#: The types whose values are no texts.
OTHER_TYPES = ("null", "boolean", "number", "array", "object")

#: Keywords that say nothing of a value where they stand.
_NOTES = frozenset(
    {
        *("$defs", "definitions", "$schema", "$comment", "title", "description", "default", "examples", "deprecated"),
        *("readOnly", "writeOnly", "strict"),
    }
)

#: Keywords of the members that can be held one by one; all others relate members to each other.
_APART = frozenset({"type", "properties", "required", "additionalProperties", "$id"})


def is_note(key: str) -> bool:
    """Whether a keyword says nothing of a value where it stands: it describes, or it holds definitions."""
    return key in _NOTES or key.startswith("x-")


def relating(schema: Iterable[str]) -> list[str]:
    """The keywords of an object's schema that relate its members, which nothing written one by one can hold.

    >>> relating({"type": "object", "minProperties": 1})
    ['minProperties']
    """
    return [key for key in schema if key not in _APART and not is_note(key)]


def bounded_text(builder: GrammarBuilder, text: int, end: str, forbidden: Iterable[str] = ()) -> int:
    """A regular node's texts with the marker that ends them: it occurs no earlier, and no forbidden string in the text.

    Without a marker, the text goes as far as it likes.
    """
    anything = builder.not_(builder.empty())
    words = [word.encode() for word in dict.fromkeys(forbidden)]
    if words:
        text = builder.and_([text, builder.not_(builder.cat([anything, builder.words(words), anything]))])
    if not end:
        return text
    marker = builder.literal(end.encode())
    earlier = builder.cat([anything, marker, builder.byte_class([(0, 255)]), anything])
    return builder.and_([builder.cat([text, marker]), builder.not_(earlier)])
