"""What a report says of a language as a whole: a root that asks nothing, names that no string is."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import Grammar


def notes(schema: Any) -> list[tuple[str, list[str]]]:
    report = Grammar.from_json_schema(schema).report
    assert report is not None and report.exact
    return [(note.code, note.pointers) for note in report.notes]


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"$defs": {"A": {"type": "null"}, "b/c": {}}}, ["/$defs/A", "/$defs/b~1c"]),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"A": {}}}, ["/definitions/A"]),
        ({"$defs": {"A": {}}, "definitions": {"B": {}}, "title": "t"}, ["/$defs/A", "/definitions/B"]),
        ({"requried": ["a"], "propertys": {}}, []),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "const": 1}, []),
    ],
)
def test_a_root_that_asks_nothing_is_told_of(schema: Any, pointers: list[str]) -> None:
    assert notes(schema) == [("root-asks-nothing", pointers)]


@pytest.mark.parametrize(
    "schema",
    [
        *({}, True, {"title": "any JSON"}, {"x-order": 1}, {"default": 1}),
        {"$ref": "#/$defs/A", "$defs": {"A": {}}},
        {"type": "object", "$defs": {"A": {}}},
    ],
)
def test_a_root_that_means_any_json_or_asks_something_is_not(schema: Any) -> None:
    assert notes(schema) == []


def test_the_text_names_a_few_definitions_and_counts_the_others() -> None:
    report = Grammar.from_json_schema({"definitions": {f"D{i}": {} for i in range(7)}}).report
    assert report is not None
    assert report.notes[0].endswith("#/definitions/D4 and 2 more; add a $ref to the one that is meant")
    assert report.to_json()["notes"] == report.notes


def test_names_that_no_string_meets_are_told_of() -> None:
    counts = {"type": "object", "propertyNames": {"enum": [1, 2]}}
    assert notes({"properties": {"counts": counts}}) == [("no-names", ["/properties/counts/propertyNames"])]
    assert notes({"propertyNames": {"type": "integer"}}) == [("no-names", ["/propertyNames"])]
    assert notes({"propertyNames": {"enum": [1, "a"]}}) == []
    assert notes({"propertyNames": False}) == [], "who writes false means it"
