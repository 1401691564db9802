"""Keywords of objects → a node of the dialect with its decoder; free keys become a list of entries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from frisket.hosted.part import Member, ObjectDecoder, Part
from frisket.hosted.place import Place
from frisket.hosted.reading import Reading
from frisket.hosted.scalar import is_beyond

if TYPE_CHECKING:
    from frisket.hosted.convert import Converter


def object_part(converter: Converter, reading: Reading) -> Part | None:
    """An object with its listed members; others are `entries`, if a schema describes them."""
    names = _names(reading)
    required = {name for _, value, _ in reading.said("required") if isinstance(value, list) for name in value}
    members: dict[str, Member] = {}
    properties: dict[str, Any] = {}
    needed: list[str] = []
    for name in [*names, *sorted(required - set(names))]:
        part = converter.part(_said_of(name, reading)) if _is_name(converter, name, reading) else None
        if part is None:
            if name in required:
                return None
            continue
        node, absent = part.node, False
        if converter.rules.all_required and name not in required:
            absent = True
            if part.nullable:
                for place in _declaring(name, reading):
                    converter.narrow(f"{place.where}", "null", "null means that the property is absent")
            else:
                node = {"anyOf": [*_flat(node), {"type": "null"}]}
        if name in required or converter.rules.all_required:
            needed.append(name)
        properties[name] = node
        members[name] = Member(part.decode, name in required or converter.rules.all_required, absent)
    entry = _entries(converter, reading, bool(names))
    _counts(converter, reading, len(members), len(required), entry is not None)
    _conditions(converter, reading, required, set(properties))
    node = {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}
    if converter.rules.property_ordering and properties:
        node["propertyOrdering"] = list(properties)
    if entry is None:
        return Part(node, ObjectDecoder(members))
    if names:
        for _, _, place in reading.said("additionalProperties", "patternProperties"):
            converter.lose(place.where, "additionalProperties", "an entry may have the key of a property")
    if converter.rules.dictionaries:
        node["additionalProperties"] = entry.node
        return Part(node, ObjectDecoder(members, entry=entry.decode, direct=True))
    label = "entries"
    while label in properties or label in names:
        label += "_"
    properties[label] = {"type": "array", "items": _pair(entry.node, _key(converter, reading))}
    needed.append(label)
    return Part(node, ObjectDecoder(members, label, entry.decode, frozenset({*names, *members})))


def entries_node(value: dict[str, Any]) -> dict[str, Any]:
    """An object that has only entries."""
    listed = {"type": "array", "items": _pair(value, {"type": "string"})}
    node = {"type": "object", "properties": {"entries": listed}, "required": ["entries"]}
    return {**node, "additionalProperties": False}


def _pair(value: dict[str, Any], key: dict[str, Any]) -> dict[str, Any]:
    node = {"type": "object", "properties": {"key": key, "value": value}, "required": ["key", "value"]}
    return {**node, "additionalProperties": False}


def _flat(node: dict[str, Any]) -> list[dict[str, Any]]:
    return list(node["anyOf"]) if node.keys() == {"anyOf"} else [node]


def _names(reading: Reading) -> list[str]:
    found: dict[str, None] = {}
    for _, value, _ in reading.said("properties"):
        found.update(dict.fromkeys(value))
    return list(found)


def _declaring(name: str, reading: Reading) -> list[Place]:
    return [place.child("properties", name) for _, value, place in reading.said("properties") if name in value]


def _said_of(name: str, reading: Reading) -> list[Place]:
    """All subschemas of the places that apply to a member with this name."""
    found: list[Place] = []
    for place in reading.places:
        said: list[Place] = []
        if place.has("properties") and name in place.schema["properties"]:
            said.append(place.child("properties", name))
        for pattern in place.schema.get("patternProperties", {}) if place.has("patternProperties") else ():
            if _finds(pattern, name) is not False:
                said.append(place.child("patternProperties", pattern))
        if not said and place.has("additionalProperties"):
            said.append(place.child("additionalProperties"))
        found += said
    return found


def _is_name(converter: Converter, name: str, reading: Reading) -> bool:
    """Whether `propertyNames` may allow a name; keywords that are not checked here are noted as lost."""
    for keyword, value, place in reading.said("propertyNames"):
        if value is False:
            return False
        if isinstance(value, dict):
            if isinstance(value.get("enum"), list) and name not in value["enum"]:
                return False
            if isinstance(value.get("pattern"), str) and _finds(value["pattern"], name) is False:
                return False
            if not value.get("minLength", 0) <= len(name) <= value.get("maxLength", len(name)):
                return False
            if value.keys() - {"enum", "pattern", "minLength", "maxLength", "type", "description"}:
                converter.lose(place.where, keyword)
    return True


def _finds(pattern: str, name: str) -> bool | None:
    """Whether a pattern occurs in a name; None if Python cannot read the pattern."""
    try:
        return re.search(pattern, name) is not None
    except (re.error, OverflowError, RecursionError):
        return None


def _entries(converter: Converter, reading: Reading, has_names: bool) -> Part | None:
    """The part for the values of unlisted keys; None if there may be none, or no schema describes them."""
    closed = any(value is False for _, value, _ in reading.said("additionalProperties", "unevaluatedProperties"))
    patterns = [
        place.child("patternProperties", pattern)
        for _, value, place in reading.said("patternProperties")
        for pattern in value
    ]
    others = [
        place.child(keyword)
        for keyword, value, place in reading.said("additionalProperties", "unevaluatedProperties")
        if isinstance(value, dict)
    ]
    if patterns:
        alone = _key_pattern(converter, reading) is not None
        for _, _, place in reading.said("patternProperties"):
            if not alone:
                converter.lose(place.where, "patternProperties", "which key has which value")
                if closed or others:
                    converter.lose(place.where, "additionalProperties", "which keys may come")
            elif not closed:
                converter.narrow(place.where, "patternProperties", "only keys that match")
        return converter.any_of([converter.part([pattern]) for pattern in patterns])
    if closed:
        return None
    if others:
        return converter.part(others)
    if has_names or reading.has("required"):
        for place in reading.places:
            converter.narrow(place.where, "additionalProperties", "no members beside those listed")
        return None
    for place in reading.places:
        if not converter.rules.recursion:
            converter.narrow(place.where, "additionalProperties", "no arrays and no objects")
    return converter.anything()


def _key(converter: Converter, reading: Reading) -> dict[str, Any]:
    """The schema of an entry's key."""
    said = [place.child("propertyNames") for _, _, place in reading.said("propertyNames")]
    if (pattern := _key_pattern(converter, reading)) is not None:
        said.append(Place({"pattern": pattern}, next(reading.said("patternProperties"))[2].where))
    part = converter.part([Place({"type": "string"}, ""), *said])
    return part.node if part is not None else {"type": "string"}


def _key_pattern(converter: Converter, reading: Reading) -> str | None:
    """The only pattern of `patternProperties`, if it covers all keys and the vendor accepts it for keys."""
    patterns = [pattern for _, value, _ in reading.said("patternProperties") for pattern in value]
    if len(patterns) != 1 or _names(reading) or converter.rules.dictionaries or is_beyond(patterns[0]):
        return None
    return patterns[0] if "pattern" in converter.rules.keywords else None


def _counts(converter: Converter, reading: Reading, most: int, least: int, has_entries: bool) -> None:
    for keyword, value, place in reading.said("minProperties", "maxProperties"):
        holds = least >= value if keyword == "minProperties" else not has_entries and most <= value
        if not holds:
            converter.lose(place.where, keyword)
    if has_entries:
        for _, _, place in reading.said("propertyNames"):
            if converter.rules.dictionaries:
                converter.lose(place.where, "propertyNames")


def _conditions(converter: Converter, reading: Reading, required: set[str], present: set[str]) -> None:
    for keyword, value, place in reading.said("dependencies", "dependentRequired", "dependentSchemas"):
        for name, needs in value.items() if isinstance(value, dict) else ():
            listed = [needs] if isinstance(needs, str) else needs
            if not (isinstance(listed, list) and required.issuperset(listed)) and (name in present or not present):
                converter.lose(place.where, keyword)
