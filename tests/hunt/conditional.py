"""A random generator → objects whose members depend on each other, and the same with one condition more, less or other.

`max_alternatives` is so small that conditions cannot be multiplied out: they become clauses over marks.
"""

from __future__ import annotations

import copy
import random

from frisket import JSONSchemaOptions

from .schemas import Schema

KEYS = ["a", "b", "ab", "x", "é"]
VALUES: list[Schema | bool] = [
    *({"const": 1}, {"const": 2}, {"enum": [1, "x"]}, {"type": "integer"}, {"type": "string"}, {"minimum": 2}),
    *({"type": ["integer", "null"]}, {"not": {"const": 1}}, {"type": "array"}, {"required": ["a"]}, True, False),
]
PIECES = [
    '{"', '{"a":', '{"b":1', '":1', '":2', '":"x"', ',"a":1', ',"b":', '1,"', '2,"', '"x","', '":1}', '":2}', "1}",
    "2}", "null", "[]", "12", "},", "}}", '"ab":', '"é":',
]  # fmt: skip


def options(draw: random.Random) -> JSONSchemaOptions:
    return JSONSchemaOptions(
        whitespace=draw.choice(("compact", "compact", "bounded")),
        property_order=draw.choice(("any", "schema")),
        max_alternatives=draw.choice((1, 2, 2, 4)),
    )


def members(draw: random.Random) -> Schema:
    """What one alternative or condition asks of members."""
    found: Schema = {"type": "object"} if draw.random() < 0.3 else {}
    if draw.random() < 0.7:
        found["properties"] = {key: draw.choice(VALUES) for key in draw.sample(KEYS, draw.randrange(1, 3))}
    if draw.random() < 0.6 or not found:
        found["required"] = draw.sample(KEYS, draw.choice((1, 1, 2)))
    return found


def condition(draw: random.Random) -> Schema:
    match draw.randrange(6):
        case 0 | 1:
            return {"if": members(draw), "then": members(draw)}
        case 2:
            return {"if": members(draw), "then": members(draw), "else": members(draw)}
        case 3:
            return {"anyOf": [members(draw) for _ in range(draw.randrange(2, 4))]}
        case 4:
            return {"not": members(draw)}
    return {"oneOf": [members(draw) for _ in range(2)]}


def schema(draw: random.Random) -> Schema:
    found: Schema = {"type": "object", "allOf": [condition(draw) for _ in range(draw.randrange(1, 4))]}
    for _ in range(draw.randrange(3)):
        found |= draw.choice(
            [
                {"maxProperties": draw.randrange(1, 4)},
                {"minProperties": draw.randrange(1, 3)},
                {"additionalProperties": draw.choice(VALUES)},
                {"propertyNames": {"enum": [*KEYS, "y"]}},
                {"dependentRequired": {draw.choice(KEYS): [draw.choice(KEYS)]}},
                {"properties": {key: draw.choice(VALUES) for key in draw.sample(KEYS, 2)}},
                {"patternProperties": {"^[ax]": draw.choice(VALUES)}},
            ]
        )
    return found


def edited(draw: random.Random, root: Schema) -> Schema:
    """The schema with one condition more, less or in another's place; now and then as a member."""
    if draw.random() < 0.1:
        return {"type": "object", "properties": {"y": root}, "required": ["y"], "allOf": [condition(draw)]}
    root = copy.deepcopy(root)
    conditions = root["allOf"]
    place = draw.randrange(len(conditions))
    match draw.randrange(3):
        case 0:
            conditions.append(condition(draw))
        case 1 if len(conditions) > 1:
            del conditions[place]
        case _:
            conditions[place] = condition(draw)
    return root
