"""Subschema without titles and descriptions → a value: subschemas of equal values accept the same.

Generated schemas repeat a constraint in full (a member and the pattern that covers it, a base and its extension).
Equal values show that a member needs to meet one schema rather than a conjunction of two equal ones.
"""

from __future__ import annotations

from typing import Any

from frisket.lint.resolve import ITEMS, ITSELF, MEMBERS
from tests.oracle.json_schema.keywords import KNOWN

#: Values that are looked at: what is larger is one place only.
VALUES = 512
DEPTH = 32
#: What such a keyword means depends on more than the place, or on options.
ELSEWHERE = frozenset(("$id", "id", "$schema", "$dynamicRef", "$recursiveRef", "nullable"))


def said(schema: Any) -> tuple[Any, ...] | None:
    """What a schema says by the keywords that count, all else aside.

    None if it is large, or if it says what depends on where it stands or on an option.
    """
    try:
        return _Reader().schema(schema, 0)
    except _Elsewhere:
        return None


class _Elsewhere(Exception):
    """The schema says more than its text."""


class _Reader:
    def __init__(self) -> None:
        self.left = VALUES

    def schema(self, schema: Any, depth: int) -> tuple[Any, ...]:
        if type(schema) is bool:
            return self.value(schema, depth)
        if type(schema) is not dict:
            raise _Elsewhere
        self._count(depth)
        return "schema", *(self._keyword(name, value, depth) for name, value in schema.items() if self._counts(name))

    def _counts(self, name: Any) -> bool:
        if type(name) is not str or name in ELSEWHERE:
            raise _Elsewhere
        return name in KNOWN

    def _keyword(self, name: str, value: Any, depth: int) -> tuple[Any, ...]:
        holds = KNOWN[name]
        if type(value) is dict and holds & ITSELF:
            return name, self.schema(value, depth + 1)
        if type(value) is dict and holds & MEMBERS:
            self._count(depth)
            return name, *((key, self._member(below, depth + 1)) for key, below in value.items())
        if type(value) is list and holds & ITEMS:
            self._count(depth)
            return name, *(self.schema(item, depth + 1) for item in value)
        return name, self.value(value, depth + 1)

    def _member(self, schema: Any, depth: int) -> tuple[Any, ...]:
        return self.schema(schema, depth) if type(schema) is dict else self.value(schema, depth)

    def value(self, value: Any, depth: int) -> tuple[Any, ...]:
        """Data: all of it counts. 1, 1.0 and true are three values."""
        self._count(depth)
        if type(value) is list:
            return "list", *(self.value(item, depth + 1) for item in value)
        if type(value) is dict:
            return "dict", *((key, self.value(item, depth + 1)) for key, item in value.items())
        if value is not None and type(value) not in (str, bool, int, float):
            raise _Elsewhere
        return type(value), value

    def _count(self, depth: int) -> None:
        self.left -= 1
        if self.left < 0 or depth >= DEPTH:
            raise _Elsewhere
