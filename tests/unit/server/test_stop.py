"""Stop strings × what an answer holds: they end text that a reader sees, and say what they have cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.server.running import running
from tests.unit.server.test_tools import ASK, CALL, TOOLS, Scripted

pytestmark = pytest.mark.filterwarnings("ignore")

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}


def test_the_format_of_a_call_and_reasoning_hold_no_stop_string() -> None:
    with running(Scripted(f"<think>\na; b\n</think>\n\nSo; no.\n{CALL}"), tool_family="qwen3") as server:
        create = server.client().chat.completions.create
        whole = create(**ASK, tools=TOOLS, stop=["<tool_call>", '"name"', "}"]).choices[0]
        assert (whole.finish_reason, whole.message.content) == ("tool_calls", "So; no.")
        cut = create(**ASK, tools=TOOLS, stop=[";"]).choices[0]
        assert (cut.finish_reason, cut.message.content, cut.message.tool_calls) == ("stop", "So", None)
        assert cut.message.reasoning_content == "a; b" and not hasattr(cut, "missing")
        pieces = [chunk.choices[0] for chunk in create(**ASK, tools=TOOLS, stop=[";"], stream=True)]
        assert "".join(piece.delta.content or "" for piece in pieces) == "So"
        assert pieces[-1].finish_reason == "stop"
    with running(Scripted(CALL)) as server:
        required = server.client().chat.completions.create(
            **ASK, tools=TOOLS, tool_choice="required", stop=["none", "{"]
        )
        assert required.choices[0].finish_reason == "tool_calls"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("more", [{}, {"tools": TOOLS}])
def test_a_schema_that_was_cut_says_what_is_missing(more: dict[str, Any], stream: bool) -> None:
    with running(Scripted('{"a": "x;y", "b": 12}')) as server:
        asked = {**ASK, "response_format": FORMAT, "stop": [";"], **more, "stream": stream}
        answer = server.client().chat.completions.create(**asked)
        choices = [chunk.choices[0] for chunk in answer] if stream else [answer.choices[0]]
        text = "".join((choice.delta if stream else choice.message).content or "" for choice in choices)
        assert text == '{"a": "x' and choices[-1].finish_reason == "stop"
        assert set(json.loads(text + choices[-1].missing)) == {"a", "b"}
        whole = server.client().chat.completions.create(**{**asked, "stop": ["z"], "stream": False}).choices[0]
        assert whole.message.content == '{"a": "x;y", "b": 12}' and not hasattr(whole, "missing")


def test_a_pattern_that_was_cut_says_what_is_missing() -> None:
    with running(Scripted("abc")) as server:
        asked: dict[str, Any] = {"model": "embedded", "prompt": "x", "stop": ["b"]}
        (choice,) = server.client().completions.create(**asked, extra_body={"guided_regex": "abc"}).choices
        assert (choice.text, choice.finish_reason, choice.missing) == ("a", "stop", "bc")
        (choice,) = server.client().completions.create(**asked).choices
        assert (choice.text, choice.finish_reason) == ("a", "stop") and not hasattr(choice, "missing")


def test_logprobs_of_a_chat_are_those_of_content() -> None:
    with running(Scripted(f"<think>\nhm\n</think>\n\nSo.\n{CALL}"), tool_family="qwen3") as server:
        asked = {**ASK, "tools": TOOLS, "logprobs": True, "top_logprobs": 1}
        (choice,) = server.client().chat.completions.create(**asked).choices
        pieces = [chunk.choices[0] for chunk in server.client().chat.completions.create(**asked, stream=True)]

        def text(entries: list[Any]) -> str:
            return "".join((entry if isinstance(entry, dict) else entry.model_dump())["token"] for entry in entries)

        told = [piece.logprobs for piece in pieces if piece.logprobs]
        for found in (
            (choice.logprobs.content, choice.logprobs.reasoning_content, choice.logprobs.tool_calls),
            tuple([entry for one in told for entry in getattr(one, name, None) or ()]
                  for name in ("content", "reasoning_content", "tool_calls")),
        ):  # fmt: skip
            assert [text(part).strip() for part in found[:2]] == ["So.", "hm"]
            assert CALL in text(found[2])
        response = server.client().responses.create(
            model="embedded", input="x", tools=[{"type": "function", **TOOLS[1]["function"]}],  # type: ignore[dict-item]
            include=["message.output_text.logprobs"], top_logprobs=1,
        )  # fmt: skip
        (message,) = [item for item in response.output if item.type == "message"]
        assert text(message.content[0].logprobs).strip() == message.content[0].text == "So."
