"""Answers that begin in the prompt × models with and without a chat template; templates with variables of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from frisket.chat_template import ChatTemplate
from tests.unit.server.running import Running, running
from tests.unit.server.test_tools import CALL, TOOLS, Scripted

pytestmark = pytest.mark.filterwarnings("ignore")

TEMPLATE = """\
{%- if tools %}<tools>{{ tools | tojson }}</tools>{% endif -%}
{%- for m in messages %}<{{ m.role }}>
{{ m.content | trim }}{% for c in m.tool_calls %}[{{ c.function.name }} {{ c.function.arguments.n }}]{% endfor %}</s>
{% endfor -%}
{%- if add_generation_prompt %}<assistant{% if reasoning_effort %} {{ reasoning_effort }}{% endif %}>
{% if thinking %}<think>
{% endif %}{% endif -%}
"""
USER = {"role": "user", "content": "How much?"}
PROPERTIES = {"a": {"enum": ["low", "high"]}, "n": {"type": "integer"}}
SCHEMA = {"type": "object", "properties": PROPERTIES, "required": ["a", "n"], "additionalProperties": False}
FORMAT = {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}}
PATH = "/v1/chat/completions"


class Templated(Scripted):
    """A model with a chat template."""

    chat_template = ChatTemplate(TEMPLATE)


@pytest.fixture
def server() -> Iterator[Running]:
    with running(Templated('"low", "n": 12}'), tool_family="qwen3") as found:
        yield found


def ask(server: Running, *messages: Any, **more: Any) -> tuple[dict[str, Any], str]:
    """The first choice, and the prompt."""
    status, answer = server.ask(PATH, {"model": "embedded", "messages": [USER, *messages], "max_tokens": 200, **more})
    assert status == 200, answer
    return answer["choices"][0], server.service.model.prompts[-1]


@pytest.mark.parametrize(
    ("message", "more"),
    [({}, {"continue_final_message": True, "add_generation_prompt": False}), ({"prefix": True}, {}),
     ({"partial": True}, {})],
)  # fmt: skip
def test_the_last_message_is_continued(server: Running, message: Any, more: Any) -> None:
    last = {"role": "assistant", "content": '{"a": ', **message}
    choice, prompt = ask(server, last, **FORMAT, **more)
    assert prompt.endswith('<assistant>\n{"a": ') and "</s>" in prompt
    assert choice["message"]["content"] == '"low", "n": 12}' and choice["finish_reason"] == "stop"
    choice, prompt = ask(server, {**last, "prefix": None, "partial": None}, **FORMAT)
    assert prompt.endswith("</s>\n<assistant>\n"), "without such a field the answer is a message of its own"
    assert set(json.loads(choice["message"]["content"])) == {"a", "n"}


def test_a_constrained_answer_begins_inside_what_is_there(server: Running) -> None:
    for begun in ('{"a": "high", "n": 3', '{"a": "lo', '{"a": "low", "n": -'):
        choice, _ = ask(server, {"role": "assistant", "content": begun, "prefix": True}, **FORMAT)
        assert set(json.loads(begun + choice["message"]["content"])) == {"a", "n"}
    body = {"model": "embedded", "messages": [USER, {"role": "assistant", "content": '{"b', "prefix": True}], **FORMAT}
    status, answer = server.ask(PATH, body)
    assert (status, answer["error"]["where"]) == (400, "/messages/1/content")
    for wrong in (USER, {"role": "assistant", "content": "x", "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}):  # fmt: skip
        body = {"model": "embedded", "messages": [wrong], "continue_final_message": True}
        assert server.error(PATH, body) == (400, "request")


def test_calls_may_follow_what_is_continued() -> None:
    with running(Templated(f" see; or not.\n{CALL}"), tool_family="qwen3") as server:
        begun = {"role": "assistant", "content": "Let me", "prefix": True}
        choice, prompt = ask(server, begun, tools=TOOLS, logprobs=True)
        assert prompt.endswith("Let me") and "<think>" not in prompt
        assert choice["message"]["content"] == " see; or not." and len(choice["message"]["tool_calls"]) == 1
        assert "".join(one["token"] for one in choice["logprobs"]["content"]).strip() == "see; or not."
        choice, _ = ask(server, {**begun, "content": "Let me "}, tools=TOOLS)
        assert choice["message"]["content"] == " see; or not.", "one blank is the model's, the other one was there"
        choice, _ = ask(server, begun, tools=TOOLS, stop=[";", "Let"])
        assert (choice["message"]["content"], choice["finish_reason"]) == (" see", "stop")


def test_a_model_without_a_template_continues_the_text() -> None:
    with running(Scripted('"low", "n": 12}')) as server:
        choice, prompt = ask(server, {"role": "assistant", "content": '{"a": ', "partial": True}, **FORMAT)
        assert prompt == 'How much?{"a": ' and choice["message"]["content"] == '"low", "n": 12}'


def test_the_template_is_told_of_tools_and_calls(server: Running) -> None:
    called = {"id": "c", "type": "function", "function": {"name": "close", "arguments": '{"n": 7}'}}
    result = {"role": "tool", "tool_call_id": "c", "content": "done"}
    _, prompt = ask(server, {"role": "assistant", "content": None, "tool_calls": [called]}, result, tools=TOOLS)
    assert prompt.startswith('<tools>[{"type": "function", "function": {')
    assert "<assistant>\n[close 7]</s>\n<tool>\ndone</s>\n" in prompt and "You may call" not in prompt


def test_variables_of_the_template(server: Running) -> None:
    choice, prompt = ask(server, chat_template_kwargs={"thinking": True})
    assert prompt.endswith("<assistant>\n<think>\n") and choice["message"]["reasoning_content"]
    _, prompt = ask(server, chat_template_kwargs={"thinking": False})
    assert prompt.endswith("<assistant>\n")
    body = {"model": "embedded", "messages": [USER], "chat_template_kwargs": {"colour": True}}
    status, answer = server.ask(PATH, body)
    assert (status, answer["error"]["where"]) == (400, "/chat_template_kwargs/colour")
    assert "thinking" in answer["error"]["hint"]


@pytest.mark.parametrize(("effort", "end"), [("low", "<assistant low>\n<think>\n"), ("none", "<assistant none>\n")])
def test_the_template_is_told_of_the_effort(server: Running, effort: str, end: str) -> None:
    _, prompt = ask(server, reasoning_effort=effort)
    assert prompt.endswith(end)
    _, prompt = ask(server, reasoning_effort=effort, chat_template_kwargs={"reasoning_effort": "max"})
    assert prompt.endswith(end.replace(effort, "max"))
    asked = {"model": "embedded", "input": "How much?", "reasoning": {"effort": effort}, "max_output_tokens": 200}
    assert server.ask("/v1/responses", asked)[0] == 200
    assert server.service.model.prompts[-1].endswith(end)


def test_what_a_template_refuses_is_the_clients_fault() -> None:
    class Picky(Scripted):
        chat_template = ChatTemplate("{{ raise_exception('no such role') }}")

    with running(Picky("x")) as server:
        status, answer = server.ask(PATH, {"model": "embedded", "messages": [USER]})
        assert (status, answer["error"]["where"]) == (400, "/messages") and "no such role" in answer["error"]["message"]
