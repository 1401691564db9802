"""Alternatives that overlap: open objects under oneOf, conditions under allOf; what is done where they are too many."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from frisket import Grammar, Limits
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
    {"oneOf": branches(24, a=INTEGER, z=TEXT)},
    {"oneOf": branches(24, a=INTEGER, b=TEXT)},
    {"type": "object", "allOf": conditions(24)},
    {"type": "object", "allOf": [{**one, "else": {"required": ["id"]}} for one in conditions(12)]},
    {"type": "object", "allOf": [{"anyOf": branches(3, a=INTEGER, z=TEXT)}, {"not": {"required": ["a0", "a1"]}}]},
    {"type": "object", "dependentSchemas": {f"a{i}": {"properties": {f"b{i}": TEXT}} for i in range(16)}},
]


def some_document(chance: random.Random) -> dict[str, Any]:
    keys = chance.sample([f"{key}{i}" for key in "abz" for i in range(4)] + ["id", "other"], chance.randint(0, 5))
    return {key: chance.choice([1, 2, "x", None]) for key in keys}


@pytest.mark.parametrize(("count", "keys"), [(8, 2), (24, 2), (16, 3)])
def test_unions_without_a_tag_are_exact(count: int, keys: int) -> None:
    """Open objects are told apart by the keys they require. No schema of the corpora has eight; programs do."""
    names = [[f"k{i}_{j}" for j in range(keys)] for i in range(count)]
    objects = [{"type": "object", "properties": {key: TEXT for key in own}, "required": own} for own in names]
    made = Grammar.from_json_schema({"oneOf": objects})
    assert made.report is not None and made.report.exact
    one, two = ({key: "x" for key in own} for own in names[:2])
    assert made.accepts(json.dumps(one)) and not made.accepts(json.dumps({**one, **two}))


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


@pytest.mark.parametrize("schema", MANY, ids=range(len(MANY)))
def test_no_way_of_splitting_goes_far_before_every_way_was_tried(schema: dict[str, Any]) -> None:
    """One way takes thousands of alternatives of some, and the other a dozen."""
    assert Grammar.from_json_schema(schema, ANY_ORDER, limits=Limits(steps=4_000_000)).report is not None
