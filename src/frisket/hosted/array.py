"""Keywords of arrays → a node of the dialect with its decoder; a tuple becomes an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frisket.hosted.part import Part, TupleDecoder, array, constant
from frisket.hosted.place import Place
from frisket.hosted.reading import Reading

if TYPE_CHECKING:
    from frisket.hosted.convert import Converter


def array_part(converter: Converter, reading: Reading) -> Part | None:
    """An array of items, or an object with one member per item of a tuple."""
    least = max((int(value) for _, value, _ in reading.said("minItems")), default=0)
    most = min((int(value) for _, value, _ in reading.said("maxItems")), default=None)
    if most is not None and least > most:
        return None
    for keyword, value, place in reading.said("contains", "uniqueItems"):
        if value is not False:
            converter.lose(place.where, keyword)
    places = _prefix(reading)
    rest = [item for place in reading.places for item in _item(place, len(places))]
    if not places:
        for keyword, value, place in reading.said("unevaluatedItems"):
            if value is not True and not _has_items(place):
                converter.lose(place.where, keyword)
        return _list(converter, reading, rest, least, most)
    decoded: list[Part] = []
    for number, at in enumerate(places if most is None else places[:most]):
        others = [item for place in reading.places for item in _item(place, number)]
        part = converter.part([*at, *others])
        if part is None and number < least:
            return None
        if part is None:
            most = number
            break
        decoded.append(part)
    needed = max(0, least - len(decoded))
    if not needed or (most is not None and most <= len(decoded)):
        for place in reading.places:
            converter.narrow(place.where, "prefixItems", f"exactly {len(decoded)} items")
        return _tuple(decoded, None)
    tail = _list(converter, reading, rest, needed, None if most is None else most - len(decoded))
    return None if tail is None else _tuple(decoded, tail)


def _list(converter: Converter, reading: Reading, items: list[Place], least: int, most: int | None) -> Part | None:
    empty = Part({"type": "null"}, constant([]), True)
    if most == 0:
        return empty
    part = converter.part(items) if items else converter.anything()
    if not items and not converter.rules.recursion:
        for place in reading.places:
            converter.narrow(place.where, "items", "no arrays and no objects")
    if part is None:
        return None if least else empty
    node: dict[str, Any] = {"type": "array", "items": part.node}
    rules = converter.rules
    if least:
        if "minItems" in rules.keywords:
            node["minItems"] = least if rules.min_items is None else min(least, rules.min_items)
        if node.get("minItems") != least:
            _lose(converter, reading, "minItems")
    if most is not None:
        if "maxItems" in rules.keywords:
            node["maxItems"] = most
        else:
            _lose(converter, reading, "maxItems")
    return Part(node, array(part.decode))


def _tuple(parts: list[Part], rest: Part | None) -> Part:
    properties = {str(number): part.node for number, part in enumerate(parts)}
    if rest is not None:
        properties["rest"] = rest.node
    node = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return Part(node, TupleDecoder([part.decode for part in parts], rest.decode if rest else None))


def _lose(converter: Converter, reading: Reading, keyword: str) -> None:
    for _, _, place in reading.said(keyword):
        converter.lose(place.where, keyword)


def _tuple_keyword(place: Place) -> str | None:
    if isinstance(place.schema.get("prefixItems"), list):
        return "prefixItems"
    return "items" if isinstance(place.schema.get("items"), list) else None


def _prefix(reading: Reading) -> list[list[Place]]:
    """The items of the longest tuple, each with the subschemas that all tuples have for it."""
    size = max((len(place.schema[word]) for place in reading.places if (word := _tuple_keyword(place))), default=0)
    found: list[list[Place]] = [[] for _ in range(size)]
    for place in reading.places:
        if word := _tuple_keyword(place):
            for number in range(len(place.schema[word])):
                found[number].append(place.child(word, number))
    return found


def _has_items(place: Place) -> bool:
    return isinstance(place.schema.get("items"), dict | bool)


def _item(place: Place, number: int) -> list[Place]:
    """The subschema of a place for item `number` and later items, if its own tuple is shorter."""
    word = _tuple_keyword(place)
    if word is not None and number < len(place.schema[word]):
        return []
    for keyword in ("additionalItems",) if word == "items" else ("items", "unevaluatedItems"):
        if keyword in place.schema and (
            keyword == "unevaluatedItems" or isinstance(place.schema[keyword], dict | bool)
        ):
            return [place.child(keyword)]
    if word == "items" and "unevaluatedItems" in place.schema:
        return [place.child("unevaluatedItems")]
    return []
