"""Schema of an object → the values of its members, for formats that write them one by one.

Such a format writes a text as it stands, without quotes and escapes, up to a marker; every other value is JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from frisket.json_schema import string
from frisket.json_schema.algebra import Algebra
from frisket.json_schema.lower import Lowering
from frisket.json_schema.report import Report
from frisket.json_schema.resolve import UNNUMBERED, Documents, Site
from frisket.json_schema.value import STRING

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions
    from frisket.json_schema.value import Case, Goal

#: Keywords beside the members that can be held one by one; all others relate members to each other.
_APART = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "$defs", "definitions", "$schema", "$id"),
        *("$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "strict"),
    }
)


def relating(schema: Iterable[str]) -> list[str]:
    """The keywords of an object's schema that relate its members, which nothing written one by one can hold.

    >>> relating({"type": "object", "minProperties": 1})
    ['minProperties']
    """
    return [key for key in schema if key not in _APART and not key.startswith("x-")]


class ParameterValues:
    """The values that the members of an object's schema may have, as nodes of a builder."""

    def __init__(self, builder: GrammarBuilder, schema: Any, options: JSONSchemaOptions) -> None:
        self._builder, self._schema, self._options = builder, schema, options

    @cached_property
    def algebra(self) -> Algebra:
        """What reads the schemas; `raise_unsupported` says what of them cannot be enforced."""
        return Algebra(self._builder, Documents(self._schema, None), self._options, Report())

    @cached_property
    def _lowering(self) -> Lowering:
        return Lowering(self._builder, self._options, self.algebra)

    def goal(self, schema: Any, *path: str) -> Goal:
        """What a member's schema demands, which stands at a path of the object's and may refer to its definitions."""
        around = Site(UNNUMBERED, None, self.algebra.documents.root, (), "", ())
        return self.algebra.below(around, schema, *path)

    def text(self, cases: Sequence[Case]) -> int | None:
        """The texts among the cases, as they stand; None if there are none."""
        texts = [string.lower(self._builder, case.strings) for case in cases if case.mask & STRING]
        alive = [text for text in texts if text is not None]
        return self._builder.alt(alive) if alive else None

    def other(self, cases: Sequence[Case], types: int = ~STRING) -> int | None:
        """The other values of some types, as JSON; None if there are none."""
        others = [case.among(types & ~STRING) for case in cases if case.mask & types & ~STRING]
        return self._lowering.union(others) if others else None


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
