"""Conditions and alternatives that look at one member: a case for each of its values, however many there are."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from frisket import Grammar, Limits
from frisket.errors import LimitExceededError
from frisket.json_schema import JSONSchemaOptions

ANY_ORDER = JSONSchemaOptions(property_order="any")
RELAXED = JSONSchemaOptions(relaxed=True)
INTEGER, TEXT = {"type": "integer"}, {"type": "string"}
COUNT = 125


def condition(i: int, *, needs: bool = True, asked: Any = None, **branches: Any) -> dict[str, Any]:
    test: dict[str, Any] = {"properties": {"k": asked or {"const": f"v{i}"}}}
    return {"if": {**test, "required": ["k"]} if needs else test, "then": {"required": [f"x{i % 3}"]}, **branches}


def chain(count: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"properties": {"x0": TEXT}}
    for i in reversed(range(count)):
        schema = {**condition(i), "else": schema}
    return schema


def alternatives(count: int, keyword: str, members: Any = None, **others: Any) -> dict[str, Any]:
    """Open objects whose constants tell them apart, though none must have one."""
    each = [{"k": {"const": f"v{i}"}, f"x{i}": INTEGER, **(members or {})} for i in range(count)]
    return {keyword: [{"properties": properties, **others} for properties in each]}


def patterns(count: int, pattern: str) -> dict[str, Any]:
    words = [f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(count)]
    types = ["integer", "string", "null", "boolean", "array"]
    return {"patternProperties": {pattern % word: {"type": types[i % 5]} for i, word in enumerate(words)}}


SCHEMAS: dict[str, Any] = {
    "required": {"allOf": [condition(i) for i in range(COUNT)]},
    "absent counts": {"allOf": [condition(i, needs=False) for i in range(COUNT)]},
    "required outside": {"required": ["k"], "allOf": [condition(i, needs=False) for i in range(COUNT)]},
    "else": {"allOf": [condition(i, **{"else": {"properties": {f"y{i % 3}": INTEGER}}}) for i in range(COUNT)]},
    "enum": {"allOf": [condition(i, asked={"enum": [f"v{i}", f"v{i + 1}", i]}) for i in range(COUNT)]},
    "pattern": {"allOf": [condition(i, asked={"type": "string", "pattern": f"^v{i}$"}) for i in range(40)]},
    "patterns": {"allOf": [condition(i, asked={"pattern": f"^v{i}-"}) for i in range(270)]},
    "patterns within others": {"allOf": [condition(i, needs=False, asked={"pattern": f"^v{i}"}) for i in range(COUNT)]},
    "patterns that overlap": {"allOf": [condition(i, asked={"pattern": f"^v?[{i}-9]"}) for i in range(8)]},
    "patterns and constants": {
        "allOf": [
            condition(i, asked={"pattern": f"^v{i}"} if i % 2 else {"enum": [f"v{i}", f"v{i - 1}", i]})
            for i in range(COUNT)
        ]
    },
    "oneOf, patterns": {
        "oneOf": [
            {"properties": {"k": {"pattern": f"^v{i}"}, f"x{i}": INTEGER}, "required": [f"x{i}"]} for i in range(8)
        ],
    },
    "chain": chain(COUNT),
    "nested": {
        "allOf": [
            condition(i, then={"if": {"required": ["x0"]}, "then": {"required": ["x1"]}, "else": {"required": ["x2"]}})
            for i in range(COUNT)
        ]
    },
    "not": {
        "allOf": [{"not": {**condition(i)["if"], "properties": {"k": {"const": i}, "x0": TEXT}}} for i in range(40)]
    },
    "unevaluated": {
        "allOf": [
            *(condition(i) for i in range(40)),
            {
                "properties": {"x0": True, "x1": True, "x2": True},
                "anyOf": [condition(7)["if"], {"required": ["x0"]}],
                "unevaluatedProperties": False,
            },
        ]
    },
    "bounds beside constants": {
        "allOf": [*(condition(i, asked={"const": i}) for i in range(40)), condition(1, asked={"minimum": 39})]
    },
    "oneOf": alternatives(60, "oneOf"),
    "oneOf, many": alternatives(270, "oneOf"),
    "oneOf, a member in common": alternatives(270, "oneOf", {"x2": TEXT}),
    "oneOf, closed, a member in common": alternatives(150, "oneOf", {"a": TEXT}, additionalProperties=False),
    "oneOf, another member required": {
        "oneOf": [
            {"properties": {"k": {"const": f"v{i}"}, f"x{i}": INTEGER}, "required": [f"x{i}"]} for i in range(270)
        ]
    },
    "anyOf": alternatives(COUNT, "anyOf", type="object"),
    "oneOf, closed": alternatives(60, "oneOf", type="object", additionalProperties=False),
    "anchored patterns": patterns(COUNT, "^%s"),
    "open patterns": {"patternProperties": {f"{chr(97 + i)}": {"minimum": 10 * i} for i in range(8)}},
    "open patterns of other types": {
        "patternProperties": {f"{chr(97 + i)}": {"enum": [i, f"{i}"]} for i in range(20)},
    },
}


def some_document(chance: random.Random) -> dict[str, Any]:
    keys = chance.sample(["k", "x0", "x1", "x2", "y0", "y1", "x7", "x33", "a", "ab", "aa", "ba", "t", "zz"], 3)
    kinds = ["v0", "v1", "v2", "v7", "v39", "v124", "v125", "w", 0, 3, 39, None, "v0-", "v7-x", "v269-", "7", "v"]
    document = {key: chance.choice([1, 2, 19, "x", "7", None]) for key in keys[: chance.randint(0, 3)]}
    return {**document, "k": chance.choice(kinds)} if chance.random() < 0.7 else document


@pytest.mark.parametrize("name", SCHEMAS)
def test_many_cases_are_exact_and_take_few_steps(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = {"type": "object", **SCHEMAS[name]}
    made = Grammar.from_json_schema(schema, ANY_ORDER, limits=Limits(steps=20_000_000))
    assert made.report is not None and made.report.exact
    validator = jsonschema.Draft202012Validator(schema)
    chance = random.Random(1)
    documents = [some_document(chance) for _ in range(100)]
    judged = [validator.is_valid(document) for document in documents]
    assert {True, False} == set(judged), "both kinds are among them"
    assert [made.accepts(json.dumps(document)) for document in documents] == judged


def test_keys_in_patterns_without_a_common_value_are_forbidden() -> None:
    """All keys match the first pattern, so only the second tells regions apart."""
    made = Grammar.from_json_schema({"patternProperties": {"": {"type": "string"}, "^b": {"type": "integer"}}})
    assert made.accepts('{"a": "x"}')
    assert not made.accepts('{"b": "x"}') and not made.accepts('{"b": 1}')


MANY = {
    "if": {
        "allOf": [{**condition(i), "if": {"required": [f"a{i}"], "properties": {f"a{i}": INTEGER}}} for i in range(200)]
    },
    "oneOf": {"oneOf": [{"properties": {f"a{i}": INTEGER, f"b{i}": TEXT}, "required": [f"a{i}"]} for i in range(150)]},
    "dependentSchemas": {"dependentSchemas": {f"a{i}": {"properties": {f"b{i}": TEXT}} for i in range(150)}},
    "patternProperties": {"patternProperties": {chr(97 + i): {"pattern": chr(97 + i)} for i in range(12)}},
}


@pytest.mark.parametrize("keyword", MANY)
def test_what_splits_too_far_is_named_and_can_be_relaxed(keyword: str) -> None:
    schema = {"type": "object", **MANY[keyword]}
    with pytest.raises(LimitExceededError) as refused:
        Grammar.from_json_schema(schema)
    assert refused.value.where == "" and refused.value.hint is not None
    words = {"if": "`if`", "oneOf": "alternatives", "dependentSchemas": "oneOf", "patternProperties": "anchor"}
    assert words[keyword] in refused.value.hint and "relaxed=True" in refused.value.hint
    report = Grammar.from_json_schema(schema, RELAXED).report
    assert report is not None and report.loosened
