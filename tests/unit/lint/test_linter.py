"""What is selected, what is silenced, and what a schema that is no schema does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from frisket import lint as package
from frisket.errors import FrisketError, InvalidSchemaError
from frisket.lint import RULES, Finding, lint

from .case import INTEGER, STRING, listing

BAD = listing("answer", "reasoning", "p")


def codes(found: list[Finding]) -> list[str]:
    return [finding.rule for finding in found]


def test_the_public_names() -> None:
    assert set(package.__all__) == {"RULES", "Finding", "Fix", "Repaired", "Rule", "lint", "repair"}


def test_by_default_the_rules_run_that_are_meant_for_every_schema() -> None:
    assert codes(lint(BAD)) == ["FRK101", "FRK401"]
    assert set(codes(lint(BAD, select=["ALL"]))) == {"FRK101", "FRK301", "FRK304", "FRK401"}


@pytest.mark.parametrize(
    ("select", "ignore", "found"),
    [
        (["FRK1"], [], ["FRK101"]),
        (["no-description"], [], ["FRK401"]),
        (["FRK1", "FRK304"], [], ["FRK304", "FRK101"]),
        (None, ["FRK4"], ["FRK101"]),
        (["ALL"], ["unbounded-string", "FRK1", "FRK4"], ["FRK304"]),
        ("FRK101", "FRK101", []),
    ],
)
def test_selection(select: Any, ignore: Any, found: list[str]) -> None:
    assert codes(lint(BAD, select=select, ignore=ignore)) == found


def test_an_unknown_rule_is_an_error_that_names_the_one_that_is_meant() -> None:
    with pytest.raises(FrisketError, match="open-objects") as error:
        lint({}, select=["open-objects"])
    assert error.value.code == "lint-rule" and error.value.hint == "did you mean open-object?"
    with pytest.raises(FrisketError, match="FRK9"):
        lint({}, ignore=["FRK9"])


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (True, []),
        (False, ["FRK101", "FRK401"]),
        ("FRK101", ["FRK401"]),
        (["FRK1"], ["FRK401"]),
        (["answer-before-reason", "FRK4"], []),
        ([], ["FRK101", "FRK401"]),
    ],
)
def test_a_place_silences_rules_there_and_below(words: Any, found: list[str]) -> None:
    schema = BAD | {"x-frisket-ignore": words}
    assert codes(lint(schema)) == found
    assert codes(lint({"items": {"items": schema}})) == found
    assert codes(lint({"items": schema, "properties": {"x1": listing("answer", "reasoning")}}))[-1:] == ["FRK101"]


def test_a_property_silences_what_is_said_of_it() -> None:
    schema = listing("p", p={"type": "string", "x-frisket-ignore": "FRK401"})
    assert lint(schema) == []
    # What is said of the whole table stands beside the property, not in it.
    table = listing("answer", "reasoning", answer={"type": "integer", "x-frisket-ignore": "FRK101"})
    assert lint(table) == []


@pytest.mark.parametrize("words", [7, {"a": 1}, ["FRK101", 7]])
def test_what_silences_nothing_is_an_error(words: Any) -> None:
    with pytest.raises(InvalidSchemaError) as error:
        lint({"items": {"x-frisket-ignore": words}})
    assert error.value.where == "/items/x-frisket-ignore"
    with pytest.raises(FrisketError, match="FRK999") as unknown:
        lint({"x-frisket-ignore": "FRK999"})
    assert unknown.value.where == "/x-frisket-ignore"


def test_findings_come_in_the_order_of_the_text() -> None:
    schema = {"properties": {"z1": listing("p"), "a1": listing("q"), "answer": INTEGER, "reasoning": STRING}}
    assert [finding.pointer for finding in lint(schema)] == [
        "/properties/z1/properties/p",
        "/properties/a1/properties/q",
        "/properties/answer",
    ]


def test_a_text_is_read_as_its_value_is() -> None:
    assert lint('{"properties": {"p": {"type": "string"}}}') == lint({"properties": {"p": STRING}})
    with pytest.raises(InvalidSchemaError):
        lint("{")


@pytest.mark.parametrize("schema", [True, False, {}, {"$ref": "#"}, {"$ref": "#/nowhere"}, {"$ref": "https://a/b"}])
def test_schemas_that_say_little(schema: Any) -> None:
    assert set(codes(lint(schema, select=["ALL"]))) <= {"FRK305"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5, "properties": [], "required": 3, "enum": {}, "anyOf": {}, "items": 7, "pattern": 1, "$ref": 4},
        {"type": [None, "string"], "properties": {"a": None, "b": 3}, "required": [1, "a"], "oneOf": [1, None]},
        {"properties": {"answer": "text", "reasoning": []}, "allOf": [[], "x"], "patternProperties": {"(": 1}},
        {"anyOf": [{"properties": {"k": {"const": {}}}}, {"properties": {"k": {"enum": [[], 1e400]}}}]},
        {"$id": "http://[", "$ref": "http://[/x"},
        {"properties": {"\ud800": {"type": "string"}, "answer/~": INTEGER, "x1": {"enum": ["\ud800a", "\ud800b"]}}},
        {"enum": ["", "", ""], "minLength": "x", "additionalProperties": 3, "dependencies": {"a": ["b"], "c": 7}},
    ],
)
def test_a_broken_schema_is_no_crash(schema: Any) -> None:
    from .case import vocabulary

    lint(schema, vocabulary(), select=["ALL"], max_tokens=1)


def test_the_root_is_a_schema() -> None:
    for wrong in ([], 7, None, "[]", "null"):
        with pytest.raises(InvalidSchemaError):
            lint(wrong)  # type: ignore[arg-type]


def test_a_schema_that_holds_itself_is_refused() -> None:
    loop: dict[str, Any] = listing("answer", "reasoning")
    loop["properties"]["more"] = loop
    with pytest.raises(InvalidSchemaError, match="holds itself"):
        lint(loop)


def test_a_deep_schema_ends() -> None:
    schema: dict[str, Any] = listing("answer", "reasoning")
    for _ in range(900):
        schema = {"items": schema}
    assert codes(lint(schema)) == ["FRK101"]
    wide = {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}] * 3}}, "anyOf": [{"$ref": "#/$defs/a"}] * 40}
    lint(wide, select=["ALL"])


def test_many_ways_to_one_place_end() -> None:
    """Layers of references, all to all: ways up from the last one grow as a power of the layers."""
    layers: dict[str, Any] = {}
    for layer in range(12):
        refs = [{"$ref": f"#/$defs/p{layer + 1}{side}"} for side in "ab"] if layer < 11 else []
        for side in "ab":
            layers[f"p{layer}{side}"] = listing("answer") | ({"allOf": refs} if refs else {})
    assert lint({"$ref": "#/$defs/p0a", "$defs": layers}, ignore=["FRK4"]) == []
    names = [f"n{number}" for number in range(20)]
    graph = {name: listing("p") | {"allOf": [{"$ref": f"#/$defs/{other}"} for other in names]} for name in names}
    assert "FRK401" in codes(lint({"$ref": "#/$defs/n0", "$defs": graph}))


def test_a_pattern_that_takes_others_for_ever() -> None:
    closed = {"patternProperties": {"^(x+x+)+y$": True}, "additionalProperties": False}
    found = lint({"allOf": [closed], "properties": {"x" * 60: STRING}}, select=["FRK402"])
    assert len(found) == 1


def test_the_least_budget_is_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        lint({}, max_tokens=0)


def test_a_finding_for_a_program() -> None:
    (finding,) = lint(listing("answer", "reasoning"))
    assert finding.to_json() == {
        "rule": "FRK101",
        "name": "answer-before-reason",
        "pointer": "/properties/answer",
        "message": '"answer" comes before "reasoning"',
        "hint": 'put "reasoning" first: what is written after an answer cannot change it',
        "fix": {"message": '"reasoning" moves before "answer"', "safe": True},
    }


def test_every_rule_runs_somewhere_in_these_tests() -> None:
    texts = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*_rules.py")]
    assert not [rule.code for rule in RULES if not any(f'"{rule.code}"' in text for text in texts)]
