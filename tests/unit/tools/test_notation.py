"""Lists and mappings in Python's notation and in one of bare keys: what the schema allows, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from frisket.errors import UnsupportedSchemaError
from frisket.json_schema import DEFAULT
from frisket.tools.notation import SCALARS, Notation, Values

PYTHON, BARE = Notation(), Notation("<|q|>", "null")


def written(value: Any, notation: Notation) -> str:
    """The value as templates print it."""
    if not notation.quote:
        return repr(value)
    if isinstance(value, str):
        return notation.quote + value + notation.quote
    if isinstance(value, list):
        return "[" + ",".join(written(item, notation) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{written(value[key], notation)}" for key in sorted(value)) + "}"
    return json.dumps(value)


def accepts(schema: Any, text: str, notation: Notation) -> bool:
    root = {"type": "object", "properties": {"p": schema}, "$defs": {"tree": TREE}}
    core = Values(root, notation, DEFAULT, None).core("p", schema, (*SCALARS, "array", "object"))
    return core is not None and core.accepts(text.encode())


TREE = {
    "type": "object",
    "properties": {"below": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
    "additionalProperties": False,
}
POINT = {
    "type": "object",
    "properties": {"y": {"type": "number"}, "x": {"type": "integer", "minimum": 0}, "note": {"type": "string"}},
    "required": ["x"],
    "additionalProperties": False,
}
CASES: list[tuple[Any, list[Any], list[Any]]] = [
    (True, ["a", "it's", None, 1.5, [], {}, [{"a": [True, {"b": None}]}]], []),
    (
        {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
        [[1], [1, 2]],
        [[], [1, 2, 3], ["a"]],
    ),
    ({"type": "array", "items": False}, [[]], [[1]]),
    (POINT, [{"x": 1}, {"y": 1.5, "x": 0}, {"y": 2, "x": 3, "note": "n"}], [{}, {"x": -1}, {"x": 1, "z": 1}]),
    ({"type": "object", "additionalProperties": {"type": "boolean"}}, [{}, {"k": True, "m": False}], [{"k": 1}]),
    ({"type": ["object", "null"], "required": ["k"]}, [None, {"k": 1}, {"k": [], "m": 2}], [{}, {"m": 2}, 3]),
    ({"anyOf": [{"type": "array", "items": {"enum": ["a", 2]}}, {"type": "string"}]}, [["a", 2], "b"], [["b"], 3]),
    ({"$ref": "#/$defs/tree"}, [{}, {"below": [{}, {"below": []}]}], [{"below": [1]}, {"above": []}]),
]  # fmt: skip


@pytest.mark.parametrize("notation", [PYTHON, BARE], ids=["python", "bare"])
@pytest.mark.parametrize(("schema", "valid", "invalid"), CASES, ids=lambda case: json.dumps(case)[:40])
def test_values_of_a_schema(schema: Any, valid: list[Any], invalid: list[Any], notation: Notation) -> None:
    for value in valid:
        text = written(value, notation)
        assert accepts(schema, text, notation), text
        assert notation.read(text, 0) == (value, len(text))
    for value in invalid:
        assert not accepts(schema, written(value, notation), notation), value


def test_keys_are_sorted_where_they_are_bare() -> None:
    assert accepts(POINT, "{note:<|q|>n<|q|>,x:1,y:2}", BARE)
    assert not accepts(POINT, "{y:2,x:1}", BARE)
    assert accepts(POINT, "{'y': 2, 'x': 1}", PYTHON)


def test_a_text_ends_at_its_quote() -> None:
    assert accepts({"type": "string", "maxLength": 3}, "<|q|>{,}<|q|>", BARE)
    assert not accepts({"type": "string"}, "<|q|>a<|q|>b<|q|>", BARE)
    assert BARE.read_members("k:<|q|>a:b<|q|>,m:[1]}", 0) == ({"k": "a:b", "m": [1]}, 21)


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"type": "array", "uniqueItems": True}, "uniqueItems"),
        ({"type": "object", "patternProperties": {"a": True}}, "patternProperties"),
        ({"enum": [[1], "a"]}, "enum"),
        ({"$ref": "#/$defs/other"}, "$ref"),
    ],
)
def test_what_is_not_held_is_refused_at_its_place(schema: Any, keyword: str) -> None:
    with pytest.raises(UnsupportedSchemaError) as raised:
        accepts(schema, "[]", PYTHON)
    assert raised.value.where == f"/properties/p/{keyword}"
