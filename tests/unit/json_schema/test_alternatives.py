"""Alternatives that overlap: open objects under oneOf, conditions under allOf; what is done where they are too many."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from frisket import Grammar, Limits, _core, json_schema
from frisket.errors import LimitExceededError
from frisket.json_schema import JSONSchemaOptions, lower_json_schema
from tests.oracle.json_schema.algebra import TooManyAlternatives

ANY_ORDER = JSONSchemaOptions(property_order="any")


def branches(count: int, **keys: Any) -> list[dict[str, Any]]:
    """Open objects, each with keys of its own."""
    return [
        {
            "type": "object",
            "properties": {f"{key}{i}": value for key, value in keys.items()},
            "required": [f"{key}{i}" for key in keys if key != "z"],
        }
        for i in range(count)
    ]


def conditions(count: int) -> list[dict[str, Any]]:
    return [
        {"if": {"properties": {f"a{i}": {"const": 1}}, "required": [f"a{i}"]}, "then": {"required": [f"b{i}"]}}
        for i in range(count)
    ]


INTEGER, TEXT = {"type": "integer"}, {"type": "string"}
MANY = [
    {"oneOf": branches(10, a=INTEGER)},
    {"oneOf": branches(40, a=INTEGER)},
    {"oneOf": [{**one, "properties": {**one["properties"], "id": TEXT}} for one in branches(12, a=INTEGER)]},
    {
        "oneOf": [
            {"properties": {"id": TEXT, f"a{i}": INTEGER}, "required": ["id", f"a{i}"], "type": "object"}
            for i in range(12)
        ]
    },
    {"oneOf": branches(4, a=INTEGER, b=TEXT)},
    {"oneOf": branches(4, a=INTEGER, z=TEXT)},
    {"type": "object", "allOf": conditions(5)},
    {"type": "object", "properties": {"b0": INTEGER}, "allOf": conditions(5)},
    {"type": "object", "not": {"anyOf": branches(3, a=INTEGER, b=TEXT, z=TEXT)}},
    {"oneOf": branches(24, a=INTEGER, z=TEXT)},
    {"oneOf": branches(24, a=INTEGER, b=TEXT)},
    {"type": "object", "allOf": conditions(24)},
    {"type": "object", "allOf": [{**one, "else": {"required": ["id"]}} for one in conditions(12)]},
    {"type": "object", "allOf": [{"anyOf": branches(3, a=INTEGER, z=TEXT)}, {"not": {"required": ["a0", "a1"]}}]},
    {"type": "object", "dependentSchemas": {f"a{i}": {"properties": {f"b{i}": TEXT}} for i in range(16)}},
]


def some_document(chance: random.Random) -> dict[str, Any]:
    keys = chance.sample([f"{key}{i}" for key in "abz" for i in range(4)] + ["id", "other"], chance.randint(0, 5))
    return {key: chance.choice([1, 2, "x", None]) for key in keys}


@pytest.mark.parametrize("schema", MANY, ids=range(len(MANY)))
def test_many_alternatives_are_exact(schema: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    made = Grammar.from_json_schema(schema, ANY_ORDER)
    assert made.report is not None and made.report.exact
    validator = jsonschema.Draft202012Validator(schema)
    chance = random.Random(1)
    for _ in range(300):
        document = some_document(chance)
        assert made.accepts(json.dumps(document)) == validator.is_valid(document), document


def test_after_the_engine_gave_up_its_way_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    error = LimitExceededError("too many")
    tried: list[tuple[str, int]] = []

    def fails(*arguments: Any) -> None:
        tried.append(arguments[-2:])
        raise TooManyAlternatives(error, 0)

    monkeypatch.setattr(json_schema, "_lowered", fails)
    for failed in (None, TooManyAlternatives(error, 0)):
        with pytest.raises(LimitExceededError, match="too many"):
            lower_json_schema(_core.GrammarBuilder(), {}, failed=failed)
    usual, after = tried[: len(tried) // 2], tried[len(tried) // 2 :]
    assert len(usual) == len(set(usual)) > 2
    assert after == [*usual[1:], usual[0]]


@pytest.mark.parametrize("schema", MANY, ids=range(len(MANY)))
def test_no_way_of_splitting_goes_far_before_every_way_was_tried(schema: dict[str, Any]) -> None:
    """One way takes thousands of alternatives of some, and the other a dozen."""
    assert Grammar.from_json_schema(schema, ANY_ORDER, limits=Limits(steps=4_000_000)).report is not None


def test_what_the_engine_spent_before_it_gave_up_counts() -> None:
    failed = TooManyAlternatives(LimitExceededError("too many"), 2_000_000)
    builder = _core.GrammarBuilder(limits=Limits(steps=1_000_000))
    with pytest.raises(LimitExceededError, match="steps of a whole build"):
        lower_json_schema(builder, MANY[0], failed=failed)
    builder = _core.GrammarBuilder(limits=Limits(steps=5_000_000))
    lower_json_schema(builder, MANY[0], failed=failed)


@pytest.mark.parametrize(
    ("schema", "inside", "outside"),
    [
        ({"oneOf": branches(8, a=INTEGER, b=TEXT)}, ['{"a7": 1, "b7": "x"}'], ['{"a7": 1}']),
        ({"oneOf": branches(9, a=INTEGER, z=TEXT)}, ['{"a7": 1, "z7": "x"}', '{"a7": 1}'], ['{"z7": "x"}']),
        ({"type": "object", "allOf": conditions(8)}, ["{}", '{"a7": 1, "b7": 1}', '{"a7": 2}'], ['{"a7": 1}', "1"]),
        ({"type": "object", "allOf": conditions(10)}, ["{}", '{"a9": 1, "b9": 1}', '{"a9": 2}'], ['{"a9": 1}', "1"]),
    ],
)
def test_what_splits_far_is_exact(schema: dict[str, Any], inside: list[str], outside: list[str]) -> None:
    made = Grammar.from_json_schema(schema)
    assert made.report is not None and made.report.exact
    assert [text for text in [*inside, *outside] if made.accepts(text)] == inside


TOO_MANY: list[tuple[dict[str, Any], str, list[str], list[str]]] = [
    (
        {"oneOf": branches(34, a=INTEGER, b=TEXT)},
        "oneOf",
        ['{"a0": 1, "b0": "x"}', '{"a0": 1, "b0": "x", "a1": 1, "b1": "x"}'],
        ['{"a0": 1}', "3"],
    ),
    (
        {"type": "object", "allOf": conditions(33)},
        "allOf",
        ['{"a0": 1, "b0": 0}', '{"a32": 1}'],
        ['{"a0": 1}'],
    ),
    (
        {"type": "object", "not": {"oneOf": branches(34, a=INTEGER, b=TEXT)}},
        "not",
        ["{}", '{"a0": 1, "b0": "x"}'],
        ["3"],
    ),
]


@pytest.mark.parametrize(("schema", "keyword", "inside", "outside"), TOO_MANY)
def test_too_many_are_refused_with_a_way_out(
    schema: dict[str, Any], keyword: str, inside: list[str], outside: list[str]
) -> None:
    with pytest.raises(LimitExceededError) as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.code == "limit" and "alternatives" in caught.value.message
    assert "max_alternatives" in str(caught.value.hint) and "relaxed" in str(caught.value.hint)
    # What slips is listed, what is enforced is enforced, and nothing valid is lost.
    core, report = json_schema.compile_json_schema(
        schema, JSONSchemaOptions(relaxed=True, property_order="any", max_alternatives=1000)
    )
    assert not report.exact and {entry.keyword for entry in report.loosened} == {keyword}
    assert all("too many alternatives" in entry.slips for entry in report.loosened)
    assert [text for text in [*inside, *outside] if core.accepts(text.encode())] == inside


def test_the_option_raises_the_limit() -> None:
    schema = {"oneOf": branches(6, a=INTEGER, b=TEXT)}
    with pytest.raises(LimitExceededError):
        Grammar.from_json_schema(schema, JSONSchemaOptions(max_alternatives=5))
    assert Grammar.from_json_schema(schema, JSONSchemaOptions(max_alternatives=12)).report.exact  # type: ignore[union-attr]
