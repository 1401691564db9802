"""Schema × keyword → the schema without it, and schemas of the documents that only one of the two accepts."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from frisket.json_pointer import escape, find, unescape
from tests.conformance.walk import example

#: What gives a place a name of its own, or a base to its references: where one stands, pointers are not all there is.
NAMES = {"$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"}
DYNAMIC = {"$recursiveRef", "$dynamicRef"}
#: Keywords that hold a schema, or an array of them.
APPLICATORS = {
    *("additionalItems", "additionalProperties", "allOf", "anyOf", "contains", "contentSchema", "else", "if", "items"),
    *("not", "oneOf", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
}
#: One value of each kind, and one more.
PROBES: list[Any] = [None, True, 0, -1.5, "", "no such word", [], [None], {}, {"no such name": None}]
#: What nothing satisfies, in every draft.
NEVER: dict[str, Any] = {"not": {}}
#: Keywords that hold schemas by name.
TABLES = {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}


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
    if not isinstance(schema, dict):
        return None
    if foreign or any(not NAMES.isdisjoint(part) for at, part in parts if at) or DYNAMIC & schema.keys():
        return _resources(schema, changed)
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


def _resources(schema: Any, changed: Any) -> tuple[Any, Any] | None:
    dialect = str(schema.get("$schema", ""))
    name = "id" if "draft-04" in dialect else "$id"
    if "$ref" in schema and any(draft in dialect for draft in ("draft-04", "draft-06", "draft-07")):
        return None  # a name beside a reference is none there
    root = str(schema.get(name, "https://root.invalid/root"))
    if "://" not in root:
        return None
    own = {urljoin(root, str(part[name])).split("#")[0] for _, part in places(schema, "") if name in part} | {root}

    def renamed(uri: Any, side: str) -> Any:
        if isinstance(uri, str) and uri.split("#")[0] in own:
            return uri.replace("://", f"://{side}.", 1) if "://" in uri else uri.replace("urn:", f"urn:{side}-", 1)
        return uri

    def resource(of: Any, side: str) -> Any:
        of = copy.deepcopy(of)
        for _, part in list(places(of, "")):
            part.update({key: renamed(part[key], side) for key in (name, "$ref", *DYNAMIC) if key in part})
        return {**of, name: renamed(root, side)}

    old, new = resource(schema, "old"), resource(changed, "new")
    head = {"$schema": schema["$schema"]} if "$schema" in schema else {}
    return {**head, "allOf": [new, {"not": old}]}, {**head, "allOf": [old, {"not": new}]}


def alone(schema: Any, pointer: str, keyword: str) -> tuple[Any, Any]:
    """As `whole`, of the one place, wherever it stands."""
    part = find(schema, pointer)
    rest = {key: value for key, value in part.items() if key != keyword}
    around = {key: schema[key] for key in ("$schema", "$defs", "definitions") if key in schema}
    return {**around, "allOf": [rest, {"not": part}]}, {**around, "allOf": [part, {"not": rest}]}


def led(schema: Any, pointer: str, keyword: str, *, probed: bool = False) -> tuple[Any, Any] | None:
    """As `whole`, but of documents that must get to the place, by one way; None if none is found.

    Walks find the end of these more easily: what must stand on the way is required, other alternatives are gone. The
    documents need not be valid to the schema itself; most are. `probed`: of the value at the place nothing is asked but
    to be one of PROBES.
    """
    schema = copy.deepcopy(schema)
    chain = _chain(schema, pointer)
    if chain is None:
        return None
    at = chain[0]
    for further in chain[1:]:
        part = find(schema, at)
        target = part.pop("$ref")[1:]
        inner = copy.deepcopy(find(schema, target))
        if not isinstance(inner, dict):
            return None
        part.update(inner)
        at += further.removeprefix(target)
    steps = at.split("/")[1:]
    depth = 0
    while depth < len(steps):
        holder = find(schema, "".join(f"/{step}" for step in steps[:depth]))
        depth += _require(holder, steps[depth], steps[depth + 1] if depth + 1 < len(steps) else "")
    part = find(schema, at)
    whole_part, rest = dict(part), {key: value for key, value in part.items() if key != keyword}
    # The engine would look for the shortest text of so many characters; one is as good as another.
    probes = ["x" * (int(part[keyword]) + 1)] if keyword == "maxLength" else PROBES
    if keyword == "multipleOf":
        probes = _multiples([other for place, other in places(schema, "") if place != at and "/not" not in place])
    found = []
    for one, other in ((rest, whole_part), (whole_part, rest)):
        part.clear()
        # That items are equal cannot be asked for; that there is one to be doubled can.
        doubled = keyword == "uniqueItems"
        asked = {"type": "array", "minItems": 1} if doubled else {"not": other}
        part["allOf"] = [{"enum": probes}] if probed else [one, asked]
        found.append(copy.deepcopy(schema))
    return found[0], found[1]


def _multiples(parts: list[Any]) -> list[int]:
    """Some numbers that every whole `multipleOf` of a schema divides, beyond all its bounds."""
    step, bound = 1, 0
    for part in parts:
        if isinstance(part.get("multipleOf"), int):
            step = math.lcm(step, part["multipleOf"] or 1)
        bound = max([bound, *(part[name] for name in ("minimum", "exclusiveMinimum") if _is_number(part.get(name)))])
    return [step * (int(bound) // step + count) for count in range(1, 13)]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def repeatable(schema: Any) -> Any:
    """The schema without `uniqueItems`."""
    changed = copy.deepcopy(schema)
    for _, part in places(changed, ""):
        part.pop("uniqueItems", None)
    return changed


def _chain(schema: Any, pointer: str) -> list[str] | None:
    """Pointers to references, each within what the one before it leads to, the first from the root, then the place."""
    refs = [(at, part["$ref"]) for at, part in places(schema, "") if isinstance(part.get("$ref"), str)]
    ways = [[pointer]]
    known = set()
    while ways:
        way = ways.pop(0)
        if way[0].split("/")[1:2] not in (["definitions"], ["$defs"]):
            return way
        for at, ref in refs:
            if at not in known and _points(ref) and ref != "#" and f"{way[0]}/".startswith(f"{ref[1:]}/"):
                known.add(at)
                ways.append([at, *way])
    return None


def _require(holder: Any, step: str, after: str) -> int:
    """Make a keyword apply to something; how many steps of a pointer that is."""
    if not isinstance(holder, dict):
        return 1
    after = unescape(after)
    needed = {"properties": [after], "patternProperties": [example(after)], "additionalProperties": ["another name"]}
    if step in needed:
        holder["required"] = list(dict.fromkeys([*holder.get("required", []), *needed[step]]))
        holder["type"] = "object"
    elif step in ("items", "prefixItems", "additionalItems"):
        listed = isinstance(holder[step], list)
        before = len(holder.get("items", [])) if step == "additionalItems" else int(after) if listed else 0
        holder["minItems"] = max(before + 1, holder.get("minItems", 0))
        holder["type"] = "array"
    elif step in ("anyOf", "oneOf"):
        holder[step] = [part if index == int(after) else NEVER for index, part in enumerate(holder[step])]
    return 2 if step in TABLES or isinstance(holder.get(step), list) else 1


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
                        yield from places(item, f"{pointer}/{key}/{escape(name)}")


def _points(ref: str) -> bool:
    """Whether a reference is a pointer into the same document, spelled as it is meant."""
    return ref == "#" or (ref.startswith("#/") and "%" not in ref)


def _reaches(target: str, place: str) -> bool:
    """Whether what a pointer leads to holds a place, or lies in it."""
    return place == target or place.startswith(f"{target}/") or target.startswith(f"{place}/")
