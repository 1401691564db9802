"""Random objects whose members depend on each other, by clauses over marks → the documents that a validator accepts."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions
from frisket.errors import LimitExceededError, UnsatisfiableSchemaError
from tests.hunt import conditional

KEYS = ("a", "b", "ab", "x")
OPTIONS = JSONSchemaOptions(property_order="any", whitespace="compact")


def documents() -> list[Any]:
    """All objects of four keys with three values each, and a few others."""
    values = (..., 1, 2, "x")
    combined = [dict(zip(KEYS, each, strict=True)) for each in itertools.product(values, repeat=len(KEYS))]
    found: list[Any] = [{key: value for key, value in each.items() if value is not ...} for each in combined]
    return [*found, {"é": 1}, {"a": None, "é": "x"}, {"y": 1, "b": []}, {"y": {}, "z": 0, "ab": 1}, 1, "x", [], None]


DOCUMENTS = documents()
TEXTS = [json.dumps(document, separators=(",", ":"), ensure_ascii=False) for document in DOCUMENTS]


@pytest.mark.parametrize("seed", range(40))
def test_conditions_as_clauses_are_exact(seed: int) -> None:
    """With so few alternatives, conditions become clauses: one alternative a clause is all that is left."""
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    draw = random.Random(f"conditions {seed}")
    schema = conditional.schema(draw)
    if draw.random() < 0.3:
        schema = {"oneOf": [schema, *(conditional.members(draw) for _ in range(draw.randrange(1, 4)))]}
    validator = jsonschema.Draft202012Validator(schema)
    valid = [validator.is_valid(document) for document in DOCUMENTS]
    judged = 0
    for most in (1, 2, 4, 8, 4_000):
        try:
            grammar = Grammar.from_json_schema(schema, replace(OPTIONS, max_alternatives=most))
        except UnsatisfiableSchemaError:
            assert not any(valid), schema
            return
        except LimitExceededError:
            continue
        judged += 1
        for text, expected in zip(TEXTS, valid, strict=True):
            assert grammar.accepts(text) == expected, (schema, most, text)
    assert judged > 0


def test_what_takes_more_marks_than_the_engine_has_is_refused() -> None:
    names = [f"k{i}" for i in range(33)]
    schema = {
        "type": "object",
        "allOf": [
            {"if": {"properties": {name: {"const": 1}}, "required": [name]}, "then": {"required": [name + "'"]}}
            for name in names
        ],
    }
    with pytest.raises(LimitExceededError) as caught:
        Grammar.from_json_schema(schema)
    assert "max_alternatives" in str(caught.value.hint)
    schema["allOf"] = schema["allOf"][:32]  # type: ignore[index]
    grammar = Grammar.from_json_schema(schema)
    assert grammar.accepts('{"k31": 1, "k31\'": 0}') and not grammar.accepts('{"k31": 1}')


@pytest.mark.parametrize("most", [1, 2, 3, 4_000])
def test_the_complement_of_several_conditions_holds_where_one_is_broken(most: int) -> None:
    """As clauses, too: each condition is a clause of several literals, whose complement is a conjunction."""
    inner = {"type": "object", "required": ["x"], "dependentRequired": {"a": ["b"], "b": ["ab"]}}
    grammar = Grammar.from_json_schema({"type": "object", "not": inner}, replace(OPTIONS, max_alternatives=most))
    valid = ["{}", '{"a":1}', '{"a":1,"x":1}', '{"b":1,"x":1}', '{"a":1,"b":1,"x":1}']
    invalid = ['{"x":1}', '{"ab":1,"x":1}', '{"b":1,"ab":1,"x":1}', '{"a":1,"b":1,"ab":1,"x":1}', "1"]
    assert [text for text in [*valid, *invalid] if grammar.accepts(text)] == valid


@pytest.mark.parametrize("most", [3, 4_000])
def test_the_complement_of_conditions_alone(most: int) -> None:
    first = {"if": {"required": ["b"]}, "then": {"type": "object", "required": ["x", "b"]}}
    schema = {"type": "object", "not": {"type": "object", "allOf": [first], "dependentRequired": {"a": ["b"]}}}
    accepts = Grammar.from_json_schema(schema, replace(OPTIONS, max_alternatives=most)).accepts
    valid = ['{"b":1}', '{"a":1}', '{"a":1,"x":1}', '{"a":1,"b":1}']
    invalid = ["{}", '{"x":1}', '{"b":1,"x":1}', '{"a":1,"b":1,"x":1}']
    assert [text for text in [*valid, *invalid] if accepts(text)] == valid
