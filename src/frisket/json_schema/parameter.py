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

#: Keywords about a whole value that cannot be split into keywords about its members or items.
_WHOLE = frozenset(
    {"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "enum", "const", "extends"}
)

#: Keywords that relate the members of an object, or the items of an array, to each other.
_RELATING = {
    "object": frozenset(
        {
            *("patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties"),
            *("dependencies", "dependentRequired", "dependentSchemas"),
        }
    ),
    "array": frozenset({"prefixItems", "additionalItems", "contains", "uniqueItems", "unevaluatedItems"}),
}


#: Keywords that may stand beside `properties`; a schema with only other keywords has its members inside one of them.
_NOTES = frozenset(
    {
        *("$defs", "definitions", "$schema", "$id", "$comment", "title", "description", "default", "examples"),
        *("deprecated", "readOnly", "writeOnly", "strict"),
    }
)


def relating(schema: Iterable[str], kind: str | None = None) -> list[str]:
    """The keywords of a schema that a format cannot enforce if it writes members or items one by one.

    Without a kind, the schema is that of a whole object; if it has no keyword about members, all others are listed.

    >>> relating({"type": "object", "minProperties": 1, "version": 2})
    ['minProperties']
    >>> relating({"name": "get_weather", "schema": {"type": "object"}})
    ['name', 'schema']
    """
    keys = list(schema)
    if kind is None and not {"type", "properties", "required", "additionalProperties"}.intersection(keys):
        return [key for key in keys if key not in _NOTES and not key.startswith("x-")]
    return [key for key in keys if key in _WHOLE or key in _RELATING[kind or "object"]]


def can_hold(builder: GrammarBuilder, text: int, words: Iterable[bytes]) -> bool:
    """Whether some text of a regular node contains one of the words."""
    anything = builder.not_(builder.empty())
    holding = builder.cat([anything, builder.words(list(words)), anything])
    return not builder.is_empty(builder.and_([text, holding]))


def bounded_text(builder: GrammarBuilder, text: int, end: str, forbidden: Iterable[str] = ()) -> int:
    """A regular node's texts with the marker that ends them: no text contains the marker or a forbidden string.

    Without a marker, nothing limits the text.
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
