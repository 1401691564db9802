"""Two places that contradict each other are both named; a metaschema is a schema like others."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import Grammar
from frisket.errors import UnsatisfiableSchemaError
from frisket.json_schema import JSONSchemaOptions


def closed(key: str) -> dict[str, Any]:
    return {"type": "object", "properties": {key: {"type": "string"}}, "required": [key], "additionalProperties": False}


def test_two_closed_objects_are_both_named() -> None:
    schema = {"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "$defs": {"A": closed("a"), "B": closed("b")}}
    with pytest.raises(UnsatisfiableSchemaError) as refused:
        Grammar.from_json_schema(schema)
    assert refused.value.where == "/$defs/A/properties/a"
    assert refused.value.message.endswith("that also meets /$defs/B/additionalProperties")


def test_two_types_of_a_member_are_both_named() -> None:
    schema = {"required": ["x"], "properties": {"x": {"type": "string"}}}
    with pytest.raises(UnsatisfiableSchemaError) as refused:
        Grammar.from_json_schema({"type": "object", **schema, "allOf": [{"properties": {"x": {"type": "integer"}}}]})
    assert {refused.value.where, refused.value.message.split()[-1]} == {"/properties/x", "/allOf/0/properties/x"}


@pytest.mark.parametrize(
    "draft", ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
)
def test_a_metaschema_has_a_grammar(draft: str) -> None:
    referencing = pytest.importorskip("referencing", reason="referencing is not installed")
    schema = {"$ref": draft}
    grammar = Grammar.from_json_schema(schema)
    assert grammar.report is not None and grammar.report.exact
    assert any(entry.pointer.endswith("/propertyNames") for entry in grammar.report.narrowed)
    assert grammar.accepts('{"patternProperties": {"^a": true}}')
    assert not grammar.accepts('{"patternProperties": {"(": true}}')
    if "draft-07" in draft:  # jsonschema-rs asks no retriever for it
        return
    # The validator of a relaxed grammar gets the documents that the compiler knows, whatever the registry holds.
    relaxed = Grammar.from_json_schema(schema, JSONSchemaOptions(relaxed=True), registry=referencing.Registry())
    assert relaxed.value('{"type": "string"}') == {"type": "string"}
