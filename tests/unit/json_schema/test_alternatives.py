"""Alternatives that overlap: open objects under oneOf, conditions under allOf; what is done where they are too many."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from frisket import Grammar
from frisket.errors import LimitExceededError
from frisket.json_schema import JSONSchemaOptions

ANY_ORDER = JSONSchemaOptions(property_order="any")


def branches(count: int, **keys: Any) -> list[dict[str, Any]]:
    """Open objects, each with keys of its own."""
    return [
        {
            "type": "object",
            "properties": {f"{key}{i}": value for key, value in keys.items()},
            "required": [f"{key}{i}" for key in keys if key != "z"],
        }
        for i in range(count)
    ]


def conditions(count: int) -> list[dict[str, Any]]:
    return [
        {"if": {"properties": {f"a{i}": {"const": 1}}, "required": [f"a{i}"]}, "then": {"required": [f"b{i}"]}}
        for i in range(count)
    ]


INTEGER, TEXT = {"type": "integer"}, {"type": "string"}
MANY = [
    {"oneOf": branches(10, a=INTEGER)},
    {"oneOf": branches(40, a=INTEGER)},
    {"oneOf": [{**one, "properties": {**one["properties"], "id": TEXT}} for one in branches(12, a=INTEGER)]},
    {
        "oneOf": [
            {"properties": {"id": TEXT, f"a{i}": INTEGER}, "required": ["id", f"a{i}"], "type": "object"}
            for i in range(12)
        ]
    },
    {"oneOf": branches(4, a=INTEGER, b=TEXT)},
    {"oneOf": branches(4, a=INTEGER, z=TEXT)},
    {"type": "object", "allOf": conditions(5)},
    {"type": "object", "properties": {"b0": INTEGER}, "allOf": conditions(5)},
    {"type": "object", "not": {"anyOf": branches(3, a=INTEGER, b=TEXT, z=TEXT)}},
    {"type": "object", "allOf": [{"anyOf": branches(3, a=INTEGER, z=TEXT)}, {"not": {"required": ["a0", "a1"]}}]},
]


def some_document(chance: random.Random) -> dict[str, Any]:
    keys = chance.sample([f"{key}{i}" for key in "abz" for i in range(4)] + ["id", "other"], chance.randint(0, 5))
    return {key: chance.choice([1, 2, "x", None]) for key in keys}


@pytest.mark.parametrize("schema", MANY, ids=range(len(MANY)))
def test_many_alternatives_are_exact(schema: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    made = Grammar.from_json_schema(schema, ANY_ORDER)
    assert made.report is not None and made.report.exact
    validator = jsonschema.Draft202012Validator(schema)
    chance = random.Random(1)
    for _ in range(300):
        document = some_document(chance)
        assert made.accepts(json.dumps(document)) == validator.is_valid(document), document


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": branches(24, a=INTEGER, b=TEXT)},
        {"type": "object", "allOf": conditions(24)},
        {"type": "object", "dependentSchemas": {f"a{i}": {"properties": {f"b{i}": TEXT}} for i in range(16)}},
    ],
    ids=["oneOf", "allOf", "dependentSchemas"],
)
def test_what_multiplies_too_far_is_refused_with_advice(schema: dict[str, Any]) -> None:
    with pytest.raises(LimitExceededError, match="more than") as caught:
        Grammar.from_json_schema(schema, ANY_ORDER)
    assert caught.value.hint is not None and "relaxed=True leaves out what splits further" in caught.value.hint
    loosened = Grammar.from_json_schema(schema, JSONSchemaOptions(property_order="any", relaxed=True))
    assert loosened.report is not None and not loosened.report.exact
