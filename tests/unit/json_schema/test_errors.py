"""Schemas that hold what no schema should: each ends in a typed error that names the place and what to do."""

from __future__ import annotations

import decimal
import sys
from functools import partial
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions
from frisket.errors import (
    FrisketError,
    InvalidSchemaError,
    LimitExceededError,
    UnsatisfiableSchemaError,
    UnsupportedSchemaError,
)

INFINITE, NAN, HALF = float("inf"), float("nan"), "\ud800"


def circle() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


@pytest.mark.parametrize(
    ("schema", "error", "where"),
    [
        ({"enum": ["a", INFINITE]}, InvalidSchemaError, "/enum/1"),
        ({"properties": {"a": {"const": {"b/": [INFINITE]}}}}, InvalidSchemaError, "/properties/a/const/b~1/0"),
        ({"not": {"const": INFINITE}}, InvalidSchemaError, "/not/const"),
        ({"const": NAN}, InvalidSchemaError, "/const"),
        ({"minimum": decimal.Decimal("sNaN")}, InvalidSchemaError, "/minimum"),
        ({"minLength": decimal.Decimal("Infinity")}, InvalidSchemaError, "/minLength"),
        ({"properties": {HALF: {}}}, InvalidSchemaError, "/properties"),
        ({"required": [HALF]}, InvalidSchemaError, "/required"),
        ({"dependentRequired": {"a": [HALF]}}, InvalidSchemaError, "/dependentRequired"),
        ({"dependentSchemas": {HALF: {"type": "object"}}}, InvalidSchemaError, "/dependentSchemas"),
        ({"enum": [1, {HALF: 1}]}, InvalidSchemaError, "/enum/1"),
        ({"$defs": {HALF: {"minimum": "a"}}, "$ref": f"#/$defs/{HALF}"}, InvalidSchemaError, "/$ref"),
        ({1: {}}, InvalidSchemaError, ""),
        ({"type": "object", 1: {}}, InvalidSchemaError, ""),
        ({"properties": {1: {}}}, InvalidSchemaError, "/properties"),
        ({"const": {None: 1}}, InvalidSchemaError, "/const"),
        ({"const": {1, 2}}, InvalidSchemaError, "/const"),
        ({"enum": [[{1, 2}]]}, InvalidSchemaError, "/enum/0/0"),
        ({"const": 10**5000}, LimitExceededError, "/const"),
        ({"minimum": decimal.Decimal("1e999999999")}, LimitExceededError, "/minimum"),
        (
            {
                "properties": {
                    "a": {"contains": {"const": 1}, "minContains": 90, "maxContains": 3_000, "minItems": 4_000}
                }
            },
            LimitExceededError,
            "/properties/a",
        ),
        (
            {"properties": {"a": {"not": {"contains": {"type": "null"}, "minContains": 9_000, "minItems": 9_400}}}},
            LimitExceededError,
            "/properties/a/not",
        ),
        ({"multipleOf": decimal.Decimal("1e-999999999")}, LimitExceededError, "/multipleOf"),
        ({"const": circle()}, InvalidSchemaError, ""),
        ({"type": "object", "propertyNames": {"pattern": "^$"}, "minProperties": 3}, UnsatisfiableSchemaError, ""),
        ({"$ref": "#", "unevaluatedProperties": {}}, InvalidSchemaError, ""),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#", "unevaluatedItems": False}}},
            InvalidSchemaError,
            "/$defs/a",
        ),
        ({"multipleOf": 12345678901}, UnsupportedSchemaError, "/multipleOf"),
    ],
)
def test_the_error_names_the_place(schema: Any, error: type[FrisketError], where: str) -> None:
    with pytest.raises(error) as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.where == where
    assert caught.value.hint
    assert str(caught.value).encode()


def test_a_schema_deep_inside_that_nothing_meets_is_named() -> None:
    names = {"type": "object", "propertyNames": {"pattern": "^$"}, "minProperties": 3}
    with pytest.raises(UnsatisfiableSchemaError) as caught:
        Grammar.from_json_schema({"type": "object", "properties": {"a": names}, "required": ["a"]})
    assert caught.value.where == "/properties/a"
    assert caught.value.hint == 'it says {"type": "object", "propertyNames": {"pattern": "^$"}, "minProperties": 3}'
    assert Grammar.from_json_schema({**names, "minProperties": 1}).accepts('{"": 1}')


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        (False, "it says false"),
        (' {"type": [ ]} ', 'it says {"type": []}'),
        ({"enum": ["x" * 400], "type": "null"}, 'it says {"enum": ["' + "x" * 289 + " …"),
        ({"const": HALF, "type": "null"}, r'it says {"const": "\ud800", "type": "null"}'),
    ],
)
def test_what_nothing_meets_is_quoted(schema: Any, hint: str) -> None:
    with pytest.raises(UnsatisfiableSchemaError) as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.hint == hint and str(caught.value).encode()


def test_a_text_with_thousands_of_digits_is_json_beyond_a_limit() -> None:
    with pytest.raises(LimitExceededError, match="digits"):
        Grammar.from_json_schema('{"const": ' + "1" * (sys.get_int_max_str_digits() + 1) + "}")


def test_lengths_beyond_all_texts_are_no_bounds() -> None:
    assert Grammar.from_json_schema({"maxLength": 10**5000}).accepts('"a"')
    assert Grammar.from_json_schema({"maxItems": decimal.Decimal("1e999999999")}).accepts("[]")


@pytest.mark.parametrize(
    "numeral", ["-1e999999999", "1e-999999999", "1E-999999999", "-1E-999999999", "0.5", "-1", "15e-1"]
)
@pytest.mark.parametrize(
    "keyword", ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains"]
)
def test_a_count_is_a_whole_number_however_long_it_is_written_out(keyword: str, numeral: str) -> None:
    with pytest.raises(InvalidSchemaError, match=f"{keyword} must be a non-negative integer"):
        Grammar.from_json_schema(f'{{"contains": true, "{keyword}": {numeral}}}')


def test_recursion_through_members_beside_unevaluated_properties_is_no_loop() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    grammar = Grammar.from_json_schema({"allOf": [node], "unevaluatedProperties": False})
    assert grammar.accepts('{"next": {"next": {}}}') and not grammar.accepts('{"next": {"other": 1}}')


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("whitespace", "tight", ValueError),
        ("property_order", None, ValueError),
        ("numbers", 1, ValueError),
        ("max_integer_digits", 0, ValueError),
        ("max_fraction_digits", -1, ValueError),
        ("max_exponent_digits", 1.5, TypeError),
        ("max_exponent_digits", 10**9, ValueError),
        ("indent", "  ", TypeError),
        ("max_alternatives", True, TypeError),
        ("relaxed", 1, TypeError),
        ("closed_objects", 1, TypeError),
        ("max_second_digits", "9", TypeError),
        ("max_second_digits", -1, ValueError),
    ],
)
def test_options_that_are_none(name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=name):
        JSONSchemaOptions(**{name: value})


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("indent", 0, 100),
        ("max_integer_digits", 1, 2000),
        ("max_fraction_digits", 0, 2000),
        ("max_exponent_digits", 0, 9),
        ("max_second_digits", 0, 2000),
        ("max_whitespace", 0, 1000),
        ("max_items", 0, 2**32),
        ("max_alternatives", 1, 2**32),
    ],
)
def test_numbers_among_the_options_are_as_large_as_their_errors_say(name: str, least: int, most: int) -> None:
    made = partial(JSONSchemaOptions, whitespace="pretty" if name == "indent" else "bounded")
    for value in (least, most):
        assert getattr(made(**{name: value}), name) == value
    for value in (least - 1, most + 1):
        with pytest.raises(ValueError, match=f"^{name} is from {least:,} to {most:,}$"):
            made(**{name: value})


def test_a_blank_before_the_document() -> None:
    for schema in ({"type": "object"}, {"type": "integer", "multipleOf": 3}):
        grammar = Grammar.from_json_schema(schema, JSONSchemaOptions(leading_space=True))
        text = "{}" if schema["type"] == "object" else "12"
        assert grammar.accepts(text) and grammar.accepts(" " + text)
        assert not grammar.accepts("  " + text) and not grammar.accepts(text + " ")
        assert not Grammar.from_json_schema(schema).accepts(" " + text)


@pytest.mark.parametrize("definitions", [3, "name", [1], None, True])
@pytest.mark.parametrize("holder", ["$defs", "definitions"])
def test_a_reference_into_what_holds_no_definitions_leads_nowhere(holder: str, definitions: object) -> None:
    with pytest.raises(InvalidSchemaError, match="leads nowhere") as refusal:
        Grammar.from_json_schema({"$ref": f"#/{holder}/name", holder: definitions})
    assert refusal.value.where == "/$ref"
    assert refusal.value.hint is not None


@pytest.mark.parametrize("count", [1, 4, 5, 6, 9])
def test_of_many_places_the_first_are_told_and_the_rest_counted(count: int) -> None:
    schema = {"properties": {f"p{number}": {"pattern": rf"(a{number}+)\1"} for number in range(count)}}
    with pytest.raises(UnsupportedSchemaError) as caught:
        Grammar.from_json_schema(schema)
    told = [f"/properties/p{number}/pattern" for number in range(count)]
    assert [place for place, _ in caught.value.places] == told and caught.value.where == told[0]
    shown = [place for place in told if f"{place}: " in caught.value.message]
    assert shown == told[: min(count, 5)]
    assert caught.value.message.endswith(f" and {count - 5} more") == (count > 5)
    # What to write instead is told of the first place's keyword.
    assert caught.value.hint is not None and "pattern" in caught.value.hint and "relaxed" in caught.value.hint


@pytest.mark.parametrize("pattern", [r"^(\w+):\1$", r"^(\w+)\:\1$"])
def test_a_pattern_that_is_not_regular_is_unsupported_however_it_is_spelled(pattern: str) -> None:
    # `\:` is no ECMA-262 with the flag u, and every validator reads it.
    schema = {"type": "string", "pattern": pattern}
    with pytest.raises(UnsupportedSchemaError, match="/pattern"):
        Grammar.from_json_schema(schema)
    relaxed = Grammar.from_json_schema(schema, options=JSONSchemaOptions(relaxed=True))
    assert relaxed.accepts('"a"')


def test_a_required_name_that_no_property_has_is_named() -> None:
    schema = {"type": "object", "properties": {"a": {}}, "required": ["a", "b"], "additionalProperties": False}
    with pytest.raises(UnsatisfiableSchemaError) as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.where == "/required" and str(caught.value.hint).endswith('; "b" is not among the properties')
