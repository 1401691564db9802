"""A random generator → objects whose conditions and alternatives look at one member, and some at others, too."""

from __future__ import annotations

import random
from typing import Any

DRAFT = "https://json-schema.org/draft/2020-12/schema"
#: The member that decides, and others.
KIND, KEYS = "k", ["a", "b", "ab", "x-1"]
#: What is asked of it: constants and lists, some with values in common, and conditions that are no lists.
LISTS: list[Any] = [
    *({"const": "a"}, {"const": "ab"}, {"const": "b"}, {"const": 1}, {"const": 1.5}, {"const": None}, {"const": True}),
    *({"enum": ["a", "xyz"]}, {"enum": ["xyz", 1]}, {"enum": [0, 1, None]}, {"enum": ["c", "d"]}, {"enum": [[], "a"]}),
    *({"const": "x-1"}, {"const": {}}, {"enum": ["b", "c"], "minLength": 1}, {"type": "integer", "enum": [1, 1.5]}),
]  # fmt: skip
PATTERNS: list[Any] = [
    *({"pattern": "^a"}, {"pattern": "^x"}, {"type": "string", "pattern": "b$"}, {"type": "string"}, {"minimum": 1}),
    *({"type": "null"}, {"not": {"const": "a"}}, {"$ref": "#/$defs/kind"}, True, False, {"type": ["string", "null"]}),
]  # fmt: skip
#: Languages of texts: some share texts, some lie in others.
LANGUAGES: list[Any] = [
    *({"pattern": "^a"}, {"pattern": "^ab"}, {"pattern": "^x-"}, {"pattern": "^[ax]"}, {"pattern": "b"}),
    *({"maxLength": 1}, {"type": "string", "pattern": "^(b|c)$"}),
    *({"type": "string", "minLength": 2}, {"not": {"pattern": "^a"}}),
    *({"anyOf": [{"pattern": "z$"}, {"type": "null"}]}, {"type": ["string", "integer"], "pattern": "^(a?b)*$"}),
]  # fmt: skip
VALUES: list[Any] = [
    *({"type": "integer"}, {"type": "string"}, {"const": 1}, {"const": "a"}, {"maxLength": 1}, {"minimum": 1}, False),
    *({"type": ["null", "string"]}, {"enum": ["a", "b", 0]}, {}),
]  # fmt: skip


def switches(rng: random.Random) -> Any:
    """A schema of the source."""
    schema: dict[str, Any] = {"$schema": DRAFT}
    if rng.random() < 0.7:
        schema["type"] = rng.choice(["object", "object", ["object", "null"]])
    if rng.random() < 0.7:
        schema["properties"] = {key: rng.choice(VALUES) for key in rng.sample(KEYS, rng.randint(0, 2))}
        if rng.random() < 0.5:
            schema["properties"][KIND] = rng.choice([{"type": "string"}, {}, {"enum": ["a", "ab", 1, None, "c"]}])
    if rng.random() < 0.4:
        schema["required"] = rng.sample([KIND, *KEYS], rng.randint(1, 2))
    if rng.random() < 0.15:
        schema[rng.choice(["additionalProperties", "unevaluatedProperties"])] = rng.choice([False, rng.choice(VALUES)])
    form = rng.random()
    if form < 0.5:
        schema["allOf"] = [_condition(rng) for _ in range(rng.randint(3, 5))]
        if rng.random() < 0.2:
            schema["oneOf"] = [_object(rng) for _ in range(rng.randint(2, 3))]
    elif form < 0.7:
        schema |= _chain(rng, rng.randint(3, 5))
    else:
        schema[rng.choice(["oneOf", "oneOf", "anyOf"])] = [_object(rng) for _ in range(rng.randint(3, 4))]
    schema["$defs"] = {"kind": rng.choice(LISTS), "part": _condition(rng)}
    return {"not": schema} if rng.random() < 0.05 else schema


def language_switches(rng: random.Random) -> Any:
    """A schema of the source, most conditions of which ask for a language."""
    schema = switches(rng)
    stack = [schema]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            asked = part.get("properties")
            if isinstance(asked, dict) and KIND in asked and rng.random() < 0.7:
                asked[KIND] = rng.choice(LANGUAGES)
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
    return schema


def _asked(rng: random.Random) -> Any:
    return rng.choice(LISTS if rng.random() < 0.75 else PATTERNS)


def _test(rng: random.Random, depth: int = 2) -> Any:
    """A condition on the member, most often nothing else."""
    form = rng.random()
    if depth and form < 0.25:
        tests = [_test(rng, depth - 1) for _ in range(rng.randint(1, 2))]
        return rng.choice([{"anyOf": tests}, {"allOf": tests}, {"not": tests[0]}, {"oneOf": tests}])
    test: dict[str, Any] = {"properties": {KIND: _asked(rng)}}
    if rng.random() < 0.2:
        test["properties"][rng.choice(KEYS)] = rng.choice(VALUES)
    if rng.random() < 0.5:
        test["required"] = [KIND] if rng.random() < 0.8 else [KIND, rng.choice(KEYS)]
    if rng.random() < 0.15:
        test["type"] = rng.choice(["object", "object", "null"])
    if rng.random() < 0.05:
        test["additionalProperties"] = False
    return test if rng.random() < 0.95 else {"required": [KIND]}


def _object(rng: random.Random) -> dict[str, Any]:
    """An alternative: the member, and some others."""
    properties = {KIND: _asked(rng), **{key: rng.choice(VALUES) for key in rng.sample(KEYS, rng.randint(0, 2))}}
    found: dict[str, Any] = {"properties": properties}
    if rng.random() < 0.4:
        found["required"] = rng.sample(list(properties), 1)
    if rng.random() < 0.3:
        found["additionalProperties"] = False
    if rng.random() < 0.3:
        found["type"] = "object"
    return found


def _then(rng: random.Random) -> Any:
    key = rng.choice(KEYS)
    return rng.choice(
        [
            {"required": [key]},
            {"properties": {key: rng.choice(VALUES)}},
            {"properties": {key: rng.choice(VALUES)}, "required": [key]},
            {"not": {"required": [key]}},
            {"properties": {KIND: _asked(rng)}},
            *(False, True, {"maxProperties": 2}),
            {"oneOf": [{"required": [key]}, {"required": [rng.choice(KEYS)]}]},
            {"if": _test(rng, 0), "then": {"required": [key]}},
        ]
    )


def _condition(rng: random.Random) -> Any:
    form = rng.random()
    if form < 0.1:
        return {"$ref": "#/$defs/part"} if form < 0.03 else {"not": _test(rng)}
    if form < 0.15:
        return {"dependentSchemas": {rng.choice([KIND, *KEYS]): _then(rng)}}
    if form < 0.2:
        return {"anyOf": [_test(rng), _then(rng)]}
    branches = {"then": _then(rng), "else": _then(rng)}
    for branch in ("then", "else"):
        if rng.random() < (0.1 if branch == "then" else 0.5):
            del branches[branch]
    return {"if": _test(rng), **branches}


def _chain(rng: random.Random, length: int) -> dict[str, Any]:
    found: Any = _then(rng)
    for _ in range(length):
        found = {"if": _test(rng), "then": _then(rng), "else": found}
    return dict(found)
