"""A budget that decides an answer × every way to ask: the answer says so, and others do not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.server.running import Running, running

#: A number that gets fewer digits where tokens are few.
SCHEMA = {
    "type": "object",
    "properties": {"priority": {"enum": ["low", "high"]}, "confidence": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["priority", "confidence"],
    "additionalProperties": False,
}
TEXT = "My card was charged twice"
FEW, MANY = 12, 64
FORMAT = {"type": "json_schema", "json_schema": {"name": "ticket", "schema": SCHEMA}}
ASKED: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": TEXT}], "response_format": FORMAT},
    "/v1/completions": {"prompt": f"keys: priority, confidence\ninput: {TEXT}\noutput: ", "guided_json": SCHEMA},
    "/v1/responses": {
        "input": TEXT, "text": {"format": {"type": "json_schema", "name": "ticket", "schema": SCHEMA}},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


def ask(server: Running, path: str, most: int, *, stream: bool, **more: Any) -> list[Any]:
    """The bodies of an answer: one, or those of its events."""
    tokens = "max_output_tokens" if path == "/v1/responses" else "max_tokens"
    body = {"model": "embedded", **ASKED.get(path, {}), tokens: most, "stream": stream, **more}
    status, answer = server.ask(path, body)
    assert status == 200, answer
    if not stream:
        return [answer]
    lines = [line.removeprefix("data: ") for line in answer.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def ends(path: str, bodies: list[Any]) -> list[Any]:
    """The choices or responses of some bodies, those before the end among them."""
    if path == "/v1/responses":
        return [body.get("response", body) for body in bodies if "response" in body or "output" in body]
    return [choice for body in bodies for choice in body["choices"]]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", list(ASKED))
def test_an_answer_that_the_budget_decided_says_so(server: Running, path: str, stream: bool) -> None:
    *before, last = ends(path, ask(server, path, FEW, stream=stream))
    assert last["budgeted"] is True and not any("budgeted" in one for one in before)
    assert last["status"] == "completed" if path == "/v1/responses" else last["finish_reason"] == "stop"
    assert not any("budgeted" in one for one in ends(path, ask(server, path, MANY, stream=stream)))
    cut = ask(server, path, FEW, stream=stream, on_budget="cut")
    assert not any("budgeted" in one for one in ends(path, cut))


def test_each_choice_says_it_of_itself(server: Running) -> None:
    path = "/v1/completions"
    (body,) = ask(server, path, FEW, stream=False, n=8, temperature=1.5, seed=1)
    alone = [
        ask(server, path, FEW, stream=False, temperature=1.5, seed=1 + number)[0]["choices"][0] for number in range(8)
    ]
    told = ["budgeted" in choice for choice in body["choices"]]
    assert told == ["budgeted" in choice for choice in alone] and {True} <= set(told)
    assert [choice["text"] for choice in body["choices"]] == [choice["text"] for choice in alone]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a+", "length"),  # more could have followed
        ("[a-z]{4,}!", "stop"),  # the budget brought the text to its end
    ],
)
def test_other_text_than_json(server: Running, pattern: str, reason: str) -> None:
    body: dict[str, Any] = {"prompt": "x", "guided_json": None, "guided_regex": pattern, "min_tokens": 6}
    (answer,) = ask(server, "/v1/completions", 6, stream=False, **body)
    (choice,) = answer["choices"]
    assert (choice["finish_reason"], choice["budgeted"]) == (reason, True), choice


def test_a_stop_string_does_not_hide_it(server: Running) -> None:
    (answer,) = ask(server, "/v1/completions", FEW, stream=False, stop="}")
    (choice,) = answer["choices"]
    assert (choice["finish_reason"], choice["missing"], choice["budgeted"]) == ("stop", "}", True)


def test_spans_count_them(monkeypatch: pytest.MonkeyPatch, server: Running) -> None:
    from frisket.server import service

    spans: list[dict[str, Any]] = []

    class Span(dict[str, Any]):
        set_attribute = dict.__setitem__

        def end(self) -> None:
            spans.append(self)

    monkeypatch.setattr(service, "begun", lambda name, attributes: Span(attributes))
    for most in (FEW, MANY):
        ask(server, "/v1/chat/completions", most, stream=False, n=2)
    assert [span["frisket.budgeted"] for span in spans] == [2, 0]
