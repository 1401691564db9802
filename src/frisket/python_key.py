"""Pydantic's core schema of a dict's keys → the names that an object may have, and entries of the report.

A JSON key is text, and Pydantic has special rules for reading values from it: it reads an IntEnum from the digits of
its value, but a plain enum of floats not at all. So each member of an enum is tried: its name is the key that Pydantic
writes for it, if Pydantic reads the member back.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from frisket.python_pattern import BOUNDS, KEYS, POSITIVE

#: (status, keyword, what is not enforced, or left out)
Mark = tuple[str, str, str]


class Names(NamedTuple):
    """`schema` is the value of `propertyNames`; None if Pydantic's own description is right."""

    schema: dict[str, Any] | bool | None
    marks: list[Mark]


def read_as_key(keys: Mapping[str, Any], definitions: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Mark]]:
    """The schema by which a key's text is read, below references, functions, and `None`, which no text can be."""
    marks: list[Mark] = []
    while True:
        kind = keys.get("type", "")
        if kind == "definition-ref" and keys["schema_ref"] in definitions:
            keys = definitions[keys["schema_ref"]]
        elif kind == "nullable":
            keys = keys["schema"]
        elif kind.startswith("function-") and isinstance(keys.get("schema"), dict):
            name = getattr(keys["function"]["function"], "__name__", "a function")
            marks.append(("loosened", "keys", f"keys that {name}() refuses"))
            keys = keys["schema"]
        else:
            return keys, marks


def property_names(keys: Mapping[str, Any]) -> Names:
    """The names of an object whose keys are read by this schema."""
    kind = keys.get("type")
    if kind == "enum":
        return _enum_names(keys)
    if kind == "literal":
        # From a key, Pydantic reads no numbers for a Literal.
        texts = [value for value in keys["expected"] if isinstance(value, str)]
        return Names({"enum": texts} if texts else False, [])
    if kind == "none":
        return Names(False, [])
    if kind not in KEYS:
        return Names(None, [])
    marks: list[Mark] = []
    bounds = {name: value for name, value in keys.items() if name in BOUNDS and value is not None}
    pattern = POSITIVE.get(tuple(bounds.items())) if kind == "int" else None
    if bounds and pattern is None:
        marks.append(("loosened", "keys", f"keys that break {', '.join(bounds)}"))
    if kind != "bool":
        marks.append(("narrowed", "keys", "left out: keys of more digits than the pattern has"))
    return Names({"pattern": pattern or KEYS[kind]}, marks)


def _enum_names(keys: Mapping[str, Any]) -> Names:
    """The keys that Pydantic writes for an enum's members and reads back."""
    core = importlib.import_module("pydantic_core")
    key = {name: value for name, value in keys.items() if name != "ref"}
    schema = core.core_schema.dict_schema(key, core.core_schema.any_schema())
    validator, serializer = core.SchemaValidator(schema), core.SchemaSerializer(schema)
    names: list[str] = []
    for member in keys["members"]:
        try:
            (name,) = json.loads(serializer.to_json({member: None}))
            (read,) = validator.validate_json(json.dumps({name: None}))
        except ValueError:  # Pydantic's errors in both directions
            continue
        if read is member and name not in names:
            names.append(name)
    cls = keys["cls"].__name__
    if not names:
        return Names(False, [("narrowed", "keys", f"left out: every key, since Pydantic reads no {cls} from a text")])
    if all(isinstance(member.value, str) for member in keys["members"]):
        return Names({"enum": names}, [])
    return Names({"enum": names}, [("narrowed", "keys", f"left out: other spellings of the values of {cls}")])
