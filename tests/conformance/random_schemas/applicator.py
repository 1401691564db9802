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
    schema: dict[str, Any] = {}
    for name in rng.sample(list(PARTS), rng.choice([1, 2, 2, 3, 4])):
        schema |= PARTS[name](rng, lambda: _schema(rng, depth - 1))
    return schema


def _counts(rng: random.Random, of: str) -> dict[str, int]:
    """Bounds of a number of items, members or matches; the least may be above the most."""
    bounds = {f"min{of}": rng.randint(0, 2), f"max{of}": rng.randint(0, 3)}
    return {keyword: bound for keyword, bound in bounds.items() if rng.random() < 0.5}


Inner = Callable[[], Any]

PARTS: dict[str, Callable[[random.Random, Inner], dict[str, Any]]] = {
    "type": lambda rng, _: {"type": rng.sample(["integer", "string", "array", "object", "null"], rng.randint(1, 3))},
    "enum": lambda rng, _: {"enum": rng.sample(VALUES, rng.randint(1, 4))},
    "properties": lambda rng, inner: {"properties": {key: inner() for key in rng.sample(KEYS, rng.randint(1, 3))}},
    "patterns": lambda rng, inner: {"patternProperties": {rng.choice(PATTERNS): inner()}},
    "others": lambda rng, inner: {rng.choice(["additionalProperties", "unevaluatedProperties"]): inner()},
    "names": lambda rng, inner: {"propertyNames": rng.choice([inner(), {"pattern": rng.choice(PATTERNS)}])},
    "required": lambda rng, _: {"required": rng.sample(KEYS, rng.randint(1, 2))},
    "needs": lambda rng, _: {"dependentRequired": {rng.choice(KEYS): rng.sample(KEYS, rng.randint(0, 2))}},
    "depends": lambda rng, inner: {"dependentSchemas": {rng.choice(KEYS): inner()}},
    "members": lambda rng, _: _counts(rng, "Properties"),
    "prefix": lambda rng, inner: {"prefixItems": [inner() for _ in range(rng.randint(1, 3))]},
    "items": lambda rng, inner: {rng.choice(["items", "unevaluatedItems"]): inner()},
    "contains": lambda rng, inner: {"contains": inner(), **_counts(rng, "Contains")},
    "length": lambda rng, _: {**_counts(rng, "Items"), "uniqueItems": rng.random() < 0.3},
    "text": lambda rng, _: {**_counts(rng, "Length"), "pattern": rng.choice(PATTERNS)},
    "all": lambda rng, inner: {rng.choice(["allOf", "anyOf", "oneOf"]): [inner(), inner()]},
    "not": lambda rng, inner: {"not": inner()},
    "if": lambda rng, inner: {"if": inner(), **{branch: inner() for branch in rng.sample(["then", "else"], 2)}},
    "reference": lambda rng, _: dict(rng.choice(REFERENCES)),
}
