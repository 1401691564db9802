"""A random generator → alternatives and intersections of objects, arrays and leaves."""

from __future__ import annotations

import json
import random
from typing import Any

KEYS = ["a", "b", "c", "k", "$id", "kind"]
LEAVES = [
    *({"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"type": "null"}, {"type": "number"}, {}, True),
    *({"const": "x"}, {"const": "y"}, {"const": None}, {"const": True}, {"enum": ["x", "z"]}, {"enum": [1, "a"]}),
    *({"type": "string", "pattern": "^a"}, {"pattern": "b", "maxLength": 3}, {"enum": ["a", "abc"], "maxLength": 2}),
    *({"type": ["string", "null"]}, {"type": "string", "minLength": 2}, {"type": "integer", "minimum": 1}),
    *({"format": "date"}, {"format": "nobody knows"}, {"title": "t"}, {"$ref": "#/definitions/a"}),
    *({"$ref": "#/definitions/b"}, {"$ref": "#/definitions/c"}, False),
]  # fmt: skip


def some_object(rng: random.Random, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    if rng.random() < 0.8:
        schema["type"] = rng.choice(["object", "object", "object", ["object", "null"], "string"])
    if rng.random() < 0.8:
        schema["properties"] = {key: some_schema(rng, depth - 1) for key in rng.sample(KEYS, rng.randint(0, 3))}
    if rng.random() < 0.6:
        schema["required"] = rng.sample(KEYS, rng.randint(0, 2))
    if rng.random() < 0.4:
        schema["additionalProperties"] = rng.choice([False, True, some_schema(rng, depth - 1)])
    if rng.random() < 0.15:
        patterns = rng.sample(["^a", "^k", "b$", "^x", "."], rng.randint(0, 2))
        schema["patternProperties"] = {pattern: some_schema(rng, depth - 1) for pattern in patterns}
    if rng.random() < 0.15:
        schema[rng.choice(["minProperties", "maxProperties"])] = rng.randint(0, 3)
    return schema


def some_array(rng: random.Random, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array"}
    for keyword, value in (
        ("items", some_schema(rng, depth - 1)),
        ("minItems", rng.randint(0, 2)),
        ("maxItems", rng.randint(0, 2)),
        ("uniqueItems", True),
        ("additionalItems", False),
    ):
        if rng.random() < (0.8 if keyword == "items" else 0.15):
            schema[keyword] = value
    return schema


def some_union(rng: random.Random, depth: int) -> dict[str, Any]:
    schema = rng.choice([lambda: {}, lambda: some_object(rng, depth - 1), lambda: some_array(rng, depth - 1)])()
    for keyword in rng.sample(["anyOf", "oneOf", "allOf"], rng.choice([1, 1, 1, 2])):
        schema[keyword] = [
            rng.choice(
                [
                    lambda: some_schema(rng, depth - 1),
                    lambda: some_object(rng, depth - 1),
                    lambda: {"required": rng.sample(KEYS, rng.randint(1, 2))},
                ]
            )()
            for _ in range(rng.randint(1, 4))
        ]
    if rng.random() < 0.1:
        schema["$ref"] = f"#/definitions/{rng.choice('abc')}"
    return schema


def some_schema(rng: random.Random, depth: int) -> Any:
    if depth <= 0 or rng.random() < 0.2:
        # Places are known by their dicts: one must not stand in two.
        return json.loads(json.dumps(rng.choice(LEAVES)))
    return rng.choice([some_object, some_object, some_array, some_union])(rng, depth)


def alternatives(rng: random.Random) -> dict[str, Any]:
    schema = some_union(rng, 3) if rng.random() < 0.6 else some_object(rng, 4)
    schema["definitions"] = {name: some_schema(rng, 2) for name in "abc"}
    if rng.random() < 0.5:
        draft = rng.choice(["http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#"])
        schema["$schema"] = rng.choice([draft, "https://json-schema.org/draft/2019-09/schema"])
    return schema


def shared_members(rng: random.Random) -> dict[str, Any]:
    """Objects that several schemas ask for members of, some of them in the same words, some told apart only here."""
    parts: list[Any] = [some_object(rng, 2) for _ in range(rng.randint(1, 3))]
    parts.append(json.loads(json.dumps(rng.choice(parts))))
    parts[-1]["title"] = "the same again"
    if rng.random() < 0.6:
        kinds = [
            {"properties": {"kind": {"const": kind}, **some_object(rng, 2).get("properties", {})}} for kind in "xy"
        ]
        parts.insert(rng.randint(0, len(parts)), {rng.choice(["oneOf", "anyOf"]): kinds})
    schema = {"type": "object", "required": rng.sample(KEYS, rng.randint(0, 2)), "allOf": parts}
    return {
        "type": "object",
        "required": ["k"],
        "properties": {"k": schema},
        "definitions": {name: some_schema(rng, 2) for name in "abc"},
    }
