"""Schema × keyword → the schema without it, and schemas of the documents that only one of the two accepts."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

#: What gives a place a name of its own, or a base to its references: where one stands, pointers are not all there is.
NAMES = {"$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"}
#: Keywords that hold a schema, or an array of them.
APPLICATORS = {
    *("additionalItems", "additionalProperties", "allOf", "anyOf", "contains", "contentSchema", "else", "if", "items"),
    *("not", "oneOf", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
}
#: Keywords that hold schemas by name.
TABLES = {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}


def find(schema: Any, pointer: str) -> Any:
    """What a JSON pointer leads to, None if nowhere."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, dict) and step in schema:
            schema = schema[step]
        elif isinstance(schema, list) and step.isdigit() and int(step) < len(schema):
            schema = schema[int(step)]
        else:
            return None
    return schema


def without(schema: Any, pointer: str, keyword: str) -> Any:
    """The schema with one keyword less."""
    changed = copy.deepcopy(schema)
    del find(changed, pointer)[keyword]
    return changed


def whole(schema: Any, changed: Any, pointer: str) -> tuple[Any, Any] | None:
    """Of whole documents: the schema of what only `changed` accepts, and of what only `schema` does.

    `pointer` is the place where they differ. Both stand under `$defs`; whatever does not lead to that place is said
    once, so that the algebra sees at a glance that it makes no difference. None if there are references that are no
    pointers into the document.
    """
    parts = list(places(schema, ""))
    foreign = any(isinstance(part.get("$ref"), str) and not _points(part["$ref"]) for _, part in parts)
    if foreign or any(not NAMES.isdisjoint(part) for at, part in parts if at) or not isinstance(schema, dict):
        return None
    if {"$recursiveRef", "$dynamicRef"} & schema.keys():
        return None
    touched = {pointer}
    while more := {
        at
        for at, part in parts
        if isinstance(part.get("$ref"), str)
        and at not in touched
        and any(_reaches(part["$ref"][1:], other) for other in touched)
    }:
        touched |= more

    def moved(part: Any, side: str) -> Any:
        if isinstance(part, list):
            return [moved(item, side) for item in part]
        if not isinstance(part, dict):
            return part
        found = dict(part)
        for key, value in part.items():
            if key in APPLICATORS:
                found[key] = moved(value, side)
            elif key in TABLES and isinstance(value, dict):
                found[key] = {
                    name: item if isinstance(item, list) and key == "dependencies" else moved(item, side)
                    for name, item in value.items()
                }
        if isinstance(ref := part.get("$ref"), str):
            kept = side if any(_reaches(ref[1:], other) for other in touched) else "old"
            found["$ref"] = f"#/$defs/{kept}{ref[1:]}"
        return found

    def side(of: Any, name: str) -> Any:
        return moved({key: value for key, value in of.items() if key not in ("$schema", *NAMES)}, name)

    both = {"old": side(schema, "old"), "new": side(changed, "new")}
    dialect = {"$schema": schema["$schema"]} if "$schema" in schema else {}

    def only(one: str, other: str) -> Any:
        return {**dialect, "$defs": both, "allOf": [{"$ref": f"#/$defs/{one}"}, {"not": {"$ref": f"#/$defs/{other}"}}]}

    return only("new", "old"), only("old", "new")


def alone(schema: Any, pointer: str, keyword: str) -> tuple[Any, Any]:
    """As `whole`, of the one place, wherever it stands."""
    part = find(schema, pointer)
    rest = {key: value for key, value in part.items() if key != keyword}
    around = {key: schema[key] for key in ("$schema", "$defs", "definitions") if key in schema}
    return {**around, "allOf": [rest, {"not": part}]}, {**around, "allOf": [part, {"not": rest}]}


def places(schema: Any, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object that is a schema, by pointer."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from places(item, f"{pointer}/{index}")
    elif isinstance(schema, dict):
        yield pointer, schema
        for key, value in schema.items():
            if key in APPLICATORS:
                yield from places(value, f"{pointer}/{key}")
            elif key in TABLES and isinstance(value, dict):
                for name, item in value.items():
                    if isinstance(item, (dict, bool)):
                        yield from places(item, f"{pointer}/{key}/{name.replace('~', '~0').replace('/', '~1')}")


def _points(ref: str) -> bool:
    """Whether a reference is a pointer into the same document, spelled as it is meant."""
    return ref == "#" or (ref.startswith("#/") and "%" not in ref)


def _reaches(target: str, place: str) -> bool:
    """Whether what a pointer leads to holds a place, or lies in it."""
    return place == target or place.startswith(f"{target}/") or target.startswith(f"{place}/")
