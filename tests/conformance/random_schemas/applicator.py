"""A random generator → schemas of 2020-12 that apply schemas to members and items in every way, counts beside them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

DRAFT = "https://json-schema.org/draft/2020-12/schema"
KEYS = ["a", "b", "ab", "x-1"]
PATTERNS = ["^a", "b$", "^(?!a)", "a.?b", "^.{1,2}$"]
VALUES: list[Any] = [None, True, 0, 1, 1.5, "", "a", "ab", [], [1], ["a", "a"], {}, {"a": 1}]
REFERENCES = [{"$ref": "#/$defs/one"}, {"$ref": "#/$defs/two"}, {"$dynamicRef": "#here"}]


def applicators(rng: random.Random) -> Any:
    """A schema of the source, with two definitions and a dynamic anchor."""
    schema = _schema(rng, 3)
    if not isinstance(schema, dict):
        return schema
    definitions = {"one": _schema(rng, 2), "two": _schema(rng, 1)}
    return {"$schema": DRAFT, **schema, "$dynamicAnchor": "here", "$defs": definitions}


def _schema(rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.1:
        types = ["integer", "string", "array", "object", "null"]
        return rng.choice([True, False, {"type": rng.choice(types)}, {"const": rng.choice(VALUES)}])

    def here() -> Any:
        return _schema(rng, depth - 1)

    def below() -> Any:
        # References lead from members and items alone: a value that is asked by itself again has no meaning.
        return dict(rng.choice(REFERENCES)) if rng.random() < 0.15 else here()

    schema: dict[str, Any] = {}
    for name in rng.sample(list(PARTS), rng.choice([1, 2, 2, 3, 4])):
        schema |= PARTS[name](rng, here, below)
    return schema


def _counts(rng: random.Random, of: str) -> dict[str, int]:
    """Bounds of a number of items, members or matches; the least may be above the most."""
    bounds = {f"min{of}": rng.randint(0, 2), f"max{of}": rng.randint(0, 3)}
    return {keyword: bound for keyword, bound in bounds.items() if rng.random() < 0.5}


Schemas = Callable[[], Any]

#: Name → keywords, made of schemas of the same value and of schemas of its members or items.
PARTS: dict[str, Callable[[random.Random, Schemas, Schemas], dict[str, Any]]] = {
    "type": lambda rng, *_: {"type": rng.sample(["integer", "string", "array", "object", "null"], rng.randint(1, 3))},
    "enum": lambda rng, *_: {"enum": rng.sample(VALUES, rng.randint(1, 4))},
    "properties": lambda rng, _, below: {"properties": {key: below() for key in rng.sample(KEYS, rng.randint(1, 3))}},
    "patterns": lambda rng, _, below: {"patternProperties": {rng.choice(PATTERNS): below()}},
    "others": lambda rng, _, below: {rng.choice(["additionalProperties", "unevaluatedProperties"]): below()},
    "names": lambda rng, here, _: {"propertyNames": rng.choice([here(), {"pattern": rng.choice(PATTERNS)}])},
    "required": lambda rng, *_: {"required": rng.sample(KEYS, rng.randint(1, 2))},
    "needs": lambda rng, *_: {"dependentRequired": {rng.choice(KEYS): rng.sample(KEYS, rng.randint(0, 2))}},
    "depends": lambda rng, here, _: {"dependentSchemas": {rng.choice(KEYS): here()}},
    "members": lambda rng, *_: _counts(rng, "Properties"),
    "prefix": lambda rng, _, below: {"prefixItems": [below() for _ in range(rng.randint(1, 3))]},
    "items": lambda rng, _, below: {rng.choice(["items", "unevaluatedItems"]): below()},
    "contains": lambda rng, _, below: {"contains": below(), **_counts(rng, "Contains")},
    "length": lambda rng, *_: {**_counts(rng, "Items"), "uniqueItems": rng.random() < 0.3},
    "text": lambda rng, *_: {**_counts(rng, "Length"), "pattern": rng.choice(PATTERNS)},
    "all": lambda rng, here, _: {rng.choice(["allOf", "anyOf", "oneOf"]): [here(), here()]},
    "not": lambda rng, here, _: {"not": here()},
    "if": lambda rng, here, _: {"if": here(), rng.choice(["then", "else"]): here()},
}
