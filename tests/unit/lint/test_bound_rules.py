"""FRK3xx: which values have no end."""

from __future__ import annotations

from typing import Any

import pytest

import frisket
from frisket.errors import BudgetError

from .case import DRAFT7, INTEGER, STRING, fired, listing


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        (STRING, [""]),
        (listing("a", a={"type": ["string", "null"]}), ["/properties/a"]),
        ({"type": "string", "pattern": "^[a-z]+$"}, [""]),
        ({"type": "string", "pattern": "[a-z]{3}"}, [""]),  # held at neither end
        ({"type": "string", "format": "uri"}, [""]),
        ({"type": "object", "additionalProperties": STRING}, ["/additionalProperties"]),
    ],
)
def test_unbounded_string(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK301", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "maxLength": 5},
        {"type": "string", "enum": ["a"]},
        {"type": "string", "pattern": "^[a-z]{1,9}$"},
        {"type": "string", "format": "date"},
        {"allOf": [STRING, {"maxLength": 5}], "maxLength": 9},
        {"type": "string", "$ref": "#/$defs/short", "$defs": {"short": {"maxLength": 3}}},
        {"propertyNames": STRING},
        {"type": "integer"},
    ],
)
def test_bounded_string(schema: Any) -> None:
    assert fired("FRK301", schema) == []


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"type": "array"}, [""]),
        ({"type": "array", "items": {"type": "array", "maxItems": 2}}, [""]),
        ({"type": "array", "prefixItems": [INTEGER]}, [""]),
        ({"type": "array", "uniqueItems": True, "items": STRING}, [""]),
    ],
)
def test_unbounded_array(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK302", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "maxItems": 3},
        {"type": "array", "prefixItems": [INTEGER], "items": False},
        DRAFT7 | {"type": "array", "items": [INTEGER], "additionalItems": False},
        {"type": "array", "uniqueItems": True, "items": {"enum": [1, 2]}},
        {"allOf": [{"type": "array"}], "maxItems": 2},
    ],
)  # fmt: skip
def test_bounded_array(schema: Any) -> None:
    assert fired("FRK302", schema) == []


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        (INTEGER, [""]),
        ({"type": "number", "minimum": 0}, [""]),
        (listing("n", n={"type": ["number", "null"], "exclusiveMaximum": 1}), ["/properties/n"]),
    ],
)
def test_unbounded_number(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK303", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 1, "maximum": 5},
        {"type": "number", "enum": [1, 2.5]},
        {"allOf": [{"type": "integer", "minimum": 0}], "exclusiveMaximum": 10},
        STRING,
    ],
)
def test_bounded_number(schema: Any) -> None:
    assert fired("FRK303", schema) == []


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        (listing("a"), [""]),
        (listing("a", a=listing("b")) | {"additionalProperties": False}, ["/properties/a"]),
        ({"anyOf": [listing("a"), {"type": "null"}]}, ["/anyOf/0"]),
    ],
)
def test_open_object(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK304", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        listing("a") | {"additionalProperties": False},
        {"allOf": [listing("a"), listing("b")], "unevaluatedProperties": False},
        listing("a") | {"additionalProperties": STRING},  # somebody thought of others
        {"type": "object"},
        listing("a") | {"patternProperties": {"^x-": True}},
    ],
)
def test_closed_object(schema: Any) -> None:
    assert fired("FRK304", schema) == []


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"properties": {"next": {"$ref": "#"}}}, ["/properties/next/$ref"]),
        (
            {"$ref": "#/$defs/a",
             "$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"items": {"$ref": "#/$defs/a"}}}},
            ["/$defs/b/items/$ref"],
        ),
        (
            {"$ref": "#/$defs/t",
             "$defs": {"t": {"properties": {"l": {"$ref": "#/$defs/t"}, "r": {"$ref": "#/$defs/t"}}}}},
            ["/$defs/t/properties/l/$ref"],
        ),
    ],
)  # fmt: skip
def test_recursion(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK305", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$ref": "#/$defs/t"}, "b": {"$ref": "#/$defs/t"}}, "$defs": {"t": STRING}},
        {"$defs": {"t": {"items": {"$ref": "#/$defs/t"}}}},  # nothing comes there
        {"properties": {"a": {"properties": {"a": STRING}}}},
        {"items": {"$ref": "https://example.com/other"}},
    ],
)
def test_no_recursion(schema: Any) -> None:
    assert fired("FRK305", schema) == []


LONG = listing("an_unusual_name", an_unusual_name={"type": "string", "minLength": 20}, required=["an_unusual_name"])


@pytest.mark.parametrize(
    ("schema", "budget"), [(LONG, 4), ({"const": "abcdefgh" * 9}, 3), ({"type": "array", "minItems": 9}, 5)]
)
def test_over_budget(schema: Any, budget: int) -> None:
    assert fired("FRK306", schema, max_tokens=budget) == [""]


@pytest.mark.parametrize(
    ("schema", "budget"),
    [
        (LONG, 60),
        (LONG, None),
        (STRING, 3),
        (False, 1),  # nothing is valid: no budget would do
        ({"type": "string", "pattern": "^(a+)\\1$"}, 1),  # refused: `frisket check` says so
    ],
)
def test_within_budget(schema: Any, budget: int | None) -> None:
    assert fired("FRK306", schema, max_tokens=budget) == []


def test_what_fires_is_what_generate_refuses() -> None:
    for budget in range(1, 30):
        try:
            frisket.generate(frisket.models.embedded(), "", LONG, max_tokens=budget)
            assert fired("FRK306", LONG, max_tokens=budget) == []
            break
        except BudgetError:
            assert fired("FRK306", LONG, max_tokens=budget) == [""]
    assert 1 < budget < 29
