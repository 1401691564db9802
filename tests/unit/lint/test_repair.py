"""Fixes: what they change, what they keep, and that they come to an end."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema_rs
import pytest

from frisket.lint import repair

from .case import INTEGER, listing


def test_a_text_keeps_its_form() -> None:
    text = (
        "{\r\n\t\"type\" : \"object\",\r\n\t\"properties\":{\r\n"
        '\t\t"answer"  : { "type":"number", "maximum": 1.50e1 },\r\n\r\n\t\t"na\\u006de":{"type":"string"},\r\n'
        '\t\t"reasoning":{\r\n\t\t\t"type": "string" }\r\n\t},\r\n\t"required": [ "answer","x",  "reasoning" ]\r\n}\r\n'
    )  # fmt: skip
    repaired = repair(text)
    assert repaired.schema == (
        "{\r\n\t\"type\" : \"object\",\r\n\t\"properties\":{\r\n"
        '\t\t"reasoning":{\r\n\t\t\t"type": "string" },\r\n\r\n'
        '\t\t"answer"  : { "type":"number", "maximum": 1.50e1 },\r\n'
        '\t\t"na\\u006de":{"type":"string"}\r\n\t},\r\n\t"required": [ "reasoning","x",  "answer" ]\r\n}\r\n'
    )  # fmt: skip
    assert [finding.rule for finding in repaired.fixed] == ["FRK101"] and repaired.left == []


def test_a_value_stays_as_it_was() -> None:
    schema = listing("answer", "reasoning")
    repaired = repair(schema)
    assert list(schema["properties"]) == ["answer", "reasoning"]
    assert list(repaired.schema["properties"]) == ["reasoning", "answer"]


def test_nothing_to_mend_is_the_same_text() -> None:
    text = '{ "type":"string" }\n'
    repaired = repair(text)
    assert (repaired.schema, repaired.fixed, repaired.left) == (text, [], [])


def test_unsafe_fixes_are_asked_for() -> None:
    schema = {"type": "string", "pattern": "a|b+c"}
    assert repair(schema).schema == schema
    assert repair(schema, unsafe=True).schema["pattern"] == "^(?:a|b+c)$"
    closed = repair(listing("a"), select=["FRK304"], unsafe=True)
    assert closed.schema["additionalProperties"] is False and closed.left == []
    classes = listing("topic", topic={"enum": ["a", "b", "c"]}, required=["topic"])
    assert repair(classes, unsafe=True).schema["properties"]["topic"]["enum"] == ["a", "b", "c", "other"]


def test_what_is_added_stands_as_its_neighbours_do() -> None:
    text = '{\n  "type": "object",\n  "properties": {"a": {"type": "string"}}\n}'
    added = '{\n  "type": "object",\n  "properties": {"a": {"type": "string"}},\n  "additionalProperties": false\n}'
    assert repair(text, select=["FRK304"], unsafe=True).schema == added
    short = '{"properties":{"a":{}}}'
    assert json.loads(repair(short, select=["FRK304"], unsafe=True).schema)["additionalProperties"] is False


def test_fixes_of_one_object_wait_for_each_other() -> None:
    kinds = [
        listing("description", "name", "answer", "reasoning", "kind", answer=INTEGER, kind={"const": value})
        for value in ("one", "two")
    ]
    repaired = repair({"oneOf": kinds})
    for branch in repaired.schema["oneOf"]:
        assert list(branch["properties"]) == ["name", "kind", "description", "reasoning", "answer"]
    assert {finding.rule for finding in repaired.fixed} == {"FRK101", "FRK102", "FRK103"}
    assert not any(finding.fix is not None for finding in repaired.left)


def test_the_order_of_required_comes_back() -> None:
    schema = listing("answer", "question", "steps", "unit", required=["question", "steps", "answer"])
    repaired = repair(schema).schema
    assert list(repaired["properties"]) == ["question", "steps", "answer", "unit"]
    assert repaired["required"] == schema["required"]


def test_a_name_that_stands_twice_is_not_moved() -> None:
    text = (
        '{"properties": {"answer": {"type": "integer"}, "reasoning": {"type": "string"}, "answer": {"type": "number"}}}'
    )
    repaired = repair(text)
    assert repaired.schema == text and [finding.rule for finding in repaired.left] == ["FRK101"]


def test_a_second_round_finds_nothing_more() -> None:
    """Random objects of names that the rules know: each ends, and a mended one is mended."""
    names = ["answer", "reasoning", "description", "name", "id", "kind", "text", "reason", "label", "zeta", "alpha"]
    choose = random.Random(1)
    for _ in range(300):
        picked = choose.sample(names, choose.randint(2, 8))
        required = choose.sample(picked, choose.randint(0, len(picked)))
        kinds = [listing(*picked, kind={"const": value}, required=required) for value in "ab"]
        schema: Any = choose.choice([{"oneOf": kinds}, kinds[0]])
        once = repair(schema)
        assert not any(finding.fix is not None and finding.fix.safe for finding in once.left)
        assert json.dumps(repair(once.schema).schema) == json.dumps(once.schema)
        assert _sorted(once.schema) == _sorted(schema)


def _sorted(schema: Any) -> str:
    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: sorted(below) if key == "required" else plain(below) for key, below in value.items()}
        return [plain(below) for below in value] if isinstance(value, list) else value

    return json.dumps(plain(schema), sort_keys=True)


@pytest.mark.parametrize("document", [{"answer": 1, "reasoning": "x"}, {"reasoning": 1}, {}, {"answer": "1"}, 7])
def test_safe_fixes_keep_verdicts(document: Any) -> None:
    schema = listing("answer", "reasoning", answer=INTEGER, required=["answer"])
    mended = repair(schema).schema
    assert mended != schema or list(mended["properties"]) != list(schema["properties"])
    verdicts = [jsonschema_rs.validator_for(one).is_valid(document) for one in (schema, mended)]
    assert verdicts[0] == verdicts[1]


def test_fixes_know_the_vocabulary() -> None:
    from .case import vocabulary

    left = repair({"enum": ["order_id", "order_name"]}, vocabulary()).left
    assert [finding.rule for finding in left] == ["FRK201"]
