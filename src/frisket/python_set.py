"""Pydantic's core schema of items or keys → whether Python can hash them, and whether two texts may be one value.

A set or a dict keeps only one of several equal items. JSON Schema compares items as JSON: `"1"` and `"1.0"` are two
texts, but one Decimal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

#: Types whose values have only one spelling as text, so far as the schema allows texts.
SPELLED_ONCE = ("int", "bool", "none", "date", "enum")
#: Options that turn several texts into one string.
CHANGED = ("strip_whitespace", "to_lower", "to_upper")


def may_be_unhashable(schema: Any) -> bool:
    """Whether a value of the schema may be unhashable: a list, a dict, a mutable object."""
    kind = schema["type"]
    if kind in ("list", "dict", "set", "any", "typed-dict", "generator", "definition-ref"):
        return True
    if kind in ("model", "dataclass"):
        return getattr(schema["cls"], "__hash__", None) is None
    return any(map(may_be_unhashable, parts(schema)))


def is_spelled_once(schema: Any) -> bool:
    """Whether different texts are certainly different values."""
    kind = schema["type"]
    if kind == "str":
        return not any(schema.get(name) for name in CHANGED)
    if kind == "literal":
        return len(set(schema["expected"])) == len(schema["expected"])  # 1 is True
    if kind == "nullable":
        return is_spelled_once(schema["schema"])
    if kind == "tuple":
        return all(map(is_spelled_once, schema["items_schema"]))
    return kind in SPELLED_ONCE


def parts(schema: Any) -> Iterator[Any]:
    """The members of a union, the items of a tuple, or the schema of a function's input."""
    kind = schema["type"]
    if kind == "tuple":
        yield from schema["items_schema"]
    elif kind == "union":
        yield from (choice[0] if isinstance(choice, tuple) else choice for choice in schema["choices"])
    elif kind == "tagged-union":
        yield from schema["choices"].values()
    elif isinstance(schema.get("schema"), dict):
        yield schema["schema"]
