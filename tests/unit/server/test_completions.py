"""Lists of prompts, prompts that are scored, lists of tools that may be called, and pages of other origins."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.unit.server.running import Running, running
from tests.unit.server.test_tools import ASK, CALL, TOOLS, Scripted, check

pytestmark = pytest.mark.filterwarnings("ignore")

PATH = "/v1/completions"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


@pytest.mark.parametrize("stream", [False, True])
def test_many_prompts(server: Running, stream: bool) -> None:
    def texts(prompt: Any, **more: Any) -> dict[int, str]:
        asked = {"model": "embedded", "prompt": prompt, "max_tokens": 6, "temperature": 1.0, "seed": 4, **more}
        found: dict[int, str] = {}
        answer = server.client().completions.create(**asked, stream=stream)
        for choice in (choice for chunk in (answer if stream else [answer]) for choice in chunk.choices):
            found[choice.index] = found.get(choice.index, "") + choice.text
        return found

    prompts = ["keys: a", "keys: b, c", "input: x"]
    alone = [texts(prompt)[0] for prompt in prompts]
    assert texts(prompts) == dict(enumerate(alone))
    ids = [server.service.model.encode(prompt) for prompt in prompts]
    assert texts(ids) == dict(enumerate(alone))
    assert texts(prompts[:2], echo=True) == {0: prompts[0] + alone[0], 1: prompts[1] + alone[1]}
    two = texts(prompts[:2], n=2)
    assert (two[0], two[2]) == (alone[0], alone[1]) and sorted(two) == [0, 1, 2, 3]


def test_usage_counts_all_prompts(server: Running) -> None:
    prompts = ["keys: a", "keys: b, c"]
    answer = server.client().completions.create(model="embedded", prompt=prompts, max_tokens=2)
    assert answer.usage.prompt_tokens == sum(len(server.service.model.encode(prompt)) for prompt in prompts)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"prompt": ["a", 5]}, "/prompt"),
        ({"prompt": [[1], [10**6]]}, "/prompt/1"),
        ({"prompt": ["a", "b" * 100_000]}, "/prompt/1"),
        ({"prompt": ["a"] * 70}, "/prompt"),
        ({"prompt": "a", "max_tokens": 0, "guided_choice": ["x"]}, "/max_tokens"),
    ],
)
def test_prompts_that_are_refused(server: Running, body: Any, where: str) -> None:
    status, answer = server.ask(PATH, {"model": "embedded", **body})
    assert status == 400 and answer["error"]["where"].startswith(where)


@pytest.mark.parametrize("stream", [False, True])
def test_a_prompt_is_scored(server: Running, stream: bool) -> None:
    asked: dict[str, Any] = {"model": "embedded", "prompt": "keys: a", "max_tokens": 0, "echo": True, "logprobs": 2}
    answer = server.client().completions.create(**asked, stream=stream)
    choices = [choice for chunk in (answer if stream else [answer]) for choice in chunk.choices]
    assert "".join(choice.text for choice in choices) == "keys: a" and choices[-1].finish_reason == "length"
    found = choices[0].logprobs
    model = server.service.model
    ids = model.encode("keys: a")
    assert len(found.tokens) == len(ids) and found.token_logprobs[0] is None
    session = model.start(ids[:1])
    for place, token in enumerate(ids[1:], 1):
        logits = session.logits().astype(np.float64)
        expected = logits[token] - np.log(np.exp(logits - logits.max()).sum()) - logits.max()
        assert math.isclose(found.token_logprobs[place], expected, abs_tol=1e-4)
        session.push(token)
    assert found.text_offset[0] == 0 and found.text_offset == sorted(found.text_offset)


def test_what_is_scored_goes_on_as_usual(server: Running) -> None:
    asked: dict[str, Any] = {"model": "embedded", "prompt": "keys: a", "max_tokens": 5}
    plain = server.client().completions.create(**asked).choices[0]
    scored = server.client().completions.create(**asked, echo=True, logprobs=0).choices[0]
    assert scored.text == "keys: a" + plain.text
    assert len(scored.logprobs.tokens) == len(server.service.model.encode("keys: a")) + 5
    assert "".join(scored.logprobs.tokens[-5:]) == plain.text


@pytest.mark.parametrize("mode", ["auto", "required"])
def test_allowed_tools(mode: str) -> None:
    with running(Scripted(CALL.replace("none", "open_ticket"))) as server:
        entry = {"type": "function", "function": {"name": "none"}}
        choice: Any = {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": [entry]}}
        found = (
            server.client().chat.completions.create(**ASK, tools=TOOLS, tool_choice=choice, max_tokens=200).choices[0]
        )
        names = [check(call) for call in found.message.tool_calls or ()]
        assert "open_ticket" not in names and (mode == "auto" or names[0] == "none")
        flat: Any = {"type": "allowed_tools", "mode": mode, "tools": [{"type": "function", "name": "none"}]}
        tools: Any = [{"type": "function", **tool["function"]} for tool in TOOLS]  # type: ignore[dict-item]
        response = server.client().responses.create(
            model="embedded", input="x", tools=tools, tool_choice=flat, max_output_tokens=200
        )
        assert "open_ticket" not in [getattr(item, "name", None) for item in response.output]
        assert "open_ticket" in server.service.model.prompts[-1], "the model is told of all tools"
        unknown = {
            **choice,
            "allowed_tools": {"mode": mode, "tools": [{"type": "function", "function": {"name": "x"}}]},
        }
        status, answer = server.ask("/v1/chat/completions", {**ASK, "tools": TOOLS, "tool_choice": unknown})
        assert (status, answer["error"]["where"]) == (400, "/tool_choice")


def test_pages_of_other_origins() -> None:
    import urllib.request

    def headers(server: Running, method: str) -> Any:
        asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST",
                 "Access-Control-Request-Headers": "authorization"}  # fmt: skip
        request = urllib.request.Request(f"{server.url}/v1/models", headers=asked, method=method)
        with urllib.request.urlopen(request) as response:
            return response.headers

    with running(cors_origins=("https://a.example",), api_key="k") as server:
        found = headers(server, "OPTIONS")
        assert found["access-control-allow-origin"] == "https://a.example"
        assert "authorization" in found["access-control-allow-headers"]
    with running() as server:
        assert headers(server, "GET")["access-control-allow-origin"] is None
