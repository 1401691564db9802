"""Conversion to each vendor's dialect: what changes form comes back, and what is lost is told."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from frisket import hosted
from frisket.errors import InvalidSchemaError, LimitExceededError, UnsupportedSchemaError

TREE = {"type": "object", "properties": {"n": {"type": "integer"}, "kid": {"$ref": "#"}}, "required": ["n"]}

#: Schema, vendor, a value of the converted schema, the value that it means.
WAYS_BACK: list[tuple[Any, str, Any, Any]] = [
    ({"type": "integer"}, "openai", {"value": 3}, 3),
    ({"type": "integer"}, "gemini", 3, 3),
    ({"additionalProperties": {"type": "integer"}, "type": "object"}, "openai",
     {"entries": [{"key": "a", "value": 1}]}, {"a": 1}),
    ({"additionalProperties": {"type": "integer"}, "type": "object"}, "gemini", {"a": 1}, {"a": 1}),
    ({"properties": {"a": {"type": "integer"}}, "type": "object"}, "openai", {"a": None}, {}),
    ({"properties": {"a": {"type": ["integer", "null"]}}, "type": "object"}, "openai", {"a": None}, {}),
    ({"properties": {"a": {"type": ["integer", "null"]}}, "type": "object", "required": ["a"]}, "openai",
     {"a": None}, {"a": None}),
    ({"prefixItems": [{"type": "integer"}, {"type": "string"}], "type": "array", "items": False}, "openai",
     {"0": 1, "1": "x"}, [1, "x"]),
    ({"enum": [[1], {"a": 2}]}, "anthropic", '{"a": 2}', {"a": 2}),
    ({"enum": [f"{n:020}" for n in range(2000)]}, "openai", {"value": 1999}, f"{1999:020}"),
    ({}, "openai", {"value": {"entries": [{"key": "a", "value": [1, None]}]}}, {"a": [1, None]}),
    (TREE, "openai", {"n": 1, "kid": {"n": 2, "kid": None}}, {"n": 1, "kid": {"n": 2}}),
    (TREE, "anthropic", {"n": 1, "kid": {"n": 2}}, {"n": 1, "kid": {"n": 2}}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "to", "sent", "meant"), WAYS_BACK)
def test_the_way_back(schema: Any, to: str, sent: Any, meant: Any) -> None:
    jsonschema_rs = pytest.importorskip("jsonschema_rs")
    converted = hosted.convert(schema, to)
    assert jsonschema_rs.is_valid(converted.schema, sent)
    assert converted.decode(sent) == meant
    assert jsonschema_rs.is_valid(schema, meant)


def test_a_large_number_is_known_in_every_spelling() -> None:
    decode = hosted.convert({"enum": [1e23, "a"]}, "openai").decode
    assert [decode({"value": sent}) for sent in (10**23, 1e23)] == [1e23, 1e23]


def test_openai_objects_are_closed_and_require_all() -> None:
    schema = {"type": "object", "properties": {"a": TREE, "b": {"type": "array", "items": TREE}}}

    def look(node: Any) -> None:
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert sorted(node["required"]) == sorted(node["properties"])
            for part in node.values():
                look(part)
        elif isinstance(node, list):
            for part in node:
                look(part)

    look(hosted.convert(schema, "openai").schema)


def test_recursion_is_finite_inside_of_a_definition() -> None:
    node = {"type": "object", "properties": {"kid": {"$ref": "#/$defs/t"}}}
    definitions = hosted.convert({"$ref": "#/$defs/t", "$defs": {"t": node}}, "openai").schema["$defs"]
    assert {"type": "null"} in definitions["t"]["properties"]["kid"]["anyOf"]


@pytest.mark.parametrize("to", hosted.dialects())
def test_what_is_lost_is_told(to: str) -> None:
    schema = {"type": "array", "items": {"type": "string", "minLength": 5000}, "uniqueItems": True, "not": {"const": 1}}
    losses = hosted.convert(schema, to).losses
    assert losses[""].keys() == {"uniqueItems", "not"}
    assert losses["/items"].keys() == {"minLength"}


def test_what_cannot_be_said_is_refused() -> None:
    with pytest.raises(UnsupportedSchemaError):
        hosted.convert({"$ref": "https://example.com/other"}, "openai")
    with pytest.raises(UnsupportedSchemaError):
        hosted.convert(False, "openai")
    with pytest.raises(UnsupportedSchemaError):
        hosted.convert({**TREE, "required": ["n", "kid"]}, "gemini")
    deep: dict[str, Any] = {"type": "integer"}
    for _ in range(11):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"]}
    with pytest.raises(LimitExceededError, match="depth"):
        hosted.convert(deep, "openai")


def test_a_misfit_says_where() -> None:
    converted = hosted.convert({"type": "array", "items": {"type": "integer"}}, "openai")
    with pytest.raises(ValueError, match="/value/1: not of type integer"):
        converted.decode({"value": [1, "2"]})


def test_a_dialect_names_its_source_and_day() -> None:
    for name in hosted.dialects():
        rules = hosted.dialect(name)
        assert rules.name == name and rules.source.startswith("https://") and len(rules.checked) == 10


@pytest.mark.parametrize(
    ("schema", "where"), [({"pattern": "[a-"}, "/pattern"), ({"items": {"type": "strin"}}, "/items/type")]
)
def test_what_is_no_schema_is_sent_to_nobody(schema: Any, where: str) -> None:
    with pytest.raises(InvalidSchemaError) as caught:
        hosted.convert(schema, "openai")
    assert caught.value.where == where


DRAFT_7 = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "string", "contentEncoding": "base64"}


@pytest.mark.parametrize("to", hosted.dialects())
@pytest.mark.parametrize(
    ("schema", "lost"),
    [
        (DRAFT_7, {"contentEncoding"}),
        ({**DRAFT_7, "contentMediaType": "application/json"}, {"contentEncoding", "contentMediaType"}),
        ({**DRAFT_7, "$schema": "https://json-schema.org/draft/2020-12/schema"}, set()),
        ({**DRAFT_7, "enum": ["!!", "YQ=="]}, {"contentEncoding"}),
        ({**DRAFT_7, "$schema": "https://json-schema.org/draft/2020-12/schema", "enum": ["!!"]}, set()),
        ({"enum": [[1, 1], [2]], "uniqueItems": True}, {"uniqueItems"}),
    ],
)
def test_content_and_values_beside_an_enum_are_lost_by_name(schema: Any, lost: set[str], to: str) -> None:
    assert set(hosted.convert(schema, to).losses.get("", {})) == lost


def test_a_keyword_that_no_conversion_reads_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"type": "string", "uniqueItems": True}  # nothing that makes strings looks at it
    assert hosted.convert(schema, "openai").losses == {}
    module = importlib.import_module("frisket.hosted.convert")
    monkeypatch.setattr(module, "CONVERTED", module.CONVERTED - {"uniqueItems"})
    assert hosted.convert(schema, "openai").losses == {"": {"uniqueItems": "OpenAI does not enforce it"}}
