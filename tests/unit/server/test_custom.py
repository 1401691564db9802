"""Custom tools and Codex's other shapes × both APIs: the text of a call is of its grammar, the rest fails nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from frisket import Grammar
from tests.unit.server.running import Running, running
from tests.unit.server.test_tools import Scripted

pytestmark = pytest.mark.filterwarnings("ignore")

PATCH = """\
start: begin_patch hunk+ end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?
hunk: "*** Add File: " filename LF add_line+
filename: /(.+)/
add_line: "+" /(.*)/ LF -> line
%import common.LF
"""
FORMAT = {"syntax": "lark", "definition": PATCH}
FLAT = {"type": "custom", "name": "apply_patch", "format": {"type": "grammar", **FORMAT}}
NESTED = {"type": "custom", "custom": {"name": "apply_patch", "format": {"type": "grammar", "grammar": FORMAT}}}
WRITTEN = "*** Begin Patch\n*** Add File: a.py\n+print(1)\n*** End Patch"
#: A model that would rather break the grammar: the line of the file lacks its `+`.
WRONG = WRITTEN.replace("+", "")
CHAT: dict[str, Any] = {"model": "embedded", "messages": [{"role": "user", "content": "x"}], "max_tokens": 300}
RESPONSE: dict[str, Any] = {"model": "embedded", "input": "x", "tools": [FLAT], "max_output_tokens": 300}


def call(text: str) -> str:
    return f'<tool_call>\n{{"name": "apply_patch", "arguments": {{"input": {json.dumps(text)}}}}}\n</tool_call>'


@pytest.fixture
def server() -> Iterator[Running]:
    with running(Scripted(call(WRITTEN))) as found:
        yield found


def test_a_chat_calls_a_custom_tool(server: Running) -> None:
    asked = {**CHAT, "tools": [NESTED]}
    (found,) = server.client().chat.completions.create(**asked).choices
    (called,) = found.message.tool_calls
    assert (called.type, called.custom.name, called.custom.input) == ("custom", "apply_patch", WRITTEN)
    assert found.finish_reason == "tool_calls"
    pieces: list[Any] = []
    for chunk in server.client().chat.completions.create(**asked, stream=True):
        pieces += chunk.choices[0].delta.tool_calls or ()
    assert (pieces[0].type, pieces[0].custom["name"], bool(pieces[0].id)) == ("custom", "apply_patch", True)
    assert len(pieces) > 20 and "".join(piece.custom["input"] for piece in pieces) == WRITTEN


def test_a_response_calls_a_custom_tool(server: Running) -> None:
    found = server.client().responses.create(**RESPONSE)
    (item,) = found.output
    assert (item.type, item.name, item.input, item.status) == (
        "custom_tool_call", "apply_patch", WRITTEN, "completed",
    )  # fmt: skip
    events = list(server.client().responses.create(**RESPONSE, stream=True))
    deltas = [event.delta for event in events if event.type == "response.custom_tool_call_input.delta"]
    (done,) = [event for event in events if event.type == "response.custom_tool_call_input.done"]
    assert len(deltas) > 20 and "".join(deltas) == done.input == WRITTEN
    result = {"type": "custom_tool_call_output", "call_id": item.call_id, "output": "Done!"}
    again = {**RESPONSE, "input": [{"role": "user", "content": "x"}, item.model_dump(exclude_none=True), result]}
    server.client().responses.create(**again)
    assert "*** Add File" in server.service.model.prompts[-1] and "Done!" in server.service.model.prompts[-1]


@pytest.mark.parametrize("seed", range(3))
def test_the_grammar_is_enforced(seed: int) -> None:
    with running(Scripted(call(WRONG))) as server:
        choice = {"tool_choice": {"type": "custom", "name": "apply_patch"}, "temperature": 2.0}
        found = server.client().responses.create(**RESPONSE, **choice, extra_body={"seed": seed})
        (item,) = found.output
        assert item.input != WRONG and Grammar.from_lark(PATCH).accepts(item.input)


def test_a_format_that_cannot_be_enforced_is_refused_with_its_place(server: Running) -> None:
    bad = {"syntax": "regex", "definition": "(a"}
    for path, body, tool, where in (
        ("/v1/responses", RESPONSE, {**FLAT, "format": {"type": "grammar", **bad}}, "/tools/0/format/definition"),
        ("/v1/chat/completions", CHAT, {"type": "custom", "custom": {"name": "f", "format": {
            "type": "grammar", "grammar": bad}}}, "/tools/0/custom/format/grammar/definition"),
    ):  # fmt: skip
        status, answer = server.ask(path, {**body, "tools": [tool]})
        assert (status, answer["error"]["code"], answer["error"]["where"]) == (400, "tools-refused", where)


def test_what_this_server_does_not_run_is_left_out_and_said(server: Running, caplog: pytest.LogCaptureFixture) -> None:
    tools = [{"type": "web_search", "external_web_access": True}, FLAT, {"type": "local_shell"}]
    items = [
        {"type": "item_reference", "id": "msg_1"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "x"}},
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be short."}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]},
    ]
    more = {
        "include": ["reasoning.encrypted_content"], "reasoning": {"effort": None, "summary": "concise"},
        "text": {"verbosity": "low"}, "truncation": "auto", "store": False, "prompt_cache_key": "k",
        "client_metadata": {"a": "b"}, "parallel_tool_calls": False, "tool_choice": "auto",
    }  # fmt: skip
    body = {**RESPONSE, "input": items, "tools": tools, **more}
    raw = server.client().responses.with_raw_response.create(**{
        name: value for name, value in body.items() if name != "client_metadata"
    }, extra_body={"client_metadata": more["client_metadata"]})  # fmt: skip
    assert raw.headers["x-frisket-left-out"] == (
        "/tools/0 web_search, /tools/2 local_shell, /input/0 item_reference, /input/1 web_search_call, "
        "/text/verbosity low"
    )
    assert raw.parse().output[0].type == "custom_tool_call"
    assert "left out of a request: /tools/0 web_search" in caplog.text
    stream = server.client().responses.with_raw_response.create(**{**RESPONSE, "tools": tools}, stream=True)
    assert stream.headers["x-frisket-left-out"].startswith("/tools/0")
    nothing = server.client().responses.with_raw_response.create(**RESPONSE)
    assert "x-frisket-left-out" not in nothing.headers
    status, answer = server.ask("/v1/responses", {**RESPONSE, "tools": tools[:1], "tool_choice": "required"})
    assert (status, answer["error"]["where"]) == (400, "/tool_choice")


def test_tools_of_a_namespace(server: Running) -> None:
    space = {"type": "namespace", "name": "mcp__files", "description": "Files.", "tools": [FLAT]}
    (item,) = server.client().responses.create(**{**RESPONSE, "tools": [space]}).output
    assert (item.name, item.namespace) == ("apply_patch", "mcp__files")
    bad = {**FLAT, "format": {"type": "text", "colour": 1}, "name": "a<b"}
    status, answer = server.ask("/v1/responses", {**RESPONSE, "tools": [{**space, "tools": [bad]}]})
    assert (status, answer["error"]["where"]) == (400, "/tools/0/tools/0/name")
