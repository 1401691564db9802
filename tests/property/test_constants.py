"""Constants at random: the front end and the oracle make the same of them, errors included."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from typing import Any

import pytest

from frisket.json_schema import JSONSchemaOptions, compile_json_schema
from tests.oracle.native import difference

OPTIONS = {
    "default": JSONSchemaOptions(),
    "free": JSONSchemaOptions.free(),
    "any": JSONSchemaOptions(property_order="any"),
    "compact": JSONSchemaOptions(whitespace="compact"),
    "pretty": JSONSchemaOptions(whitespace="pretty"),
    "closed": JSONSchemaOptions(closed_objects=True),
}
SCALARS: list[Any] = [None, True, False, 0, 1, -1, 7, 2**63, -(2**70), 1.0, 0.5, -0.0, 1e300, Decimal("0.10")]
SCALARS += ["", "a", "é\n", '"\\', "\ud800", "\x00€😀"]
KEYS = ["a", "b", "$schema", "$id", "", "é", '"']


def some_value(rng: random.Random, depth: int, parts: list[Any]) -> Any:
    """A JSON value that may hold parts of others."""
    draw = rng.random()
    if parts and draw < 0.2:
        return rng.choice(parts)
    if depth == 0 or draw < 0.5:
        return rng.choice(SCALARS)
    if draw < 0.75:
        made: Any = [some_value(rng, depth - 1, parts) for _ in range(rng.randint(0, 4))]
    else:
        made = {key: some_value(rng, depth - 1, parts) for key in rng.sample(KEYS, rng.randint(0, 4))}
    parts.append(made)
    return made


def some_schema(rng: random.Random) -> dict[str, Any]:
    parts: list[Any] = []
    values = [some_value(rng, 3, parts) for _ in range(rng.randint(1, 4))]
    schema: dict[str, Any] = {"const": values[0]} if rng.random() < 0.5 else {"enum": values}
    if rng.random() < 0.3:
        schema["type"] = rng.choice(["object", "array", ["string", "array"]])
    if rng.random() < 0.2:
        schema = {"not": schema, "type": rng.choice(["array", "object"])}
    return {"properties": {"x": schema}, "required": ["x"]} if rng.random() < 0.5 else schema


@pytest.mark.parametrize("name", OPTIONS)
def test_constants_are_those_of_the_oracle(name: str) -> None:
    rng = random.Random(f"constants {name}")
    for _ in range(300):
        schema = some_schema(rng)
        assert difference(schema, OPTIONS[name]) is None, repr(schema)


@pytest.mark.parametrize("levels", [31, 32, 33, 70, 400])
def test_deep_values(levels: int) -> None:
    value: Any = "x"
    for level in range(levels):
        value = [value] if level % 3 else {"a": value}
    texts = [json.dumps(value), json.dumps(value).replace("x", "y")]
    grammar, _ = compile_json_schema({"const": value}, JSONSchemaOptions(max_fraction_digits=levels % 40))
    assert [grammar.accepts(text.encode()) for text in texts] == [True, False]
