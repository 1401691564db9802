"""Custom tools × families: the one text of a call is a text of its grammar, and comes back as it was written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from frisket import Grammar
from frisket.errors import RefusedToolsError
from frisket.events import Closed, Events
from frisket.tools import Tools, families

PATCH = """\
start: begin_patch hunk+ end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?
hunk: "*** Delete File: " filename LF | "*** Update File: " filename LF change*
filename: /(.+)/
change: ("+" | "-" | " ") /(.*)/ LF
%import common.LF
"""
GIVEN = '*** Begin Patch\n*** Update File: é.txt\n-a "b" \\ & c\n+d\n*** End Patch\n'
#: One family for each way to write arguments.
WRITTEN = {
    "hermes": lambda text: f'<tool_call>\n{{"name": "patch", "arguments": {{"input": {quoted(text)}}}}}\n</tool_call>',
    "qwen3_coder": lambda text: (
        f"<tool_call>\n<function=patch>\n<parameter=input>\n{text}\n</parameter>\n</function>\n</tool_call>"
    ),
    "llama4_pythonic": lambda text: f"[patch(input={quoted(text)})]",
}


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def custom(**form: Any) -> dict[str, Any]:
    return {"type": "custom", "name": "patch", "format": {"type": "grammar", **form}}


LARK = custom(syntax="lark", definition=PATCH)


@pytest.mark.parametrize("family", WRITTEN)
def test_the_input_is_a_text_of_its_grammar(family: str) -> None:
    write, grammar = WRITTEN[family], Grammar.from_tools([LARK], family, choice="required")
    (call,) = grammar.value(write(GIVEN)).calls
    assert (call.value, call.arguments) == (GIVEN, {"input": GIVEN})
    assert call.to_openai() == {"id": "call_0", "type": "custom", "custom": {"name": "patch", "input": GIVEN}}
    assert not grammar.accepts(write(GIVEN.replace("+d", "d")))
    assert not grammar.accepts(write(""))
    closed = {event.path: event.value for event in Events(grammar).feed(write(GIVEN)) if isinstance(event, Closed)}
    assert closed["patch", "input"] == GIVEN


@pytest.mark.parametrize("family", families())
def test_every_family_writes_custom_tools(family: str) -> None:
    (report,) = Tools([LARK], policy="reject").report(family)
    assert report.status == "exact"


@pytest.mark.parametrize(
    ("tool", "good", "bad"),
    [
        (custom(syntax="regex", definition=r"[a-z]+\d{2}"), "ab12", "ab1"),
        ({"type": "custom", "custom": {**custom(syntax="regex", definition="a|b"), "type": None}}, "b", "c"),
        ({"type": "custom", "custom": {"name": "patch", "format": {"type": "text"}}}, "any\ntext", None),
        ({"type": "custom", "name": "patch"}, "", None),
        ({"type": "custom", "custom": {"name": "patch", "format": {"type": "grammar", "grammar": {
            "syntax": "lark", "definition": 'start: "x"+'}}}}, "xx", "xy"),
    ],
)  # fmt: skip
def test_formats(tool: dict[str, Any], good: str, bad: str | None) -> None:
    write, grammar = WRITTEN["hermes"], Grammar.from_tools([tool], "hermes", choice="required")
    assert grammar.value(write(good)).calls[0].value == good
    assert bad is None or not grammar.accepts(write(bad))


@pytest.mark.parametrize(
    ("form", "where", "said"),
    [
        ({"syntax": "lark", "definition": "start: nobody"}, "/format/definition", "1:8"),
        ({"syntax": "regex", "definition": "(a"}, "/format/definition", "never closed"),
        ({"syntax": "js", "definition": "a"}, "/format/syntax", "cannot be read"),
        ({"type": "json"}, "/format/type", "cannot be read"),
    ],
)
def test_a_format_that_cannot_be_enforced_is_refused_with_its_place(
    form: dict[str, Any], where: str, said: str
) -> None:
    with pytest.raises(RefusedToolsError, match=said) as caught:
        Grammar.from_tools([custom(**form)], "hermes")
    assert (caught.value.where or "").endswith(where) and caught.value.hint


def test_between_marks_rules_that_call_themselves_are_refused() -> None:
    tool = custom(syntax="lark", definition='start: "(" start ")" | "x"')
    with pytest.raises(RefusedToolsError, match="calls itself") as caught:
        Grammar.from_tools([tool], "qwen3_coder")
    assert (caught.value.where or "").endswith("/format/definition")
    assert "a family whose calls are JSON" in (caught.value.hint or "")
