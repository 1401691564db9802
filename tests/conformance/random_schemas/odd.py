"""A random generator → a schema in odd shapes: invalid, impossible, recursive, with references that lead nowhere."""

from __future__ import annotations

import random
from typing import Any

NAMES = ["a", "b", "id", "$schema", "$id", "~/", "é", "type"]


def some_schema(rng: random.Random, depth: int) -> Any:
    """A schema, mostly plain; some of it invalid, impossible, recursive or for Python."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice([True, {}, {"title": "t"}, {"type": "string"}, {"type": ["null", "integer"]}, False])
    schema: dict[str, Any] = {}
    for keyword in rng.sample(list(KEYWORDS), rng.randint(1, 5)):
        schema[keyword] = KEYWORDS[keyword](rng, depth - 1)
    if rng.random() < 0.7:
        schema["type"] = (
            "object" if "properties" in schema else "array" if "items" in schema else schema.get("type", "string")
        )
    return schema


def _members(rng: random.Random, depth: int) -> Any:
    return {key: some_schema(rng, depth) for key in rng.sample(NAMES, rng.randint(0, 4))}


KEYWORDS: dict[str, Any] = {
    "type": lambda rng, _: rng.choice(["string", "integer", "number", "boolean", ["object", "null"], ["array"], "odd"]),
    "properties": _members,
    "required": lambda rng, _: [rng.choice(NAMES) for _ in range(rng.randint(0, 3))],
    "additionalProperties": lambda rng, depth: rng.choice([True, False, some_schema(rng, depth)]),
    "items": lambda rng, depth: rng.choice([some_schema(rng, depth), some_schema(rng, depth), [some_schema(rng, 0)]]),
    "enum": lambda rng, _: rng.choice([["x", "y", "x"], ["x", None, True], [], [1, 2.5], [["x"]], "x"]),
    "const": lambda rng, _: rng.choice(["x", None, False, 3, {"a": 1}]),
    "minLength": lambda rng, _: rng.choice([0, 1, 4, 2.0, -1]),
    "maxLength": lambda rng, _: rng.choice([0, 3, 5000]),
    "minItems": lambda rng, _: rng.choice([0, 1, 3]),
    "maxItems": lambda rng, _: rng.choice([0, 1, 2, 1 << 70]),
    "uniqueItems": lambda rng, _: rng.choice([True, False, 1]),
    "minProperties": lambda rng, _: rng.choice([0, 1, 3]),
    "maxProperties": lambda rng, _: rng.choice([0, 1, 2]),
    "minimum": lambda rng, _: rng.choice([0, -3, 1.5]),
    "pattern": lambda rng, _: rng.choice(["^a+$", "b", "(?=a)b\\1"]),
    "format": lambda rng, _: rng.choice(["date", "uuid", "unknown", "date-time", "time", "int32", "uint64"]),
    "anyOf": lambda rng, depth: [some_schema(rng, depth), some_schema(rng, depth)],
    "allOf": lambda rng, depth: [some_schema(rng, depth)],
    "patternProperties": lambda rng, depth: {"^a": some_schema(rng, depth)},
    "$ref": lambda rng, _: rng.choice(
        ["#", "#/definitions/one", "#/definitions/two", "#/properties/a", "#/no", "#name"]
    ),
    "dependencies": lambda rng, depth: {
        rng.choice(NAMES): rng.choice(
            [[rng.choice(NAMES), rng.choice(NAMES)], ["b"], ["a", "b", 1], "b", some_schema(rng, depth)]
        )
        for _ in range(2)
    },
    "dependentRequired": lambda rng, _: {rng.choice(NAMES): [rng.choice(NAMES), rng.choice(NAMES)]},
    "description": lambda rng, _: "d",
    "requried": lambda rng, _: ["a"],
    "$id": lambda rng, _: rng.choice(["http://x.test/y", "#name", "other"]),
    "id": lambda rng, _: rng.choice(["http://x.test/y", "#name", "http://[", 1]),
}


def random_schema(rng: random.Random) -> Any:
    schema = some_schema(rng, 4)
    if isinstance(schema, dict):
        if rng.random() < 0.3:
            draft = rng.choice(["http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#"])
            schema["$schema"] = rng.choice([draft, draft, "http://x.test/draft"])
        schema["definitions"] = {"one": some_schema(rng, 3), "two": some_schema(rng, 2)}
        if rng.random() < 0.3:
            schema["properties"] = {**{chr(97 + i): {"type": "string"} for i in range(12)}, "z": some_schema(rng, 2)}
    return schema
