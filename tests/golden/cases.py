"""The grammars whose rules are kept as text: one of each kind of lowering."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from frisket import Grammar, JSONSchemaOptions, examples

FOLDER = Path(__file__).parent

ORDER = {
    "type": "object",
    "properties": {
        "size": {"enum": ["S", "M", "L"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 12},
        "note": {"type": "string", "maxLength": 40},
    },
    "required": ["size", "count"],
    "additionalProperties": False,
}


def schema(value: Any, **options: Any) -> Callable[[], Grammar]:
    return lambda: Grammar.from_json_schema(value, JSONSchemaOptions(**options) if options else None)


CASES: dict[str, Callable[[], Grammar]] = {
    "any_value": schema(True),
    "object": schema(ORDER),
    "object_any_order": schema(ORDER, property_order="any", whitespace="compact"),
    "object_open": schema({"type": "object", "properties": {"a": {"type": "null"}}, "patternProperties": {"^x-": {}}}),
    "object_conditional": schema(
        {
            **ORDER,
            "if": {"properties": {"size": {"const": "S"}}},
            "then": {"properties": {"count": {"maximum": 3}}},
            "dependentRequired": {"note": ["size"]},
        }
    ),
    "array": schema({"prefixItems": [{"type": "null"}], "items": {"type": "boolean"}, "type": "array", "maxItems": 9}),
    "array_contains": schema({"type": "array", "items": {"enum": ["a", "b"]}, "contains": {"const": "a"}}),
    "array_unique": schema({"type": "array", "items": {"type": ["integer", "boolean"]}, "uniqueItems": True}),
    "recursive": schema(
        {
            "$defs": {
                "tree": {"type": "object", "properties": {"child": {"$ref": "#/$defs/tree"}}, "maxProperties": 1}
            },
            "$ref": "#/$defs/tree",
        },
        whitespace="compact",
    ),
    "string_pattern": schema({"type": "string", "pattern": "^[a-zé]+-[0-9]{2}", "maxLength": 12}),
    "string_formats": schema({"anyOf": [{"type": "string", "format": name} for name in ("date", "uuid", "ipv4")]}),
    "string_free": schema({"enum": ["yes", "no"]}, escapes="free", whitespace="compact"),
    "number": schema({"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.25}),
    "regex": lambda: Grammar.from_regex(r"(GET|POST) /[a-z.-]*( HTTP/1\.[01])?"),
    "choices": lambda: Grammar.from_choices(["low", "medium", "high"]),
    "example_agent": lambda: Grammar.from_json_schema(examples.load("agent")),
}
