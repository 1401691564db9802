"""Path of a value in a document × schema → the path under which its like is counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from frisket.explanation.place import Path, at, places, pointer

#: Stands for any item of an array, and for any key that the schema does not name.
ANY = "*"


def schema_path(schema: Any, path: Path) -> str:
    """The JSON Pointer of a path with `*` for the indexes of arrays, and for keys that the schema does not name.

    >>> schema_path({"additionalProperties": {"properties": {"size": {}}}}, ("latte", "size"))
    '/*/size'
    >>> schema_path({}, ("sizes", 3)), schema_path({"properties": {"sizes": {}}}, ("sizes", 3))
    ('/*/*', '/sizes/*')
    """
    folded = [step if isinstance(step, str) and _is_named(schema, path[:depth], step) else ANY
              for depth, step in enumerate(path)]  # fmt: skip
    return pointer(folded)


def _is_named(schema: Any, path: Path, key: str) -> bool:
    """Whether a schema that may speak of the object at the path names the key."""
    found = (at(schema, place).get("properties") for place in places(schema, path))
    return any(isinstance(named, Mapping) and key in named for named in found)
