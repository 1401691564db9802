"""properties, required, dependent* and their like → conditions on an object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tests.oracle.json_schema import object
from tests.oracle.json_schema.reading import Evaluated
from tests.oracle.json_schema.value import ANYTHING, NOTHING, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.reader import Reader


def read_properties(reader: Reader, _: Any) -> None:
    """properties, patternProperties and additionalProperties, which read together."""
    if reader.fields_read:
        return
    reader.fields_read = True
    schema, reading = reader.schema, reader.reading
    names: dict[str, Goal] = {}
    if "properties" in schema:
        below, site = reader.algebra.below, reader.site
        for key, value in reader.mapping("properties", schema["properties"]).items():
            names[key] = below(site, value, "properties", key)
    patterns: list[tuple[int, Goal]] = []
    unknown = False
    if "patternProperties" in schema:
        for pattern, value in reader.mapping("patternProperties", schema["patternProperties"]).items():
            node = reader.pattern("patternProperties", pattern, pattern)
            if node is None:
                unknown = True
            else:
                patterns.append((node, reader.goal(value, "patternProperties", pattern)))
    rest, closed = ANYTHING, False
    if "additionalProperties" in schema:
        rest, closed = reader.goal(schema["additionalProperties"], "additionalProperties"), True
    if unknown:
        rest = ANYTHING
    opens = closed and reader.algebra.options.closed_objects
    if names or patterns or rest or opens:
        lists = bool(names or patterns)
        reader.objects.append(object.Fields(names, tuple(patterns), rest, lists=lists, opens=opens))
    if names or patterns or closed:
        reading.looks.append(
            lambda: Evaluated(frozenset(names), frozenset(node for node, _ in patterns), closed or unknown)
        )


def read_required(reader: Reader, value: Any) -> None:
    keys = reader.keys("required", value)
    if keys:
        reader.objects.append(object.Required(keys))


def read_min_properties(reader: Reader, value: Any) -> None:
    least = reader.count("minProperties", value)
    if least:
        reader.objects.append(object.Count(least, None))


def read_max_properties(reader: Reader, value: Any) -> None:
    reader.objects.append(object.Count(0, reader.count("maxProperties", value)))


def read_property_names(reader: Reader, value: Any) -> None:
    goal = reader.goal(value, "propertyNames")
    if goal:
        reader.objects.append(object.Names(goal))


def read_dependent_required(reader: Reader, value: Any) -> None:
    for key, needs in reader.mapping("dependentRequired", value).items():
        need_keys(reader, key, reader.keys("dependentRequired", needs))


def read_dependent_schemas(reader: Reader, value: Any) -> None:
    for key, schema in reader.mapping("dependentSchemas", value).items():
        need_schema(reader, key, reader.goal(schema, "dependentSchemas", key))


def read_dependencies(reader: Reader, value: Any) -> None:
    for key, demand in reader.mapping("dependencies", value).items():
        if isinstance(demand, list):
            need_keys(reader, key, reader.keys("dependencies", demand))
        elif isinstance(demand, str):
            need_keys(reader, key, (demand,))
        else:
            need_schema(reader, key, reader.goal(demand, "dependencies", key))


def need_keys(reader: Reader, key: str, needs: Iterable[str]) -> None:
    reader.objects += [object.Implies(key, other) for other in needs if other != key]


def need_schema(reader: Reader, key: str, goal: Goal) -> None:
    if goal == NOTHING:
        reader.objects.append(reader.algebra.single(key, NOTHING))
    elif goal:
        present = reader.algebra.invented(reader.site, {"type": "object", "required": [key]})
        reader.reading.parts.append(("if", [present, goal, ANYTHING]))


def read_unevaluated_properties(reader: Reader, value: Any) -> None:
    goal = reader.reading.unevaluated_properties = reader.goal(value, "unevaluatedProperties")
    if not goal and reader.algebra.options.closed_objects:
        reader.objects.append(object.Fields({}, opens=True))
