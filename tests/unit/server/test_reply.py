"""Texts of all families, in pieces × the reader of replies: fields and calls as in the whole text, told in time."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
import pydantic_core

from frisket import Grammar
from frisket.server.reply import Gain, ToolReply, gathered
from frisket.server.tool import Offered, ToolOutput
from frisket.tools import family
from tests.unit.tools.test_messages import MESSAGES, TOOLS

CITY = {"type": "object", "properties": {"city": {"type": "string"}, "n": {"type": "array"}}, "required": ["city"]}


def output(name: str, tools: list[dict[str, Any]], final: Any = None) -> ToolOutput:
    offered = tuple(Offered(tool, f"/tools/{place}") for place, tool in enumerate(tools))
    return ToolOutput(name, offered, "auto", True, final, "auto")


def ended(text: str, name: str) -> str:
    """The text without what ends a turn."""
    text = text.rstrip()
    for stop in family(name).stops:
        text = text.removesuffix(stop)
    return text


def read(grammar: Grammar, out: ToolOutput, text: str, size: int, **more: Any) -> list[Gain]:
    reply = ToolReply(grammar, out, **more)
    pieces = [text[place : place + size] for place in range(0, len(text), size)]
    return [*(gain for piece in pieces for gain in reply.feed(piece)), *reply.end(True)]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("case", MESSAGES, ids=lambda case: f"{case['family']}-{case.get('template', 'source')}")
def test_pieces_make_up_the_whole_message(case: dict[str, Any], size: int) -> None:
    grammar = Grammar.from_tools(TOOLS, case["family"], prompt=case["prompt"])
    text = ended(case["text"], case["family"])
    gains = read(grammar, output(case["family"], TOOLS), text, size)
    message = gathered(gains, tools=True)
    assert message["content"] == case.get("content") and message.get("reasoning_content") == case.get("reasoning")
    functions = [call["function"] for call in message.get("tool_calls", [])]  # type: ignore[typeddict-item]
    assert [json.loads(function["arguments"]) for function in functions] == case["calls"]
    assert [function["arguments"] for function in functions] == [
        json.dumps(call.arguments, ensure_ascii=False) for call in grammar.value(text).calls
    ]
    if size == 1:
        # A client's partial parser reads each prefix.
        for place, arguments in enumerate(case["calls"]):
            pieces = [gain.text for gain in gains if gain.call and gain.call.index == place]
            assert len(pieces) > 2 * len(arguments)
            for count in range(1, len(pieces) + 1):
                if joined := "".join(pieces[:count]):
                    known = pydantic_core.from_json(joined, allow_partial="trailing-strings")
                    assert set(known) <= set(arguments)


@pytest.mark.parametrize("case", [case for case in MESSAGES if case["calls"]], ids=lambda case: case["family"])
def test_arguments_are_told_while_they_are_written(case: dict[str, Any]) -> None:
    grammar = Grammar.from_tools(TOOLS, case["family"], prompt=case["prompt"])
    text = ended(case["text"], case["family"])
    reply = ToolReply(grammar, output(case["family"], TOOLS))
    begun = text.index("São Paulo") + len("São Pau")
    told = "".join(gain.text for gain in reply.feed(text[:begun]) if gain.kind == "arguments")
    assert told == '{"city": "São Pau'


def test_a_tool_may_be_called_like_a_field() -> None:
    tools = [{"name": "content", "parameters": CITY}, {"name": "reasoning", "parameters": CITY}]
    grammar = Grammar.from_tools(tools, "hermes")
    calls = [f'<tool_call>\n{{"name": "{tool["name"]}", "arguments": {{"city": "x"}}}}\n</tool_call>' for tool in tools]
    message = gathered(read(grammar, output("hermes", tools), "Hm.\n" + "\n".join(calls), 2), tools=True)
    assert message["content"] == "Hm."
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["content", "reasoning"]  # type: ignore[typeddict-item]


@pytest.mark.parametrize("text", ['{"city": "Rome", "n": [1.5, null, {"a": "\\n\\"é"}]}', '{"city":"x","n":[]}', "7"])
def test_a_final_answer_comes_as_it_is_written(text: str) -> None:
    schema = {"anyOf": [CITY, {"type": "integer"}]}
    final = Grammar.from_json_schema(schema)
    grammar = Grammar.from_tools(TOOLS, "hermes", final=final)
    gains = read(grammar, output("hermes", TOOLS, final), text, 1)
    assert gathered(gains, tools=True)["content"] == text
    assert len(gains) == len(text) - text.count(" ")  # a blank comes with what follows


def test_a_final_answer_that_is_no_json_comes_at_the_end() -> None:
    final = Grammar.from_choices(["red", "green"])
    grammar = Grammar.from_tools(TOOLS, "hermes", final=final)
    assert gathered(read(grammar, output("hermes", TOOLS, final), "green", 2), tools=True)["content"] == "green"


@pytest.mark.parametrize("size", [1, 1000])
def test_reasoning_in_several_parts_is_joined_as_in_the_message(size: int) -> None:
    begin, end = "<|channel|>analysis<|message|>", "<|end|><|start|>assistant"
    text = f"{begin} One. {end}{begin}\nTwo.{end}<|channel|>final<|message|>Hi"
    grammar = Grammar.from_tools([{"name": "now"}], "gpt_oss")
    message = gathered(read(grammar, output("gpt_oss", [{"name": "now"}]), text, size), tools=True)
    assert message["reasoning_content"] == grammar.value(text).reasoning == "One.\nTwo."


def test_stop_strings_end_the_content_alone() -> None:
    text = '<think>\na; b\n</think>\n\nOne\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
    tools = [{"name": "now"}]
    grammar = Grammar.from_tools(tools, "qwen3")
    for stop, content in (([";", "<tool", "}"], "One"), (["ne"], "O"), (["\n"], "One"), (["e\n"], "One")):
        message = gathered(read(grammar, output("qwen3", tools), text, 1, stop=stop), tools=True)
        assert message["content"] == content and message["reasoning_content"] == "a; b"
        assert len(message["tool_calls"]) == 1 if content == "One" else "tool_calls" in message


def test_the_fields_of_tokens() -> None:
    text = '<think>\nhm\n</think>\n\nOne\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
    grammar = Grammar.from_tools([{"name": "now"}], "qwen3")
    reply = ToolReply(grammar, output("qwen3", [{"name": "now"}]))
    for _ in reply.feed(text):
        pass
    for _ in reply.end(True):
        pass
    fields = [reply.field_of(place, place + 1) for place in range(len(text))]
    spans = {field: "".join(c for c, found in zip(text, fields, strict=True) if found == field) for field in fields}
    assert (spans["reasoning"].strip(), spans["content"].strip()) == ("hm", "One")
