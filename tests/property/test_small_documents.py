"""Schemas of every keyword, alone and beside others × every small document: what the specification's validator says."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft201909Validator, Draft202012Validator

from frisket import Grammar, JSONSchemaOptions
from frisket.errors import UnsatisfiableSchemaError

OPTIONS = JSONSchemaOptions(whitespace="compact", property_order="any")

SCALARS: list[Any] = [None, True, False, 0, 1, -1, 2, 3, 6, 12, 1.5, 0.5, "", "a", "b", "ab", "aa", "abc", "é"]
PARTS: list[Any] = [1, "a", None]
ARRAYS = [list(items) for size in range(4) for items in itertools.product(PARTS, repeat=size)]
OBJECTS = [
    dict(zip(keys, values, strict=True))
    for size in range(4)
    for keys in itertools.combinations(["a", "b", "ab", "c"], size)
    for values in itertools.product([1, "a"] if size > 1 else [1, "a", None, {}, {"a": 1}, [1]], repeat=size)
]
DEEP: list[Any] = [[[]], [[1], [1]], [[1], ["a"]], [{"a": 1}, 1], [{"a": "a"}], {"a": {"b": 1}}, {"a": {"a": {"a": 1}}}]
LONG: list[Any] = [[1, 1, 1, 1], ["a", 1, "a", 1], [1, "a", None, 2], ["a", "a", "a", "a", "a"]]
DOCUMENTS = [*SCALARS, *ARRAYS, *OBJECTS, *DEEP, *LONG]

A, B = (
    {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
    {"properties": {"b": {"type": "string"}}, "required": ["b"]},
)
STRING, NUMBER, TEXT_A = {"type": "string"}, {"type": "number"}, {"const": "a"}

#: What each keyword of arrays and objects says beside `unevaluated…`, and what it leaves unevaluated.
MEMBERS: list[dict[str, Any]] = [
    A,
    {"allOf": [A, B]},
    {"anyOf": [A, B]},
    {"anyOf": [A, STRING, {"properties": {"ab": {}}, "required": ["ab"]}]},
    {"oneOf": [A, B]},
    {"oneOf": [A, B, {"required": ["c"]}]},
    {"if": A, "then": B},
    {"if": A, "else": B},
    {"if": A, "then": B, "else": {"properties": {"c": {}}}},
    {"if": A},
    {"not": A},
    {"not": {"not": A}},
    {"dependentSchemas": {"a": B}},
    {"dependentSchemas": {"a": B, "b": {"properties": {"c": {}}}}, "properties": {"a": {}}},
    {"patternProperties": {"^a": {"type": "integer"}}},
    {"properties": {"b": {}}, "additionalProperties": {"type": "integer"}},
    {"$defs": {"a": A}, "$ref": "#/$defs/a", "properties": {"c": {}}},
    {"anyOf": [{"$ref": "#/$defs/a"}, B], "$defs": {"a": {"allOf": [A]}}},
    {"anyOf": [{"properties": {"a": {"const": 1}}}, {"unevaluatedProperties": {"type": "string"}}]},
    {"anyOf": [{"allOf": [A], "unevaluatedProperties": False}, B]},
]
ITEMS: list[dict[str, Any]] = [
    {"prefixItems": [{}]},
    {"prefixItems": [{"type": "integer"}, STRING]},
    {"anyOf": [{"prefixItems": [{"type": "integer"}]}, {"prefixItems": [{}, STRING]}]},
    {"oneOf": [{"prefixItems": [{"type": "integer"}]}, {"prefixItems": [STRING, STRING]}]},
    {"allOf": [{"prefixItems": [{}]}, {"prefixItems": [{}, {"type": "integer"}]}]},
    {"if": {"prefixItems": [TEXT_A]}, "then": {"prefixItems": [{}, {}]}, "else": {"prefixItems": [{}]}},
    {"contains": STRING},
    {"prefixItems": [{}], "contains": STRING},
    {"items": STRING},
    {"anyOf": [{"items": STRING}, {"prefixItems": [{"type": "integer"}]}]},
    {"not": {"prefixItems": [TEXT_A]}},
    {"$ref": "#/$defs/a", "$defs": {"a": {"prefixItems": [{}]}}},
]
ARRAY: list[dict[str, Any]] = [
    {"minItems": 2}, {"maxItems": 2}, {"minItems": 1, "maxItems": 1}, {"minItems": 4}, {"maxItems": 0},
    {"items": STRING}, {"items": False}, {"prefixItems": [STRING]}, {"prefixItems": [{}, False]},
    {"prefixItems": [{}, {}], "items": False}, {"prefixItems": [STRING], "items": {"type": "integer"}},
    {"contains": STRING}, {"contains": STRING, "minContains": 2}, {"contains": STRING, "maxContains": 1},
    {"contains": STRING, "minContains": 0}, {"contains": STRING, "minContains": 0, "maxContains": 1},
    {"contains": {}, "minContains": 2}, {"contains": {}, "maxContains": 2}, {"contains": False, "minContains": 0},
    {"contains": STRING, "minContains": 1, "maxContains": 2},
    {"contains": {"type": "integer"}, "maxContains": 0, "minContains": 0}, {"prefixItems": [{}], "contains": TEXT_A},
]  # fmt: skip
OBJECT: list[dict[str, Any]] = [
    {"minProperties": 2}, {"maxProperties": 1}, {"minProperties": 1, "maxProperties": 2}, {"maxProperties": 0},
    {"required": ["a"]}, {"required": ["a", "b"]}, {"properties": {"a": STRING}}, {"properties": {"a": False}},
    {"additionalProperties": False}, {"additionalProperties": STRING}, {"patternProperties": {"^a": STRING}},
    {"properties": {"a": {}}, "additionalProperties": False}, {"patternProperties": {"^a": {}, "b$": STRING}},
    {"patternProperties": {"b": False}}, {"patternProperties": {"^a": {}}, "additionalProperties": STRING},
    {"properties": {"a": {}, "b": STRING}, "patternProperties": {"^a": STRING}, "additionalProperties": False},
    {"propertyNames": {"maxLength": 1}}, {"propertyNames": {"enum": ["a", "ab"]}}, {"propertyNames": False},
    {"propertyNames": {"pattern": "^a"}}, {"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["b", "c"]}},
    {"dependentSchemas": {"a": {"required": ["b"]}}}, {"dependentSchemas": {"a": False}},
    {"dependentSchemas": {"b": {"maxProperties": 1}}},
]  # fmt: skip
STRINGS: list[dict[str, Any]] = [
    {"minLength": 1}, {"maxLength": 1}, {"minLength": 2, "maxLength": 2}, {"pattern": "^a"}, {"pattern": "b"},
    {"enum": ["a", "ab", 1]}, {"const": "ab"}, {"pattern": "^.$", "minLength": 1}, {"pattern": "a", "maxLength": 2},
]  # fmt: skip
NUMBERS: list[dict[str, Any]] = [
    {"minimum": 1}, {"maximum": 1}, {"exclusiveMinimum": 1}, {"exclusiveMaximum": 1}, {"multipleOf": 2},
    {"multipleOf": 0.5}, {"multipleOf": 3, "minimum": 1}, {"type": "integer"}, {"minimum": 1, "maximum": 1},
    {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 3}, {"enum": [1, 1.5, "a"]}, {"const": 1},
    {"minimum": 0.5, "maximum": 1.5}, {"exclusiveMinimum": 0.5, "exclusiveMaximum": 1.5, "type": "integer"},
]  # fmt: skip
MIXED: list[dict[str, Any]] = [
    {"type": ["null", "array"]}, {"type": "boolean"}, {"enum": [None, [1], {"a": 1}]}, {"const": {"a": "a"}},
    {"const": [1, "a"]}, {"enum": [{"a": 1, "b": 1}, {"a": 1}, []]}, {"uniqueItems": True}, {"uniqueItems": False},
    {"type": ["object", "string"], "not": {"const": "a"}}, {"uniqueItems": True, "minItems": 2, "contains": STRING},
    {"anyOf": [{"uniqueItems": True, "minItems": 2}, {"maxItems": 1}]}, {"uniqueItems": True, "items": {"enum": [1]}},
]  # fmt: skip
TREE = {"anyOf": [TEXT_A, {"type": "object", "additionalProperties": {"$ref": "#/$defs/a"}}]}
NAMED = {"c": {"$id": "d", "$anchor": "e", "type": "string"}}
CIRCLES: list[dict[str, Any]] = [
    {"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": {"type": "integer"}},
    {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}]},
    {"not": {"properties": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"]}, "$defs": {"a": {"type": "object"}}},
    {"$defs": {"a": TREE}, "$ref": "#/$defs/a"},
    {"$id": "http://a/b", "$defs": NAMED, "items": {"$ref": "d#e"}, "properties": {"a": {"$ref": "/d"}}},
    {"$dynamicAnchor": "n", "type": ["object", "integer"], "additionalProperties": {"$dynamicRef": "#n"}},
]


def pairs(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every part alone, negated, and beside, instead of, or exactly without each of the next ones."""
    found = []
    for one, other in zip(parts, parts[1:] + parts[:1], strict=True):
        found += [one, {"not": one}, {"allOf": [one, other]}, {"anyOf": [one, other]}, {"oneOf": [one, other]}]
        found += [{"allOf": [one, {"not": other}]}, {"not": {"allOf": [one, other]}}, {"if": one, "then": other}]
    return found


def short(schema: Any) -> str:
    return json.dumps(schema).replace(" ", "")


def asked(schema: dict[str, Any], validator: Any = Draft202012Validator) -> list[str]:
    """The documents of which the engine says something else than the validator does."""
    judge, wrong = validator(schema), []
    try:
        grammar = Grammar.from_json_schema(schema, OPTIONS)
    except UnsatisfiableSchemaError:
        return [json.dumps(document) for document in DOCUMENTS if judge.is_valid(document)]
    for document in DOCUMENTS:
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
        if grammar.accepts(text) != judge.is_valid(document):
            wrong.append(text)
    return wrong


@pytest.mark.parametrize("schema", pairs(ARRAY) + pairs(OBJECT) + pairs(STRINGS) + pairs(NUMBERS), ids=short)
def test_keywords_and_their_complements(schema: dict[str, Any]) -> None:
    assert asked(schema) == []


@pytest.mark.parametrize("schema", [*MIXED, *CIRCLES], ids=short)
def test_values_and_references(schema: dict[str, Any]) -> None:
    assert asked(schema) == []


@pytest.mark.parametrize("rest", [False, {"type": "integer"}])
@pytest.mark.parametrize("schema", MEMBERS, ids=short)
def test_unevaluated_members(schema: dict[str, Any], rest: Any) -> None:
    assert asked({**schema, "unevaluatedProperties": rest}) == []
    assert (
        asked(
            {"anyOf": [{"type": "array"}, {**schema, "unevaluatedProperties": rest}], "$defs": schema.get("$defs", {})}
        )
        == []
    )


@pytest.mark.parametrize("rest", [False, {"type": "integer"}])
@pytest.mark.parametrize("schema", ITEMS, ids=short)
def test_unevaluated_items(schema: dict[str, Any], rest: Any) -> None:
    assert asked({**schema, "unevaluatedItems": rest}) == []
    if "contains" not in schema:  # before 2020-12, what `contains` finds stays unevaluated
        old = json.loads(json.dumps(schema).replace('"items"', '"additionalItems"').replace('"prefixItems"', '"items"'))
        old |= {"$schema": "https://json-schema.org/draft/2019-09/schema"}
        assert asked({**old, "unevaluatedItems": rest}, Draft201909Validator) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"items": [STRING, {}], "additionalItems": False},
        {"items": STRING, "additionalItems": False},
        {"dependencies": {"a": ["b"], "b": {"maxProperties": 1}}},
        {"$ref": "#/definitions/a", "type": "null", "definitions": {"a": {"type": "string"}}},
        {"contains": STRING, "minContains": 2},
        {"items": [STRING], "contains": {"type": "integer"}},
    ],
    ids=short,
)
def test_draft_7(schema: dict[str, Any]) -> None:
    schema["$schema"] = "http://json-schema.org/draft-07/schema#"
    assert asked(schema, Draft7Validator) == []
