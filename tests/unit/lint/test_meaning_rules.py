"""FRK4xx and FRK5xx: which places do not say what they mean."""

from __future__ import annotations

from typing import Any

import pytest

from .case import BOOLEAN, DRAFT7, INTEGER, STRING, fired, listing


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        (listing("p"), ["/properties/p"]),
        (listing("timeout", timeout=INTEGER), ["/properties/timeout"]),
        (listing("city", "data"), ["/properties/data"]),
        (listing("t2"), ["/properties/t2"]),
        (listing("height", "weight", height=INTEGER, weight=INTEGER), ["/properties/height", "/properties/weight"]),
        ({"items": listing("value")}, ["/items/properties/value"]),
        (listing("field3", field3=BOOLEAN), ["/properties/field3"]),
        ({"items": listing("flag", flag={"$ref": "#/$defs/b"}), "$defs": {"b": BOOLEAN}}, ["/items/properties/flag"]),
    ],
)
def test_no_description(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK401", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        listing("p", p={"type": "string", "description": "the path"}),
        listing("timeout", timeout={"type": "integer", "minimum": 1, "maximum": 60}),
        listing("timeout_ms", timeout_ms=INTEGER),
        listing("name", "value"),  # of what is said beside it
        listing("id", "x", "y", "x2", x=INTEGER, y=INTEGER, x2=INTEGER),
        listing("data", data={"type": "object"}),
        listing("value", value={"$ref": "#/$defs/v"}) | {"$defs": {"v": {"type": "string", "title": "the path"}}},
        listing("customer_name", "color1"),
        listing("a", "b", "c", a=INTEGER),
        listing("width", "height", width=INTEGER, height=INTEGER),
        listing("temperature", temperature=listing("value", value=INTEGER)),
        listing("height", height=STRING),  # the unit comes with it
    ],
)
def test_names_that_say_enough(schema: Any) -> None:
    assert fired("FRK401", schema) == []


CLOSED = listing("a") | {"additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"allOf": [CLOSED], "properties": {"b": STRING}}, ["/properties/b"]),
        ({"$ref": "#/$defs/c", "properties": {"b": STRING}, "$defs": {"c": CLOSED}}, ["/properties/b"]),
        (CLOSED | {"anyOf": [listing("b"), {"required": ["a"]}]}, ["/anyOf/0/properties/b"]),
        (CLOSED | {"if": {}, "then": listing("b")}, ["/then/properties/b"]),
        (listing("b") | {"oneOf": [CLOSED, listing("c") | {"additionalProperties": False}]}, ["/properties/b"]),
        ({"type": "array", "properties": {"a": STRING}}, ["/properties"]),
        ({"type": "object", "properties": {"a": {"type": "boolean", "enum": ["yes", "no"]}}}, ["/properties/a"]),
        (DRAFT7 | {"properties": {"a": {"$ref": "#/definitions/s", "properties": {"b": STRING}}},
                   "definitions": {"s": {"type": "object"}}}, ["/properties/a/properties"]),
    ],
)  # fmt: skip
def test_dead_property(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK402", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [listing("a")], "properties": {"b": STRING}, "unevaluatedProperties": False},
        {"allOf": [CLOSED], "properties": {"a": {"maxLength": 5}}},
        {"allOf": [CLOSED | {"patternProperties": {"^x-": True}}], "properties": {"x-b": STRING}},
        {"anyOf": [CLOSED, {"$ref": "#/$defs/b"}], "$defs": {"b": listing("b")}},
        listing("a") | {"oneOf": [CLOSED, listing("b")]},
        {"type": ["array", "object"], "properties": {"a": STRING}},
        listing("a", a=False),  # forbidden on purpose
        # Dead in one place, alive in another.
        {"properties": {"x": {"allOf": [{"$ref": "#/$defs/b"}, CLOSED]}, "y": {"$ref": "#/$defs/b"}},
         "$defs": {"b": listing("b")}},
        {"properties": {"a": {"type": "number", "enum": [1, 2.5]}}},
        {"$ref": "#/$defs/s", "properties": {"b": STRING}, "$defs": {"s": {"type": "object"}}},
    ],
)  # fmt: skip
def test_live_properties(schema: Any) -> None:
    assert fired("FRK402", schema) == []


def test_what_is_called_dead_has_no_document() -> None:
    """The engine agrees: with the property required, nothing is valid."""
    from frisket import Grammar
    from frisket.errors import UnsatisfiableSchemaError

    for schema in (
        {"type": "object", "allOf": [CLOSED], "properties": {"b": STRING}},
        {"type": "object"} | listing("b") | {"oneOf": [CLOSED, CLOSED]},
        listing("b", b={"type": "boolean", "enum": ["yes", "no"]}),
    ):
        assert fired("FRK402", schema)
        with pytest.raises(UnsatisfiableSchemaError):
            Grammar.from_json_schema(schema | {"required": ["b"]})


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"anyOf": [listing("name", "age"), listing("name", "size")]}, ["/anyOf"]),
        ({"oneOf": [listing("a", required=["a"]), listing("b", required=["b"])]}, ["/oneOf"]),  # {"a": "", "b": ""}
        ({"items": {"anyOf": [listing("k", k={"const": 1}), listing("k", k={"const": 2})]}}, ["/items/anyOf"]),
        ({"anyOf": [{"$ref": "#/$defs/a"}, CLOSED], "$defs": {"a": listing("a", "b")}}, ["/anyOf"]),
    ],
)
def test_undiscriminated_union(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK403", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [listing("k", k={"const": value}, required=["k"]) for value in (1, 2)]},
        {"required": ["k"], "oneOf": [listing("k", k={"const": value}) for value in (1, 2)]},
        {"anyOf": [listing("a", a=STRING, required=["a"]), listing("a", a=INTEGER, required=["a"])]},
        {"anyOf": [CLOSED | {"required": ["a"]}, listing("b", required=["b"])]},
        {"anyOf": [listing("a"), {"type": "null"}]},
        # Only the engine sees these.
        {"anyOf": [listing("a") | {"minProperties": 2}, listing("a", "b") | {"maxProperties": 1}]},
        {
            "oneOf": [{"$ref": "#/$defs/a b"}, listing("a", a={"type": "string", "pattern": "^y"}, required=["a"])],
            "$defs": {"a b": listing("a", a={"type": "string", "pattern": "^x"}, required=["a"])},
        },
        {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},  # conditions, not kinds
    ],
)
def test_unions_that_are_told_apart(schema: Any) -> None:
    assert fired("FRK403", schema) == []


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        (listing("a") | {"requried": ["a"]}, ["/requried"]),
        (listing("a", a={"type": "string", "maxLenght": 5}), ["/properties/a/maxLenght"]),
        ({"not": {"Type": 3, "type": "null"}, "additionalProprties": False}, ["/additionalProprties", "/not/Type"]),
        ({"type": "string", "pattern": r"(a*)\1", "maxlength": 3}, ["/maxlength"]),  # not to be enforced exactly
        ({"$ref": "https://a/b", "titel": ""}, ["/titel"]),
        (listing("a", a={"type": "string", "format": "datetime"}), ["/properties/a/format"]),
        ({"$schema": "draft7", "type": "string"}, ["/$schema"]),
    ],
)
def test_unknown_keyword(schema: Any, pointers: list[str]) -> None:
    assert sorted(fired("FRK404", schema)) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        listing("requried", "maxLenght") | {"required": ["requried"]},  # names of properties
        {"_format": "date", "@type": "a", "//pattern": "a", "x-requried": ["a"]},
        {"errorMessage": "", "ui:widget": "", "nullable": True, "default": {"requried": 1}, "enum": [{"titel": 1}]},
        {"$ref": "http://json-schema.org/draft-07/schema#"},
        {"type": "string", "format": "phone"},  # a program's own
        {"$schema": "https://example.com/metaschema", "type": "string"},
    ],
)
def test_words_that_are_no_slips(schema: Any) -> None:
    assert fired("FRK404", schema) == []


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"$defs": {"A": STRING}}, [""]),
        ({**DRAFT7, "definitions": {"A": STRING}, "title": "files"}, [""]),
        ({"fields": [{"name": "id"}]}, [""]),
        ({"$defs": {"A": STRING}, "$ref": "#/$defs/A"}, []),
        ({"$defs": {"A": STRING}, "type": "object"}, []),
        ({"description": "any JSON"}, []),
        ({}, []),
    ],
)
def test_root_asks_nothing(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK405", schema) == pointers


def test_the_report_says_what_may_be_meant() -> None:
    from frisket import Grammar

    report = Grammar.from_json_schema({"requried": [], "errorMessage": "", "title": "", "type": "null"}).report
    assert report is not None
    assert [entry.meant for entry in report.entries] == [None, "required", None]


@pytest.mark.parametrize(
    "pattern",
    ["[A-Z]{3}", "^a|b$", "^[0-9]+", "[0-9]{4}$", "^(a|b)x|c$", "[A-Za-z0-9_-]*", r"\d{4}-\d{2}-\d{2}", "^ab?[cd][ef]"],
)
def test_unanchored(pattern: str) -> None:
    assert fired("FRK501", {"type": "string", "pattern": pattern}) == ["/pattern"]


@pytest.mark.parametrize(
    "pattern",
    [
        *("^[A-Z]{3}$", "^(?:a|b)$", "^a$|^b$", "^https?://", "[.]png$", r"\S", "[a-z]", ".*[A-Z]{3}.*", "^.+@.+$"),
        *("^(?=.*[0-9])[a-z0-9]{8,}$", "^[a-z]+.*", "^", "", "(", "wifi"),
    ],
)
def test_anchored_or_open_on_purpose(pattern: str) -> None:
    assert fired("FRK501", {"type": "string", "pattern": pattern}) == []
