"""Schemas as deep as anybody writes them compile; deeper ones are refused by the name of the limit."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from frisket.errors import InvalidSchemaError, LimitExceededError
from frisket.grammar import Grammar

INSIDE: dict[str, Callable[[Any], Any]] = {
    "properties": lambda inner: {"type": "object", "properties": {"a": inner}, "required": ["a"]},
    "items": lambda inner: {"type": "array", "items": inner},
    "prefixItems": lambda inner: {"type": "array", "prefixItems": [inner], "items": False, "minItems": 1},
    "allOf": lambda inner: {"allOf": [inner]},
    "anyOf": lambda inner: {"anyOf": [inner, {"type": "null"}]},
    "additionalProperties": lambda inner: {"type": "object", "additionalProperties": inner},
    "not": lambda inner: {"not": inner},
}


def nested(keyword: str, levels: int) -> Any:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = INSIDE[keyword](schema)
    return schema


@pytest.mark.parametrize("keyword", INSIDE)
@pytest.mark.parametrize("levels", [60, 400])
def test_some_hundred_levels(keyword: str, levels: int) -> None:
    grammar = Grammar.from_json_schema(nested(keyword, levels))
    brackets = {
        "properties": ('{"a":', "}"),
        "additionalProperties": ('{"k":', "}"),
        "items": "[]",
        "prefixItems": "[]",
    }
    opening, closing = brackets.get(keyword, ("", ""))
    assert grammar.accepts(opening * levels + '"x"' + closing * levels)
    assert not grammar.accepts(opening * levels + "1" + closing * levels)


@pytest.mark.parametrize("keyword", ["properties", "items", "additionalProperties"])
def test_three_thousand_levels(keyword: str) -> None:
    grammar = Grammar.from_json_schema(nested(keyword, 3000))
    opening, closing = {"items": ("[", "]"), "properties": ('{"a":', "}")}.get(keyword, ('{"k":', "}"))
    assert grammar.accepts(opening * 3000 + '"x"' + closing * 3000)
    assert not grammar.accepts(opening * 3000 + "1" + closing * 3000)


@pytest.mark.parametrize("keyword", ["properties", "items", "additionalProperties"])
def test_twenty_thousand_levels_are_refused(keyword: str) -> None:
    with pytest.raises(LimitExceededError, match="10000 levels"):
        Grammar.from_json_schema(nested(keyword, 20_000))


@pytest.mark.parametrize("levels", [20_000, 100_000])
def test_as_text_too(levels: int) -> None:
    with pytest.raises(LimitExceededError, match="10000 levels"):
        Grammar.from_json_schema('{"items":' * levels + "{}" + "}" * levels)


def test_every_other_error_comes_through() -> None:
    with pytest.raises(InvalidSchemaError) as caught:
        Grammar.from_json_schema(nested("items", 300) | {"items": nested("items", 300) | {"minItems": "three"}})
    assert caught.value.where == "/items/minItems"


def test_deep_schemas_in_several_threads() -> None:
    with ThreadPoolExecutor(4) as pool:
        grammars = list(pool.map(Grammar.from_json_schema, [nested("items", 250 + i) for i in range(8)]))
    for i, grammar in enumerate(grammars):
        assert grammar.accepts("[" * (250 + i) + '"x"' + "]" * (250 + i))
