"""Every keyword with every kind of value: refused, with its place, if and only if the metaschema forbids it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.exceptions import SchemaError

from frisket import Grammar
from frisket.errors import InvalidSchemaError, UnsatisfiableSchemaError, UnsupportedSchemaError

VALUES: list[Any] = [
    None, True, False, -1, 0, 2, 1.5, 2.0, "a", "(", "string", [], ["a"], ["string"], [1], [{}], [True], {}, {"a": 1},
    {"a": []}, {"a": ["b"]}, {"a": {}}, {"a": False}, {"(": {}}, {"a": {"type": "x"}}, [{"type": "x"}],
]  # fmt: skip

BOTH = [
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "items", "contains",
    "minProperties", "maxProperties", "required", "properties", "patternProperties", "propertyNames",
    "additionalProperties", "dependencies", "allOf", "anyOf", "oneOf", "not", "if",
]  # fmt: skip
NEW = [
    "prefixItems", "minContains", "maxContains", "unevaluatedItems", "unevaluatedProperties", "dependentRequired",
    "dependentSchemas",
]  # fmt: skip

#: A list of no types or items is read as what it says.
FORGIVEN = [("type", []), ("items", [])]


def refused(schema: Any) -> str | None:
    """The place of the error, if the schema is no schema."""
    try:
        Grammar.from_json_schema(schema)
    except (UnsatisfiableSchemaError, UnsupportedSchemaError):
        return None
    except InvalidSchemaError as error:
        assert error.hint
        return error.where
    return None


@pytest.mark.parametrize("validator", [Draft202012Validator, Draft7Validator])
@pytest.mark.parametrize("keyword", BOTH + NEW)
def test_what_the_metaschema_says(keyword: str, validator: Any) -> None:
    if validator is Draft7Validator and keyword in NEW:
        return
    draft = {"$schema": validator.META_SCHEMA["$schema"]}
    for value in VALUES:
        if (keyword, value) in FORGIVEN and not (keyword == "items" and validator is Draft202012Validator):
            continue
        try:
            validator.check_schema({keyword: value})
            good = True
        except SchemaError:
            good = False
        for schema, place in [
            ({keyword: value}, ""),
            ({"properties": {"a/b": {keyword: value}}}, "/properties/a~1b"),
            ({"type": "array", "items": {"anyOf": [{"const": 9}, {keyword: value}]}}, "/items/anyOf/1"),
        ]:
            where = refused(draft | schema)
            assert (where is None) == good, json.dumps(schema)
            assert where is None or f"{where}/".startswith(f"{place}/{keyword}/"), where


@pytest.mark.parametrize("keyword", ["exclusiveMinimum", "exclusiveMaximum"])
def test_what_draft_4_writes_as_a_flag(keyword: str) -> None:
    draft = {"$schema": "http://json-schema.org/draft-04/schema#"}
    assert refused(draft | {keyword: 1}) == f"/{keyword}"
    assert refused(draft | {keyword: True}) is None
    assert refused({keyword: True}) == f"/{keyword}"
