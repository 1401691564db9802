"""Answers that are steered: one step on, back, another token, with and without masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import frisket
from tests.unit.play.client import ASK, SCHEMA, Client


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


@pytest.mark.parametrize("temperature", [0.0, 1.3])
def test_the_tokens_are_those_of_generate(client: Client, temperature: float) -> None:
    sampler = frisket.Sampler(temperature=temperature)
    wanted = frisket.stream(
        frisket.models.embedded(), ASK["prompt"], SCHEMA, max_tokens=60, sampler=sampler, seed=5
    ).generation()
    steps, state = client.run(client.begin(temperature=temperature, seed=5))
    assert [step["id"] for step in steps] == [step.token for step in wanted.steps]
    assert "".join(step["shown"] for step in steps) == wanted.text == state["text"]
    assert state["finish"] == wanted.finish_reason == "end"
    assert [step["path"] for step in steps] == [step.path for step in wanted.steps]
    assert np.allclose([step["alpha"] for step in steps], wanted.feasible)
    assert [step["allowed"] for step in steps] == [step.allowed for step in wanted.steps]


@pytest.mark.parametrize("most", [1, 7])
def test_the_tokens_run_out(client: Client, most: int) -> None:
    whole, _ = client.run(client.begin(temperature=1.3, seed=5))
    cut, state = client.run(client.begin(temperature=1.3, seed=5, max_tokens=most, on_budget="cut"))
    assert [step["id"] for step in cut] == [step["id"] for step in whole[:most]]
    assert state["finish"] == "length"
    name = client.begin(notation="regex", text="a+", max_tokens=3, on_budget="cut")
    _, state = client.run(name)
    assert state["finish"] in ("length", "end") and len(state["text"]) <= 3 * 8
    steps, error = client.run(name, tokens=[97])
    assert not steps and error["code"] == "token-rejected"


def test_going_back_and_on_writes_the_same(client: Client) -> None:
    name = client.begin(temperature=1.0, seed=3)
    first, _ = client.run(name)
    for back in (len(first), len(first) - 1, 4, 0):
        again, state = client.run(name, back=back)
        assert [step["id"] for step in again] == [step["id"] for step in first[back:]]
        assert state["steps"] == len(first)


def test_another_token_is_chosen_by_hand(client: Client) -> None:
    name = client.begin()
    first, _ = client.run(name)
    at = next(step["n"] for step in first if step["overruled"])
    seen = client.get(f"/api/answers/{name}/steps/{at}")
    assert seen["taken"] == first[at]["id"] and not seen["before"][0]["may"]
    other = next(token["id"] for token in seen["after"] if token["id"] != first[at]["id"])
    steps, state = client.run(name, back=at, tokens=[other])
    assert steps[0]["n"] == at and steps[0]["id"] == other and steps[0]["chosen"]
    assert state["finish"] == "end" and frisket.Grammar.from_json_schema(SCHEMA).accepts(state["text"])


def test_a_forbidden_token_is_refused_and_changes_nothing(client: Client) -> None:
    name = client.begin()
    client.run(name, steps=3)
    before = client.get(f"/api/answers/{name}")
    seen = client.get(f"/api/answers/{name}/steps/3")
    forbidden = next(token["id"] for token in seen["before"] if not token["may"])
    steps, error = client.run(name, tokens=[forbidden])
    assert not steps and error["code"] == "token-rejected"
    assert client.get(f"/api/answers/{name}") == before


def test_steps_one_at_a_time_are_the_answer(client: Client) -> None:
    whole, _ = client.run(client.begin())
    name = client.begin()
    made: list[Any] = []
    while True:
        steps, state = client.run(name, steps=1)
        made += steps
        if state["finish"]:
            break
    assert [step["id"] for step in made] == [step["id"] for step in whole]


def test_a_look_shows_the_same_before_and_after_the_step(client: Client) -> None:
    name = client.begin()
    client.run(name, steps=5)
    ahead = client.get(f"/api/answers/{name}/steps/5")
    assert ahead["taken"] is None
    client.run(name, steps=4)
    again = client.get(f"/api/answers/{name}/steps/5")
    assert again["taken"] is not None
    assert {**ahead, "taken": 0, "us": 0} == {**again, "taken": 0, "us": 0}
    shares = [token["after"] for token in again["after"]]
    assert shares == sorted(shares, reverse=True) and sum(shares) <= 1.0001
    assert sum(token["before"] for token in again["after"]) <= again["alpha"] + 1e-6


def test_without_masks_the_noise_is_the_same(client: Client) -> None:
    """Where the mask forbids nothing that has any probability, both write the same tokens."""
    ask = {"notation": "regex", "text": r"[\s\S]*", "temperature": 1.0, "seed": 11, "max_tokens": 20}
    masked, _ = client.run(client.begin(**ask))
    free, state = client.run(client.begin(**ask, masked=False))
    assert [step["id"] for step in masked] == [step["id"] for step in free]
    assert not state["outside"]


def test_without_masks_the_text_leaves_the_grammar(client: Client) -> None:
    name = client.begin(masked=False)
    steps, state = client.run(name)
    left = next(step["n"] for step in steps if step["outside"])
    assert state["outside"] and all(step["outside"] for step in steps[left:])
    grammar = frisket.Grammar.from_json_schema(SCHEMA)
    assert grammar.accepts_prefix("".join(step["shown"] for step in steps[:left]))
    assert not grammar.accepts_prefix("".join(step["shown"] for step in steps[: left + 1]))
    seen = client.get(f"/api/answers/{name}/steps/{left + 1}")
    assert seen["outside"]
    error = client.post(f"/api/answers/{name}/steps/{left + 1}/explain", text="x")
    assert error["error"]["code"] == "outside"
    # Back inside, the mask is there again.
    _, state = client.run(name, back=left, steps=0)
    assert not state["outside"] and client.get(f"/api/answers/{name}/steps/{left}")["alpha"] < 1


def test_half_characters_are_shown_as_bytes(client: Client) -> None:
    name = client.begin(notation="regex", text="é€😀", temperature=0)
    steps, state = client.run(name)
    assert state["text"] == "é€😀" and state["finish"] == "end"
    kinds = {step["kind"] for step in steps}
    assert "bytes" in kinds
    assert any(step["text"].startswith("\\x") and not step["shown"] for step in steps)


def test_allowed_tokens_come_in_stretches(client: Client) -> None:
    name = client.begin()
    client.run(name, steps=2)
    path = f"/api/answers/{name}/steps/2/tokens"
    found = client.get(path, limit=5)
    assert found["count"] == client.get(f"/api/answers/{name}/steps/2")["allowed"]
    shares = [token["after"] for token in found["tokens"] if token["after"] is not None]
    assert shares == sorted(shares, reverse=True)
    collected = [
        token["id"] for at in range(0, found["count"], 7) for token in client.get(path, offset=at, limit=7)["tokens"]
    ]
    assert len(set(collected)) == found["count"]
    searched = client.get(path, search="a")
    assert all("a" in token["text"] for token in searched["tokens"])
    assert client.get(path, limit=100_000)["error"]["code"] == "request"


def test_a_text_is_explained(client: Client) -> None:
    name = client.begin()
    steps, _ = client.run(name)
    at = next(step["n"] for step in steps if step["overruled"])
    said = client.post(f"/api/answers/{name}/steps/{at}/explain", text="billing")
    assert not said["allowed"] and "/properties/category/enum" in said["said"]
    assert client.post(f"/api/answers/{name}/steps/{at}/explain", token=steps[at]["id"])["allowed"]
    assert client.post(f"/api/answers/{name}/steps/{at}/explain", token=10**6)["error"]["code"] == "request"
    assert client.post(f"/api/answers/{name}/steps/{at}/explain")["error"]["code"] == "request"


def test_an_answer_that_is_gone_begins_anew_from_its_tokens() -> None:
    client = Client(max_answers=1)
    name = client.begin(temperature=1.0, seed=9)
    steps, _ = client.run(name, steps=6)
    other = client.begin(temperature=1.0, seed=9)
    assert client.post(f"/api/answers/{name}/run")["error"]["code"] == "answer-gone"
    again, _ = client.run(other, tokens=[step["id"] for step in steps], steps=0)
    assert [step["id"] for step in again] == [step["id"] for step in steps]
    rest, _ = client.run(other)
    whole, _ = client.run(client.begin(temperature=1.0, seed=9))
    assert [step["id"] for step in [*steps, *rest]] == [step["id"] for step in whole]
