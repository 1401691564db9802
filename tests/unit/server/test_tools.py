"""OpenAI's own client × tools: each call is of a tool with valid arguments, in whichever way it is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from frisket import Vocabulary
from frisket.models.protocol import Logits
from tests.unit.server.running import Running, running

pytestmark = pytest.mark.filterwarnings("ignore")

OPEN = {"type": "object", "properties": {"kind": {"enum": ["billing", "bug"]}, "urgent": {"type": "boolean"}},
        "required": ["kind", "urgent"], "additionalProperties": False}  # fmt: skip
CLOSE = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}}, "required": ["n"],
         "additionalProperties": False}  # fmt: skip
TOOLS = [
    {"type": "function", "function": {"name": "open_ticket", "description": "Opens one.", "parameters": OPEN}},
    {"type": "function", "function": {"name": "none", "parameters": CLOSE, "strict": True}},
]
ASK: dict[str, Any] = {"model": "embedded", "messages": [{"role": "user", "content": "My card was charged twice"}]}
CALL = '<tool_call>\n{"name": "none", "arguments": {"n": 3}}\n</tool_call>'


class Scripted:
    """A model of single bytes that wants to write one text."""

    def __init__(self, script: str) -> None:
        self.eos = [256]
        self.context = 100_000
        self.vocabulary = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), None], eos=[256])
        self.script = script.encode()
        self.prompts: list[str] = []
        self._place = 0

    def encode(self, text: str) -> list[int]:
        self.prompts.append(text)
        return list(text.encode()) or [32]

    def decode(self, ids: Sequence[int]) -> str:
        return bytes(ids).decode()

    def prompt(self, text: str, keys: Sequence[str] | None = None) -> str:
        return text

    def start(self, prompt_ids: Sequence[int]) -> Scripted:
        return self.fork()

    def fork(self) -> Scripted:
        other = Scripted("")
        other.script, other._place = self.script, self._place
        return other

    def push(self, token_id: int) -> None:
        self._place += 1

    def logits(self) -> Logits:
        logits: Logits = np.zeros(257, dtype=np.float32)
        logits[self.script[self._place] if self._place < len(self.script) else 256] = 9
        return logits


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


def check(call: Any) -> str:
    arguments = json.loads(call.function.arguments)
    if call.function.name == "none":
        assert set(arguments) == {"n"} and 1 <= arguments["n"] <= 9
    else:
        assert call.function.name == "open_ticket"
        assert arguments["kind"] in ("billing", "bug") and isinstance(arguments["urgent"], bool)
    return str(call.function.name)


def streamed(server: Running, **asked: Any) -> tuple[dict[str, str], list[Any], str]:
    """(texts, calls, finish reason) of a stream."""
    texts, calls, reasons = {"content": "", "reasoning_content": ""}, list[Any](), list[str]()
    for chunk in server.client().chat.completions.create(stream=True, **asked):
        (choice,) = chunk.choices
        for name in texts:
            texts[name] += getattr(choice.delta, name, None) or ""
        for call in choice.delta.tool_calls or ():
            if call.id:
                assert call.index == len(calls) and call.type == "function" and call.function.name
                calls.append(call)
            else:
                assert call.index == len(calls) - 1 and call.function.name is None
                calls[-1].function.arguments += call.function.arguments
        reasons += [choice.finish_reason] if choice.finish_reason else []
    (reason,) = reasons
    return texts, calls, reason


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "none"}}])
def test_a_model_that_knows_no_tools_calls_them_rightly(server: Running, choice: Any) -> None:
    names, ids = set(), set()
    for seed in range(4):
        asked = {**ASK, "tools": TOOLS, "tool_choice": choice, "parallel_tool_calls": False, "seed": seed}
        answer = server.client().chat.completions.create(**asked, temperature=2.0)
        (found,) = answer.choices
        (call,) = found.message.tool_calls
        assert (found.finish_reason, found.message.content) == ("tool_calls", None)
        names.add(check(call))
        ids.add(call.id)
        texts, calls, reason = streamed(server, **asked, temperature=2.0)
        assert (texts["content"], reason) == ("", "tool_calls")
        assert [one.function.arguments for one in calls] == [call.function.arguments]
    assert len(ids) == 4
    assert names == ({"none"} if isinstance(choice, dict) else names)


@pytest.mark.parametrize("pieces", [1, 3])
def test_text_and_calls(pieces: int) -> None:
    text = f"I < you. {CALL}\n{CALL}" if pieces == 3 else "I <tool of you."
    with running(Scripted(text)) as server:
        found = server.client().chat.completions.create(**ASK, tools=TOOLS).choices[0]
        texts, calls, reason = streamed(server, **ASK, tools=TOOLS)
        assert found.message.content == texts["content"] == ("I < you." if pieces == 3 else text)
        assert found.finish_reason == reason == ("tool_calls" if pieces == 3 else "stop")
        assert [check(call) for call in found.message.tool_calls or ()] == [check(call) for call in calls]
        assert [check(call) for call in calls] == ["none"] * (pieces - 1)
        assert "open_ticket" in server.service.model.prompts[0]
        alone = server.client().chat.completions.create(**ASK, tools=TOOLS, parallel_tool_calls=False).choices[0]
        assert len(alone.message.tool_calls or ()) <= 1
        silent = server.client().chat.completions.create(**ASK, tools=TOOLS, tool_choice="none").choices[0]
        assert not silent.message.tool_calls and silent.finish_reason == "stop"


def test_the_prompt_describes_the_answer() -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": CLOSE}}
    with running(Scripted('{"n":4}')) as server:
        for describe, said in ((True, "n: integer"), ("json_schema", '"maximum"'), (False, "")):
            client, more = server.client(), {"extra_body": {"frisket": {"describe": describe, "whitespace": "compact"}}}
            found = client.chat.completions.create(**ASK, response_format=schema, **more).choices[0]
            assert found.message.content == '{"n":4}'
            assert (said in server.service.model.prompts[-1]) and ("\n" in server.service.model.prompts[-1]) == bool(
                said
            )
            text = {"format": {"type": "json_schema", "name": "n", "schema": CLOSE}}
            client.responses.create(model="embedded", input="x", text=text, **more)
            assert said in server.service.model.prompts[-1]


def test_arguments_come_as_they_are_written() -> None:
    with running(Scripted(f"{CALL}\n{CALL} And more.")) as server:
        pieces: list[list[str]] = []
        for chunk in server.client().chat.completions.create(stream=True, **ASK, tools=TOOLS):
            for call in chunk.choices[0].delta.tool_calls or ():
                pieces += [[]] if call.id else []
                pieces[-1].append(call.function.arguments)
        assert pieces == [["", "{", '"n": ', "3", "}"]] * 2


def test_an_answer_that_is_cut_has_the_calls_that_were_whole() -> None:
    with running(Scripted(f"Hm. {CALL}\n{CALL}")) as server:
        most = len(f"Hm. {CALL}\n{CALL}") - len("}}\n</tool_call>")
        asked = {**ASK, "tools": TOOLS, "max_tokens": most, "extra_body": {"on_budget": "cut"}}
        found = server.client().chat.completions.create(**asked).choices[0]
        texts, calls, reason = streamed(server, **asked)
        assert found.finish_reason == reason == "length"
        assert found.message.content == texts["content"] == "Hm."
        assert len(found.message.tool_calls) == 1
        # What has been told is not taken back.
        assert [call.function.arguments for call in calls] == ['{"n": 3}', '{"n": ']


def test_reasoning_stands_apart() -> None:
    thought = f"<think>\n1 < 2\n</think>\n\nSo.\n{CALL}"
    thinking = {"extra_body": {"chat_template_kwargs": {"enable_thinking": True}}}
    with running(Scripted(thought), tool_family="qwen3") as server:
        found = server.client().chat.completions.create(**ASK, tools=TOOLS, **thinking).choices[0]
        texts, calls, reason = streamed(server, **ASK, tools=TOOLS, **thinking)
        assert found.message.reasoning_content == texts["reasoning_content"] == "1 < 2"
        assert found.message.content == texts["content"] == "So."
        assert found.finish_reason == reason == "tool_calls" and len(calls) == 1
        quiet = {"extra_body": {"chat_template_kwargs": {"enable_thinking": False}}}
        found = server.client().chat.completions.create(**ASK, tools=TOOLS, **quiet).choices[0]
        assert not hasattr(found.message, "reasoning_content")
        for effort, thinks in (("none", False), ("low", True), ("high", True)):
            found = server.client().chat.completions.create(**ASK, tools=TOOLS, reasoning_effort=effort).choices[0]
            assert hasattr(found.message, "reasoning_content") == thinks
    with running(Scripted("<think>\nhm\n</think>\n\n4"), tool_family="qwen3") as server:
        schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "integer"}}}
        found = server.client().chat.completions.create(**ASK, response_format=schema, **thinking).choices[0]
        assert (found.message.reasoning_content, found.message.content) == ("hm", "4")


def test_a_final_answer_beside_tools() -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "array", "items": CLOSE}}}
    for script, content, count in (('[{"n": 4}]', '[{"n": 4}]', 0), (CALL, None, 1)):
        with running(Scripted(script)) as server:
            found = server.client().chat.completions.create(**ASK, tools=TOOLS, response_format=schema).choices[0]
            assert (found.message.content, len(found.message.tool_calls or ())) == (content, count)
            texts, calls, _ = streamed(server, **ASK, tools=TOOLS, response_format=schema)
            assert (texts["content"] or None, len(calls)) == (content, count)
    with running(Scripted("Once upon a time")) as server:
        found = (
            server.client()
            .chat.completions.create(**ASK, tools=TOOLS, response_format=schema, max_tokens=200)
            .choices[0]
        )
        assert not (found.message.content or "").startswith("Once")


@pytest.mark.parametrize("family", ["llama3", "gpt_oss", "mistral_v3"])
def test_other_formats(family: str) -> None:
    with running(tool_family=family) as server:
        asked = {**ASK, "tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False}
        found = server.client().chat.completions.create(**asked).choices[0]
        texts, calls, reason = streamed(server, **asked)
        assert found.finish_reason == reason == "tool_calls" and not texts["content"]
        assert [check(call) for call in found.message.tool_calls] == [check(call) for call in calls]


def test_a_conversation_with_calls(server: Running) -> None:
    create = server.client().chat.completions.create
    asked = {"model": "embedded", "tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False}
    first = create(**asked, messages=ASK["messages"]).choices[0].message
    result = {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "done"}
    again = create(**asked, messages=[*ASK["messages"], first.model_dump(exclude_none=True), result])
    check(again.choices[0].message.tool_calls[0])


def test_a_refused_tool_is_named(server: Running) -> None:
    bad = {"name": "mail", "parameters": {"type": "object", "properties": {"to": {"pattern": "(a+)\\1"}}}}
    body = {**ASK, "tools": [*TOOLS, {"type": "function", "function": bad}]}
    status, answer = server.ask("/v1/chat/completions", body)
    error = answer["error"]
    assert (status, error["code"]) == (400, "tools-refused")
    assert error["where"] == "/tools/2/function/parameters/properties/to/pattern" and error["hint"]
    assert "mail" in error["message"] and "policy" not in error["message"]
    named = {"type": "function", "function": {"name": "nobody"}}
    status, answer = server.ask("/v1/chat/completions", {**ASK, "tools": TOOLS, "tool_choice": named})
    assert status == 400 and "open_ticket" in answer["error"]["hint"]


def test_the_client_parses_arguments(server: Running) -> None:
    openai = pytest.importorskip("openai", reason="openai is not installed")
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    ticket = pydantic.create_model("Ticket", urgent=(bool, ...))
    answer = server.client().chat.completions.parse(
        **ASK, tools=[openai.pydantic_function_tool(ticket)], tool_choice="required", parallel_tool_calls=False
    )
    assert isinstance(answer.choices[0].message.tool_calls[0].function.parsed_arguments, ticket)
