"""Texts that `json.loads` refuses: a byte order mark has a hint, and a limit of Python is no fault of the JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from frisket import Grammar
from frisket.errors import AnswerError, FrisketError, GrammarSyntaxError, InvalidSchemaError, LimitExceededError
from frisket.json_fault import BOM, json_fault
from frisket.lint import lint, repair

DEEP = '{"not": ' * 100_000 + "true" + "}" * 100_000
LONG = f'{{"const": {"9" * 5_000}}}'


def _cycle() -> dict[str, Any]:
    schema: dict[str, Any] = {}
    schema["not"] = schema
    return schema


def _nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"not": schema}
    return schema


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        (b"\xff", "is not JSON: byte 0 is no UTF-8", None),
        ('{"a": }', "is not JSON: Expecting value", "1:7"),
        (f"{BOM}1", "begins with a byte order mark, which is no JSON", "1:1"),
        ("9" * 5_000, "holds an integer of thousands of digits", None),
        ("[" * 100_000, "nests too deep", None),
    ],
)
def test_what_python_says_becomes_a_clause_with_a_place(text: str | bytes, message: str, where: str | None) -> None:
    with pytest.raises((ValueError, RecursionError)) as caught:
        json.loads(text)
    fault = json_fault(caught.value)
    assert (fault.message, fault.where) == (message, where)
    assert fault.is_limit == (message in ("nests too deep", "holds an integer of thousands of digits"))


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (lambda: Grammar.from_json_schema(f'{BOM}{{"type": "integer"}}'), InvalidSchemaError),
        (lambda: lint(f'{BOM}{{"type": "integer"}}'), InvalidSchemaError),
        (lambda: Grammar.from_structural_tag(f"{BOM}{{}}"), GrammarSyntaxError),
        (lambda: Grammar.from_gbnf(f'{BOM}root ::= "a"'), GrammarSyntaxError),
        (lambda: Grammar.from_lark(f'{BOM}start: "a"'), GrammarSyntaxError),
        (lambda: Grammar.from_abnf(f'{BOM}a = "a"\n'), GrammarSyntaxError),
        (lambda: Grammar.from_ebnf(f'{BOM}a ::= "a"'), GrammarSyntaxError),
        (lambda: Grammar.from_json_schema({}).value(f"{BOM}1"), AnswerError),
    ],
)
def test_a_byte_order_mark_has_a_hint(read: Callable[[], object], error: type[FrisketError]) -> None:
    with pytest.raises(error, match="byte order mark") as caught:
        read()
    assert caught.value.where == "1:1"
    assert caught.value.hint is not None and "utf-8-sig" in caught.value.hint


@pytest.mark.parametrize(
    "read",
    [
        lambda: lint(LONG),
        lambda: Grammar.from_structural_tag(DEEP),
        lambda: Grammar.from_lark(f"start: %json {LONG}"),
        lambda: Grammar.from_lark(f"start: %json {DEEP}"),
        lambda: Grammar.from_json_schema({}).value("9" * 5_000),
        lambda: Grammar.from_json_schema({}).value("[" * 100_000 + "]" * 100_000),
        lambda: repair(DEEP),
        pytest.param(
            lambda: repair(_nested(5_000)),
            marks=pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads so many levels"),
        ),
        lambda: repair(_nested(100_000)),
    ],
)
def test_what_python_cannot_read_is_beyond_a_limit(read: Callable[[], object]) -> None:
    with pytest.raises(LimitExceededError) as caught:
        read()
    assert "JSON:" not in caught.value.message and "recursion" not in caught.value.message
    assert caught.value.hint is not None and "set_int_max_str_digits" not in str(caught.value)


def test_repair_refuses_what_lint_refuses() -> None:
    for schema in (_cycle(), {"const": {1, 2}}):
        with pytest.raises(InvalidSchemaError):
            repair(schema)


@pytest.mark.parametrize(
    ("text", "hint"), [('{"a": 1} Done.', "more text follows"), ('```json\n{"a": 1}\n```', "a fence of Markdown")]
)
def test_an_answer_of_another_model_may_hold_more_than_its_document(text: str, hint: str) -> None:
    with pytest.raises(AnswerError) as caught:
        Grammar.from_json_schema({"type": "object"}).value(text)
    assert hint in str(caught.value.hint) and caught.value.text == text
