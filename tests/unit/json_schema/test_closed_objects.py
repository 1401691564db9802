"""`closed_objects`: an object has the members that the schema lists, unless it says what others may be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from frisket import Grammar, json_schema
from frisket.errors import UnsatisfiableSchemaError
from frisket.json_schema import JSONSchemaOptions

CLOSED = JSONSchemaOptions(closed_objects=True, property_order="any")
A, B = {"a": {"type": "integer"}}, {"b": {"type": "integer"}}
KIND = {"kind": {"enum": ["x", "y"]}}

#: A schema, documents that it admits when closed, and documents that it admits only when open.
CASES: list[tuple[dict[str, Any], list[Any], list[Any]]] = [
    ({"properties": A}, [{"a": 1}, {}, 3], [{"b": 1}, {"a": 1, "b": 1}, {"$schema": "x"}]),
    ({"properties": A, "additionalProperties": True}, [{"a": 1, "b": 1}], []),
    ({"properties": A, "additionalProperties": {}}, [{"b": 1}], []),
    ({"properties": A, "additionalProperties": {"type": "string"}}, [{"b": "x"}], []),
    ({"properties": A, "unevaluatedProperties": True}, [{"b": 1}], []),
    ({"properties": A, "unevaluatedProperties": {"type": "string"}}, [{"b": "x"}], []),
    ({"properties": A, "propertyNames": {"maxLength": 3}}, [{"b": 1}], []),
    ({"patternProperties": {"^x": {"type": "integer"}}}, [{"x1": 1}, {}], [{"y": 1}]),
    ({"properties": A, "patternProperties": {"^x": {}, "y$": {}}}, [{"a": 1, "xy": 1, "by": 0}], [{"a": 1, "b": 1}]),
    ({"type": "object"}, [{"b": 1}], []),
    ({"type": "object", "properties": {}}, [{"b": 1}], []),
    ({"type": "object", "required": ["a"]}, [{"a": 1, "b": 1}], []),
    ({"type": "object", "not": {"required": ["a"]}}, [{"b": 1}], []),
    ({"properties": A, "required": ["c"]}, [{"c": 1}, {"a": 1, "c": 1}], [{"c": 1, "d": 1}]),
    ({"properties": A, "dependentRequired": {"a": ["c"]}}, [{"a": 1, "c": 1}, {"c": 0}], [{"d": 1}]),
    ({"allOf": [{"properties": A}, {"properties": B}]}, [{"a": 1, "b": 2}, {"b": 2}], [{"c": 1}]),
    ({"allOf": [{"properties": A}, {"additionalProperties": True}]}, [{"c": 1}], []),
    ({"properties": A, "$ref": "#/$defs/b", "$defs": {"b": {"properties": B}}}, [{"a": 1, "b": 1}], [{"c": 1}]),
    (
        {"oneOf": [{"properties": A, "required": ["a"]}, {"properties": B, "required": ["b"]}]},
        [{"a": 1}, {"b": 1}],
        [{"a": 1, "c": 1}],
    ),
    (
        {"anyOf": [{"properties": A, "required": ["a"]}, {"properties": B, "required": ["b"]}]},
        [{"a": 1}, {"b": 1}],
        [{"a": 1, "c": 1}, {"a": 1, "b": "text"}],
    ),
    (
        {
            "properties": KIND,
            "required": ["kind"],
            "if": {"properties": {"kind": {"const": "x"}}},
            "then": {"properties": A},
            "else": {"properties": B},
        },
        [{"kind": "x", "a": 1}, {"kind": "y", "b": 1}],
        [{"kind": "x", "a": 1, "c": 1}],
    ),
    ({"items": {"properties": A}}, [[{"a": 1}, {}]], [[{"b": 1}]]),
    ({"properties": {"in": {"properties": A}}}, [{"in": {"a": 1}}], [{"in": {"b": 1}}]),
    ({"properties": A, "maxProperties": 1, "const": {"a": 1}}, [{"a": 1}], []),
    ({"enum": [{"b": 1}, 2]}, [{"b": 1}, 2], []),
]


@pytest.mark.parametrize(("schema", "inside", "outside"), CASES)
def test_what_is_listed_may_come(schema: dict[str, Any], inside: list[Any], outside: list[Any]) -> None:
    closed, _ = json_schema.compile_json_schema(schema, CLOSED)
    opened, _ = json_schema.compile_json_schema(schema, JSONSchemaOptions(property_order="any"))
    for document in [*inside, *outside]:
        text = json.dumps(document).encode()
        assert opened.accepts(text), document
        assert closed.accepts(text) == (document in inside), document


def test_the_report_says_so() -> None:
    for schema in ({"properties": A}, {"properties": A, "not": {"const": 1}}):
        made = Grammar.from_json_schema(schema, CLOSED).report
        assert made is not None and made.exact and any("closed_objects" in note for note in made.notes)
    assert Grammar.from_json_schema({"properties": A}).report.notes == []  # type: ignore[union-attr]


def test_what_lists_too_few_members_cannot_be() -> None:
    with pytest.raises(UnsatisfiableSchemaError):
        Grammar.from_json_schema({"type": "object", "properties": A, "minProperties": 2}, CLOSED)
