"""Schema × path of a value in a document → the places of the schema that apply to that value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from frisket.json_pointer import to_steps
from frisket.outline import Path

__all__ = ["Path", "at", "below", "places", "root"]

#: Keywords whose subschemas apply to the same value.
_LISTS = ("allOf", "anyOf", "oneOf")
_SINGLE = ("if", "then", "else", "not")


def at(schema: Any, place: Path) -> Any:
    """The value at a place; KeyError or IndexError if there is none."""
    for step in place:
        schema = schema[step]
    return schema


def places(schema: Any, path: Path) -> list[Path]:
    """The distinct places of schemas that may apply to the value at `path`, over all branches.

    >>> places({"properties": {"size": {"$ref": "#/$defs/size"}}, "$defs": {"size": {"type": "string"}}}, ("size",))
    [('properties', 'size'), ('$defs', 'size')]

    References to other documents, to anchors, and dynamic references are not followed.
    """
    found = root(schema)
    for step in path:
        found = below(schema, found, step)
    return found


def root(schema: Any) -> list[Path]:
    """The places that apply to the whole document."""
    return list(dict.fromkeys(_same(schema, [()])))


def below(schema: Any, found: Sequence[Path], step: str | int) -> list[Path]:
    """The places for a member or an item of a value whose own places are `found`."""
    return list(dict.fromkeys(_same(schema, [inner for place in found for inner in _below(schema, place, step)])))


def _same(schema: Any, starts: Sequence[Path]) -> Iterator[Path]:
    """The starts, and all places that apply to the same value."""
    seen: set[Path] = set()
    open_places = list(reversed(starts))
    while open_places:
        place = open_places.pop()
        node = at(schema, place)
        if place in seen or not isinstance(node, Mapping):
            continue
        seen.add(place)
        yield place
        more = [(*place, word) for word in _SINGLE if word in node]
        for word in _LISTS:
            if isinstance(node.get(word), list):
                more += [(*place, word, at) for at in range(len(node[word]))]
        if isinstance(node.get("dependentSchemas"), Mapping):
            more += [(*place, "dependentSchemas", name) for name in node["dependentSchemas"]]
        target = _target(schema, node.get("$ref"))
        more += [] if target is None else [target]
        open_places += reversed(more)


def _below(schema: Any, place: Path, step: str | int) -> Iterator[Path]:
    """The places for a member or an item of a value to which `place` applies."""
    node = at(schema, place)
    if isinstance(step, str):
        named = False
        if isinstance(node.get("properties"), Mapping) and step in node["properties"]:
            named = True
            yield (*place, "properties", step)
        for expression in node["patternProperties"] if isinstance(node.get("patternProperties"), Mapping) else ():
            try:
                matches = re.search(expression, step) is not None
            except re.error:
                # Patterns are ECMAScript's; a pattern that Python cannot compile may match the member.
                matches = True
            if matches:
                named = True
                yield (*place, "patternProperties", expression)
        rest = [*([] if named else ["additionalProperties"]), "unevaluatedProperties"]
    else:
        for word in ("prefixItems", "items"):
            if isinstance(node.get(word), list) and step < len(node[word]):
                yield (*place, word, step)
        rest = ["items", "additionalItems", "contains", "unevaluatedItems"]
    for word in rest:
        if isinstance(node.get(word), Mapping):
            yield (*place, word)


def _target(schema: Any, reference: Any) -> Path | None:
    """The target of a reference within the document."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return None
    place: list[str | int] = []
    node = schema
    for name in to_steps(unquote(reference[1:])):
        step: str | int = int(name) if isinstance(node, list) and name.isdecimal() else name
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return None
        place.append(step)
    return tuple(place)
