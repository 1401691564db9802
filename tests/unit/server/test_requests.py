"""Requests as clients of OpenAI's API send them × the server: none is refused, and what streams joins to the whole.

`requests.json` holds what libraries sent in `test_clients`, by their versions. Codex is no library of Python: its
requests are written here by what `codex-rs/codex-api/src/common.rs` and `codex-rs/protocol/src/models.rs` serialize.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frisket import Grammar
from tests.unit.server.running import Running, running
from tests.unit.server.test_tools import Scripted

pytestmark = pytest.mark.filterwarnings("ignore")

RECORDED = json.loads(Path(__file__).with_name("requests.json").read_text(encoding="utf-8"))
#: The texts of patches, as Codex's tool takes them.
PATCH = r"""
start: "*** Begin Patch" LF environment? file+ "*** End Patch" LF?
environment: "*** Environment ID: " path
file: added | deleted | updated
added: "*** Add File: " path line_added+
deleted: "*** Delete File: " path
updated: "*** Update File: " path ("*** Move to: " path)? ((place | line)+ ("*** End of File" LF)?)?
path: /(.+)/ LF
line_added: "+" /(.*)/ LF
place: ("@@" | "@@ " /(.+)/) LF
line: ("+" | "-" | " ") /(.*)/ LF
%import common.LF
"""


def function(name: str, required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required or [], "additionalProperties": False}
    return {"type": "function", "name": name, "description": "…", "strict": False, "parameters": schema}


def said(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


TEXT, NUMBER = {"type": "string", "description": "…"}, {"type": "number"}
CODEX_TOOLS: list[dict[str, Any]] = [
    function("exec_command", ["cmd"], cmd=TEXT, workdir=TEXT, yield_time_ms=NUMBER, tty={"type": "boolean"}),
    function("write_stdin", ["session_id"], session_id=NUMBER, chars=TEXT),
    function("update_plan", ["plan"], explanation=TEXT, plan={"type": "array", "items": {
        "type": "object", "properties": {"step": TEXT, "status": TEXT}, "required": ["step", "status"],
        "additionalProperties": False}}),
    function("view_image", ["path"], path=TEXT),
    {"type": "custom", "name": "apply_patch", "description": "…",
     "format": {"type": "grammar", "syntax": "lark", "definition": PATCH}},
    {"type": "web_search", "external_web_access": False, "search_content_types": ["text", "image"]},
    {"type": "image_generation", "output_format": "png"},
    {"type": "tool_search", "execution": "client", "description": "…", "parameters": {
        "type": "object", "properties": {"query": TEXT}, "required": ["query"], "additionalProperties": False}},
    {"type": "namespace", "name": "mcp__files", "description": "…", "tools": [function("read", ["path"], path=TEXT)]},
]  # fmt: skip
CODEX: dict[str, Any] = {
    "model": "embedded", "instructions": "You change code.", "tools": CODEX_TOOLS, "tool_choice": "auto",
    "parallel_tool_calls": True, "reasoning": {"effort": "medium", "summary": "auto"}, "store": False, "stream": True,
    "include": ["reasoning.encrypted_content"], "service_tier": "auto", "prompt_cache_key": "0199-…",
    "text": {"verbosity": "medium"}, "client_metadata": {"x-codex-installation-id": "1"},
    "input": [said("developer", "Ask before you delete."), said("user", "<cwd>/work</cwd>"), said("user", "Add a.py")],
    "max_output_tokens": 400,
}  # fmt: skip
WRITTEN = "*** Begin Patch\n*** Add File: a.py\n+print(1)\n*** End Patch"
#: What a conversation holds after some turns.
TURNS: list[dict[str, Any]] = [
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "…"}], "encrypted_content": "gAAA"},
    {"type": "local_shell_call", "call_id": "c0", "status": "completed",
     "action": {"type": "exec", "command": ["ls"], "timeout_ms": None, "working_directory": None, "env": None}},
    {"type": "function_call_output", "call_id": "c0", "output": "a.py"},
    {"type": "function_call", "name": "exec_command", "arguments": '{"cmd": "ls"}', "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "a.py"}]},
    {"type": "function_call", "name": "read", "namespace": "mcp__files", "arguments": "{}", "call_id": "c2"},
    {"type": "function_call_output", "call_id": "c2", "output": "x"},
    {"type": "custom_tool_call", "status": "completed", "call_id": "c3", "name": "apply_patch", "input": WRITTEN},
    {"type": "custom_tool_call_output", "call_id": "c3", "output": "Success."},
    {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "x"}},
    {"type": "tool_search_call", "call_id": "c4", "execution": "client", "arguments": {"query": "x"}},
    {"type": "tool_search_output", "call_id": "c4", "status": "completed", "execution": "client", "tools": []},
    {"type": "compaction", "encrypted_content": "gAAA"},
    said("assistant", "Done."), said("user", "And b.py"),
]  # fmt: skip
CODEX_REQUESTS = {
    "first turn": CODEX,
    "after calls": {**CODEX, "input": [*CODEX["input"], *TURNS]},
    "with a schema": {**CODEX, "tools": [], "reasoning": None, "text": {"verbosity": "low", "format": {
        "type": "json_schema", "strict": True, "name": "codex_output_schema", "schema": {
            "type": "object", "properties": {"done": {"type": "boolean"}}, "required": ["done"],
            "additionalProperties": False}}}},
    "without tools": {**CODEX, "tools": [], "tool_choice": "auto", "parallel_tool_calls": False},
}  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def codex() -> Iterator[Running]:
    call = json.dumps({"name": "apply_patch", "arguments": {"input": WRITTEN}})
    with running(
        Scripted(f"<think>\nhm\n</think>\n\nSo.\n<tool_call>\n{call}\n</tool_call>"), tool_family="qwen3"
    ) as found:
        yield found


def events(text: str) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def check_chat(chunks: list[dict[str, Any]]) -> None:
    """Each call begins with its name, and its arguments join to JSON."""
    arguments: dict[int, str] = {}
    for call in (
        call for chunk in chunks for choice in chunk["choices"] for call in choice["delta"].get("tool_calls", [])
    ):
        assert (call["index"] in arguments) != ("name" in call["function"])
        arguments[call["index"]] = arguments.get(call["index"], "") + call["function"]["arguments"]
    assert all(isinstance(json.loads(text), dict) for text in arguments.values())


def check_response(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The output of a stream, whose items are what their events have told."""
    assert [event["sequence_number"] for event in told] == list(range(len(told)))
    assert [event["type"] for event in told[:2]] == ["response.created", "response.in_progress"]
    assert told[-1]["type"] in ("response.completed", "response.incomplete")
    output: list[dict[str, Any]] = told[-1]["response"]["output"]
    for number, item in enumerate(output):
        deltas = "".join(event["delta"] for event in told if "delta" in event and event["output_index"] == number)
        content = item.get("content") or [{}]
        assert deltas == item.get("arguments", item.get("input", content[0].get("text")))
        if item["type"] == "function_call" and item["status"] == "completed":
            assert isinstance(json.loads(item["arguments"]), dict)
    return output


@pytest.mark.parametrize("entry", RECORDED, ids=lambda entry: f"{entry['client']} {entry['path']}")
def test_a_recorded_request_is_served(server: Running, entry: dict[str, Any]) -> None:
    status, answer = server.ask(
        entry["path"], {**entry["body"], "max_tokens" if "chat" in entry["path"] else "max_output_tokens": 300}
    )
    assert status == 200, answer
    if not entry["body"].get("stream"):
        assert answer["object"] in ("chat.completion", "response")
    elif "chat" in entry["path"]:
        check_chat(events(answer))
    else:
        check_response(events(answer))


def test_each_client_is_there() -> None:
    names = {entry["client"].partition(" ")[0] for entry in RECORDED}
    assert names == {"openai", "litellm", "langchain-openai", "pydantic-ai-slim", "openai-agents", "instructor"}


@pytest.mark.parametrize("name", CODEX_REQUESTS)
def test_codex_is_served(codex: Running, name: str) -> None:
    status, answer = codex.ask("/v1/responses", CODEX_REQUESTS[name])
    assert status == 200, answer
    output = check_response(events(answer))
    if name in ("first turn", "after calls"):
        (patch,) = [item for item in output if item["type"] == "custom_tool_call"]
        assert patch["input"] == WRITTEN and Grammar.from_lark(PATCH).accepts(patch["input"])
        assert [item["type"] for item in output][:2] == ["reasoning", "message"]
    if name == "with a schema":
        assert set(json.loads(output[-1]["content"][0]["text"])) == {"done"}


def test_codex_is_served_by_models_that_do_not_think(server: Running) -> None:
    raw = server.client().responses.with_raw_response.create(
        model="embedded", input="x", reasoning={"effort": "high", "summary": "auto"}, max_output_tokens=5
    )
    assert raw.headers["x-frisket-left-out"] == "/reasoning/effort high"
    assert server.ask("/v1/responses", CODEX)[0] == 200
