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

#: Keywords that say of a whole value what its members or items cannot hold alone.
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


def relating(schema: Iterable[str], kind: str = "object") -> list[str]:
    """The keywords of a schema that nothing can hold which writes the members or items of such a value one by one.

    >>> relating({"type": "object", "minProperties": 1, "version": 2})
    ['minProperties']
    """
    return [key for key in schema if key in _WHOLE or key in _RELATING[kind]]


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
