"""Hostile schemas × describe, lint, repair, export."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from frisket import Grammar
from frisket.hosted import convert
from frisket.lint import lint, repair

from .case import Case, given
from .constructors import PRIMES, doubled_references, switches

#: Schemas by what is hostile in them; each compiles.
HOSTILE: dict[str, Callable[[], Any]] = {
    "minItems of 10^9": lambda: {"type": "array", "items": {"type": "string"}, "minItems": 10**9},
    "minLength of 10^9": lambda: {"type": "string", "minLength": 10**9},
    "minItems in minItems": lambda: _nested_counts(4, 10_000),
    "minItems of 2^64": lambda: {"type": "array", "minItems": 2**64},
    "minItems of 1e30": lambda: {"type": "array", "minItems": 1e30},
    "minimum of 10^400 beside multipleOf 0.5": lambda: {"type": "number", "minimum": 10**400, "multipleOf": 0.5},
    "minimum of 10^5000": lambda: f'{{"type": "integer", "minimum": 1{"0" * 5000}}}',
    "maxLength of 1e30": lambda: {"type": "string", "maxLength": 1e30, "minLength": 1e3},
    "15,000 properties": lambda: _properties(15_000),
    "references that double 64 times": lambda: doubled_references(64),
    "properties that refer to all others": lambda: _entangled(300),
    "an enum of 50,000 objects": lambda: {"enum": [{"a": place, "b": "x" * 20} for place in range(50_000)]},
    "40 switches on one member": lambda: switches(40),
    "oneOf of 12 multipleOf": lambda: {"oneOf": [{"type": "integer", "multipleOf": prime} for prime in PRIMES]},
    "allOf of 12 patterns": lambda: {"allOf": [{"type": "string", "pattern": f"^(a{{{p}}})+$"} for p in PRIMES[:5]]},
    "200 levels": lambda: _deep(200),
    "a description of 10 MB": lambda: {"type": "string", "description": "a " * 5_000_000},
    "300 unions in a union": lambda: {
        "anyOf": [{"anyOf": [{"const": 300 * a + b} for a in range(300)]} for b in range(300)]
    },
}

#: The names of schemas whose cases are tests, too.
QUICK = {
    "minItems of 10^9", "minLength of 10^9", "minItems in minItems", "minItems of 2^64", "minItems of 1e30",
    "minimum of 10^400 beside multipleOf 0.5", "maxLength of 1e30", "references that double 64 times", "200 levels",
}  # fmt: skip

STYLES = ("typescript", "prose", "json_schema", "example")


def _nested_counts(depth: int, count: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string", "minLength": count}
    for _ in range(depth):
        schema = {"type": "array", "items": schema, "minItems": count}
    return schema


def _properties(count: int) -> dict[str, Any]:
    names = [f"property {place}" for place in range(count)]
    return {
        "type": "object",
        "properties": {name: {"type": "string", "minLength": 3} for name in names},
        "required": names,
    }


def _entangled(count: int) -> dict[str, Any]:
    refer = {f"p{place}": {"$ref": f"#/$defs/d{place}"} for place in range(count)}
    return {
        "$defs": {f"d{place}": {"type": "object", "properties": refer} for place in range(count)},
        "$ref": "#/$defs/d0",
    }


def _deep(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for place in range(depth):
        schema = {"type": "object", "properties": {f"p{place}": schema, "q": {"type": "string"}}, "required": ["q"]}
    return schema


def _grammar(make: Callable[[], Any]) -> Grammar:
    return Grammar.from_json_schema(make())


def _converted(vendor: str, schema: Any) -> Any:
    return convert(_value(schema), vendor)


def _describing(style: Any) -> Callable[[Grammar], Any]:
    return lambda grammar: grammar.describe(style)


def _cases() -> Iterator[Case]:
    for name, make in HOSTILE.items():
        quick = name in QUICK
        for style in STYLES:
            called = f"Grammar.describe({style})"
            yield given(called, name, _describing(style), partial(_grammar, make), quick=quick)
        yield given("lint.lint", name, lint, make, quick=quick)
        yield given("lint.repair", name, repair, make, quick=quick)
        for vendor in ("openai", "gemini"):
            to = f"hosted.convert({vendor})"
            yield given(to, name, partial(_converted, vendor), make, quick=quick)
    yield given("lint.repair", "a cyclic dict", repair, _cyclic)
    yield given("lint.lint", "a cyclic dict", lint, _cyclic, quick=True)
    yield given("lint.repair", "a dict that nests 100,000 deep", repair, lambda: _items(100_000))
    yield given("lint.lint", "a dict that nests 100,000 deep", lint, lambda: _items(100_000))


def _value(schema: Any) -> Any:
    from frisket.json_schema.text import parse

    return parse(schema) if isinstance(schema, str) else schema


def _cyclic() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    return schema


def _items(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"items": schema}
    return schema


SCHEMAS = list(_cases())
