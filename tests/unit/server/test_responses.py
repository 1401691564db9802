"""OpenAI's own client × the Responses API with tools: whole and in pieces, items in and out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.server.running import Running, running
from tests.unit.server.test_tools import CALL, TOOLS, Scripted

pytestmark = pytest.mark.filterwarnings("ignore")

FLAT: list[dict[str, Any]] = [{"type": "function", **tool["function"]} for tool in TOOLS]  # type: ignore[dict-item]
ASK: dict[str, Any] = {"model": "embedded", "input": "My card was charged twice", "tools": FLAT}
PATH = "/v1/responses"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


def plain(items: list[Any]) -> list[Any]:
    """Items without what is drawn anew for each response."""
    return [
        {name: value for name, value in item.model_dump(exclude_none=True).items() if name not in ("id", "call_id")}
        for item in items
    ]


def streamed(server: Running, **asked: Any) -> tuple[list[str], Any]:
    """(the types of the events, the response at the end); each item grows as the events say."""
    types, last, texts, arguments = [], None, dict[str, str](), dict[str, str]()
    for number, event in enumerate(server.client().responses.create(stream=True, **asked)):
        assert event.sequence_number == number
        types.append(event.type.removeprefix("response."))
        match types[-1]:
            case "output_text.delta" | "reasoning_text.delta":
                texts[event.item_id] = texts.get(event.item_id, "") + event.delta
            case "output_text.done" | "reasoning_text.done":
                assert texts.get(event.item_id, "") == event.text
            case "function_call_arguments.delta":
                arguments[event.item_id] = arguments.get(event.item_id, "") + event.delta
            case "function_call_arguments.done":
                assert arguments[event.item_id] == event.arguments
            case "output_item.done":
                assert event.item.status in (None, "completed", "incomplete")
            case "completed" | "incomplete":
                last = event.response
    assert last is not None
    return types, last


@pytest.mark.parametrize("choice", ["required", {"type": "function", "name": "none"}])
def test_a_model_that_knows_no_tools_calls_them_rightly(server: Running, choice: Any) -> None:
    asked = {**ASK, "tool_choice": choice, "parallel_tool_calls": False}
    found = server.client().responses.create(**asked)
    (call,) = found.output
    assert (call.type, call.status, found.status) == ("function_call", "completed", "completed")
    assert call.call_id and call.id and call.id != call.call_id and found.output_text == ""
    if isinstance(choice, dict):
        assert call.name == "none" and 1 <= json.loads(call.arguments)["n"] <= 9
    types, last = streamed(server, **asked)
    assert plain(last.output) == plain(found.output)
    deltas = [kind for kind in types if kind == "function_call_arguments.delta"]
    assert len(deltas) > 3 and types == [
        *("created", "in_progress", "output_item.added", *deltas),
        *("function_call_arguments.done", "output_item.done", "completed"),
    ]
    assert (found.parallel_tool_calls, len(found.tools)) == (False, 2)


def test_text_and_calls() -> None:
    with running(Scripted(f"I < you. {CALL}\n{CALL}")) as server:
        found = server.client().responses.create(**ASK)
        assert [item.type for item in found.output] == ["message", "function_call", "function_call"]
        assert found.output_text == "I < you."
        types, last = streamed(server, **ASK)
        assert plain(last.output) == plain(found.output)
        assert types.count("output_item.added") == types.count("output_item.done") == 3
        assert "open_ticket" in server.service.model.prompts[0]
        one = server.client().responses.create(**ASK, parallel_tool_calls=False)
        assert len([item for item in one.output if item.type == "function_call"]) <= 1
        none = server.client().responses.create(**ASK, tool_choice="none")
        assert [item.type for item in none.output] == ["message"]


def test_an_answer_that_is_cut_says_so() -> None:
    with running(Scripted(f"Hm. {CALL}\n{CALL}")) as server:
        most = len(f"Hm. {CALL}\n{CALL}") - len("}}\n</tool_call>")
        asked = {**ASK, "max_output_tokens": most, "extra_body": {"on_budget": "cut"}}
        found = server.client().responses.create(**asked)
        assert found.status == "incomplete" and found.incomplete_details.reason == "max_output_tokens"
        assert [item.type for item in found.output] == ["message", "function_call", "function_call"]
        assert [item.status for item in found.output] == ["completed", "completed", "incomplete"]
        assert found.output[2].arguments == '{"n": '
        assert plain(streamed(server, **asked)[1].output) == plain(found.output)
    with running(Scripted("Hm, I wonder")) as server:
        found = server.client().responses.create(**ASK, max_output_tokens=5)
        assert (found.status, found.output[0].status, found.output_text) == ("incomplete", "incomplete", "Hm, I")


def test_reasoning_is_an_item_of_its_own() -> None:
    with running(Scripted(f"<think>\n1 < 2\n</think>\n\nSo.\n{CALL}"), tool_family="qwen3") as server:
        found = server.client().responses.create(**ASK)
        assert [item.type for item in found.output] == ["reasoning", "message", "function_call"]
        assert found.output[0].content[0].text == "1 < 2" and found.output_text == "So."
        assert plain(streamed(server, **ASK)[1].output) == plain(found.output)
        found = server.client().responses.create(**ASK, reasoning={"effort": "none"})
        assert "reasoning" not in [item.type for item in found.output]


def test_a_final_answer_beside_tools() -> None:
    schema = {"type": "array", "items": {"type": "integer"}}
    text = {"format": {"type": "json_schema", "name": "n", "schema": schema}}
    with running(Scripted("[1, 2]")) as server:
        found = server.client().responses.create(**ASK, text=text)
        assert json.loads(found.output_text) == [1, 2]


def test_a_conversation_goes_on_with_what_was_received() -> None:
    with running(Scripted(f"<think>\nhm\n</think>\n\nSo.\n{CALL}"), tool_family="qwen3") as server:
        client = server.client()
        first = client.responses.create(**ASK)
        items: list[Any] = [{"role": "user", "content": "My card"}, *first.output]
        (call,) = [item for item in first.output if item.type == "function_call"]
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": "closed 3"})
        client.responses.create(**{**ASK, "input": items})
        _, _, prompt = server.service.model.prompts[-1].partition("user:")  # after what is told of the tools
        assert "closed 3" in prompt and '"name": "none"' in prompt and "So." in prompt and "hm" not in prompt
        assert prompt.index("My card") < prompt.index("So.") < prompt.index('"name": "none"') < prompt.index("closed")


@pytest.mark.parametrize(
    ("more", "code", "where"),
    [
        ({"tools": [{"type": "telepathy"}]}, "request", "/tools/0"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "request", "/tools/0/name"),
        (
            {"tools": [{"type": "function", "name": "f", "parameters": {"type": "array"}}]},
            "tools-refused",
            "/tools/0/parameters/type",
        ),
        ({"tool_choice": {"type": "function", "name": "nobody"}}, "tools-refused", "/tool_choice"),
        ({"tools": None, "tool_choice": "required"}, "tools-refused", "/tool_choice"),
        ({"include": ["everything"]}, "request", "/include/0"),
        ({"input": [{"type": "telepathy", "id": "x"}]}, "request", "/input/0"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "request", "/input"),
        ({"input": [{"type": "function_call_output", "output": "x"}]}, "request", "/input/0/call_id"),
        ({"input": [{"role": "user", "content": "x", "images": ["y"]}]}, "request", "/input/0"),
        ({"input": [{"role": "nobody", "content": "x"}]}, "unsupported", "/input/0/role"),
        ({"max_output_tokens": 9999}, "limit", "/max_output_tokens"),
        ({"logit_bias": {"1": 1}}, "unsupported", "/logit_bias"),
    ],
)
def test_what_is_asked_wrongly(server: Running, more: Any, code: str, where: str) -> None:
    status, answer = server.ask(PATH, {**ASK, **more})
    assert (status, answer["error"]["code"], answer["error"]["where"]) == (400, code, where)
