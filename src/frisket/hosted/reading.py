"""Places without references → their combined keywords and types, and whether alternatives overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from frisket.hosted.part import is_of, key
from frisket.hosted.place import Place, Resolver

BY_TYPE = {
    "object": frozenset(
        (
            *("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"),
            *("maxProperties", "dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
        )
    ),
    "array": frozenset(
        (
            *("items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains"),
            *("minContains", "maxContains", "unevaluatedItems"),
        )
    ),
    "string": frozenset(("pattern", "format", "minLength", "maxLength", "contentEncoding", "contentMediaType")),
    "number": frozenset(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "divisibleBy"),
    ),
}
#: Every keyword that a conversion reads, or notes as lost.
CONVERTED = frozenset.union(
    *BY_TYPE.values(),
    ("type", "enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "then", "else"),
    ("$ref", "$dynamicRef", "$recursiveRef", "extends", "disallow"),
)
#: Limit steps per pair of alternatives that is compared.
_STEPS_PER_PAIR = 200
KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")


class Reading:
    """The keywords of several places that hold together."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.places = places

    def has(self, *keywords: str) -> bool:
        return any(place.has(keyword) for place in self.places for keyword in keywords)

    def said(self, *keywords: str) -> Iterator[tuple[str, Any, Place]]:
        """Each of these keywords that occurs, with its value and its place."""
        for place in self.places:
            for keyword in keywords:
                if place.has(keyword):
                    yield keyword, place.schema[keyword], place

    def types(self) -> list[str] | None:
        """The types that all places allow; None if no place restricts them."""
        found: set[str] | None = None
        for _, value, _ in self.said("type"):
            names = {value} if isinstance(value, str) else {name for name in value if isinstance(name, str)}
            if "any" in names:
                continue
            names = names & set(KINDS)
            if "number" in names:
                names.add("integer")
            found = names if found is None else found & names
        if found is None:
            return None
        return [kind for kind in KINDS if kind in found and not (kind == "integer" and "number" in found)]

    def implied_types(self) -> list[str]:
        """The types to which the keywords apply."""
        return [kind for kind, keywords in BY_TYPE.items() if self.has(*keywords)]

    def values(self) -> list[Any] | None:
        """The values of `enum` and `const` that have an allowed type; None if there is neither keyword."""
        found: list[Any] | None = None
        for keyword, value, _ in self.said("enum", "const"):
            listed = value if keyword == "enum" and isinstance(value, list) else [value]
            if found is None:
                found = list({key(one): one for one in listed}.values())
            else:
                keys = {key(one) for one in listed}
                found = [one for one in found if key(one) in keys]
        kinds = self.types()
        if found is None or kinds is None:
            return found
        return [value for value in found if any(is_of(value, kind) for kind in kinds)]


def accepts_all(place: Place) -> bool:
    """Whether the rest of a place's keywords allows every value."""
    return not place.keywords()


def are_disjoint(branches: Sequence[Place], resolver: Resolver) -> bool:
    """Whether certainly no value fits two branches: by type, by values, or by a property that each requires."""
    readings = []
    for branch in branches:
        flat = resolver.flat([branch])
        if flat is not None:
            readings.append(Reading(flat))
    return all(_apart(one, two, resolver) for n, one in enumerate(readings) for two in readings[:n])


def _apart(one: Reading, two: Reading, resolver: Resolver) -> bool:
    resolver.meter.spend(_STEPS_PER_PAIR)
    kinds, others = _kinds(one), _kinds(two)
    if not kinds & others:
        return True
    values, rivals = one.values(), two.values()
    if values is not None and rivals is not None:
        return not {key(value) for value in values} & {key(value) for value in rivals}
    if kinds & others != {"object"}:
        return False
    shared = _required(one) & _required(two)
    return any(_apart_at(name, one, two, resolver) for name in shared)


def _apart_at(name: str, one: Reading, two: Reading, resolver: Resolver) -> bool:
    found = []
    for reading in (one, two):
        values = None
        for _, properties, place in reading.said("properties"):
            if isinstance(properties, dict) and isinstance(properties.get(name), dict):
                flat = resolver.flat([place.child("properties", name)])
                values = values or (Reading(flat).values() if flat is not None else [])
        if values is None:
            return False
        found.append({key(value) for value in values})
    return not found[0] & found[1]


def _kinds(reading: Reading) -> set[str]:
    kinds = reading.types()
    if kinds is None:
        return set(KINDS)
    return {*kinds, "integer"} if "number" in kinds else set(kinds)


def _required(reading: Reading) -> set[str]:
    return {name for _, names, _ in reading.said("required") if isinstance(names, list) for name in names}
