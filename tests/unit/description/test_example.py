"""Examples of schemas: bounded by limits before they are written, exact where floats end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from frisket import Cancellation, Grammar, Limits
from frisket.errors import LimitExceededError


def nested(depth: int, count: int) -> dict[str, Any]:
    """Arrays of arrays, with so many items each."""
    schema: dict[str, Any] = {"type": "string", "minLength": count}
    for _ in range(depth):
        schema = {"type": "array", "items": schema, "minItems": count}
    return schema


def doubled(depth: int) -> dict[str, Any]:
    """Members that refer to the same definitions all over again."""
    members = {f"p{place}": {"$ref": f"#/$defs/d{(place + 1) % depth}"} for place in range(depth)}
    return {"$defs": {f"d{n}": {"type": "object", "properties": members} for n in range(depth)}, "$ref": "#/$defs/d0"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}, "minItems": 10**9},
        {"type": "array", "items": {"type": "string"}, "minItems": 2**63},
        {"type": "array", "items": {"type": "string"}, "minItems": 1e18},
        {"type": "string", "minLength": 10**9},
        nested(4, 10_000),
        doubled(300),
    ],
    ids=["minItems", "2^63", "1e18", "minLength", "nested", "references"],
)
def test_an_example_is_measured_before_it_is_written(schema: dict[str, Any]) -> None:
    with pytest.raises(LimitExceededError):
        Grammar.from_json_schema(schema).describe("example")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "number", "minimum": 10**400, "multipleOf": 0.5}, 10**400),
        ({"type": "number", "minimum": 0.25, "multipleOf": 0.1}, 0.3),
        ({"type": "integer", "exclusiveMinimum": 4, "multipleOf": 2}, 6),
        ({"type": "integer", "maximum": -3}, -4),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 3}, [True] * 3),
        ({"type": "string", "minLength": 5, "maxLength": 1e30}, "text."),
    ],
)
def test_an_example_is_exact_where_floats_end(schema: dict[str, Any], expected: Any) -> None:
    grammar = Grammar.from_json_schema(schema)
    example = grammar.describe("example")
    assert json.loads(example) == expected and grammar.accepts(example)


MEMBERS = {"type": "object", "properties": {f"member {n}": {"type": "string"} for n in range(200)}}


@pytest.mark.parametrize("style", ["typescript", "prose", "example"])
def test_limits_end_a_description(style: Any) -> None:
    grammar = Grammar.from_json_schema(MEMBERS)
    with pytest.raises(LimitExceededError, match=r"\(1000\)"):
        grammar.describe(style, limits=Limits(steps=1_000))
    with pytest.raises(LimitExceededError, match="seconds"):
        grammar.describe(style, limits=Limits(seconds=0.0))
    cancellation = Cancellation()
    assert grammar.describe(style, limits=Limits(cancellation=cancellation)) == grammar.describe(style)
    cancellation.cancel()
    with pytest.raises(LimitExceededError, match="cancelled"):
        grammar.describe(style, limits=Limits(cancellation=cancellation))


def test_a_number_that_python_does_not_write_is_named() -> None:
    schema = {"type": "integer", "minimum": 10**5_000}
    for style in ("typescript", "prose", "json_schema", "example"):
        with pytest.raises(LimitExceededError, match="digits"):
            Grammar.from_json_schema(schema).describe(style)
