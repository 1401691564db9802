"""Answers within a budget: as `frisket.generate` writes them, and as one steers them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import frisket
from frisket.logits.numpy import allowed
from frisket.models.prompt import property_names
from tests.unit.play.client import ASK, Client

#: A list that has to be closed in time.
LIST = (
    '{"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}, "required": ["tags"]}'
)
ASKED: dict[str, Any] = {"text": LIST}


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


@pytest.fixture(scope="module")
def least() -> int:
    model = frisket.models.embedded()
    return frisket.Grammar.from_json_schema(LIST).compile(model.vocabulary).matcher().least_tokens()


def wanted(most: int, seed: int, temperature: float, grammar: frisket.Grammar) -> Any:
    return frisket.stream(
        frisket.models.embedded(), ASK["prompt"], grammar, max_tokens=most,
        sampler=frisket.Sampler(temperature=temperature), seed=seed,
    ).generation()  # fmt: skip


@pytest.mark.parametrize("temperature", [0.0, 1.5])
@pytest.mark.parametrize(
    ("notation", "text"), [("json_schema", LIST), ("regex", "(ab|abc|x{9})+(yes)?"), ("regex", "[a-z]{4,}!")]
)
def test_the_tokens_are_those_of_generate(client: Client, notation: str, text: str, temperature: float) -> None:
    grammar = getattr(frisket.Grammar, f"from_{notation}")(text)
    least = grammar.compile(frisket.models.embedded().vocabulary).matcher().least_tokens()
    twice, finishes = 0, set()
    for most in (least, least + 3, least + 8):
        for seed in range(4 if temperature else 1):
            answer = wanted(most, seed, temperature, grammar)
            name = client.begin(notation=notation, text=text, max_tokens=most, seed=seed, temperature=temperature)
            steps, state = client.run(name)
            assert [step["id"] for step in steps] == [step.token for step in answer.steps]
            assert (state["finish"], state["text"]) == (answer.finish_reason, answer.text)
            # What was drawn a second time is a step where the budget bound.
            assert all(step["withheld"] for step, one in zip(steps, answer.steps, strict=True) if one.budgeted)
            twice += sum(step.budgeted for step in answer.steps)
            finishes.add(state["finish"])
            again, _ = client.run(name, back=len(steps) // 2)
            assert [step["id"] for step in again] == [step["id"] for step in steps[len(steps) // 2 :]]
    assert (twice or not temperature) and finishes <= {"end", "budget"}


def test_one_seed_has_one_number_for_each_token() -> None:
    """Budgets change an answer only where they bind: the tokens before are those of the answer without one."""
    grammar = frisket.Grammar.from_regex("[a-z]{4,}!")
    free = [step.token for step in wanted(200, 3, 1.5, grammar).steps]
    for most in range(5, 40, 6):
        steps = wanted(most, 3, 1.5, grammar).steps
        bound = next((at for at, step in enumerate(steps) if step.budgeted), len(steps))
        assert [step.token for step in steps[:bound]] == free[:bound]


def test_what_the_budget_withholds_is_counted(client: Client, least: int) -> None:
    name = client.begin(**ASKED, max_tokens=least + 4)
    steps, state = client.run(name)
    model = frisket.models.embedded()
    matcher = frisket.Grammar.from_json_schema(LIST).compile(model.vocabulary).matcher()
    counted = 0
    for step in steps:
        masks = matcher.mask(), matcher.mask(room=least + 4 - step["n"])
        grammar, within = (np.flatnonzero(allowed(mask, (model.vocabulary.size,))).tolist() for mask in masks)
        assert (step["allowed"], step["withheld"]) == (len(within), len(grammar) - len(within))
        counted += step["withheld"] > 0
        seen = client.get(f"/api/answers/{name}/steps/{step['n']}")
        assert seen["left"] == least + 4 - step["n"]
        assert seen["least"] == matcher.least_tokens()
        for token in [*seen["before"], *seen["after"]]:
            assert token["may"] == (token["id"] in within)
            assert token.get("long", False) == (token["id"] in grammar and token["id"] not in within)
        assert client.get(f"/api/answers/{name}/steps/{step['n']}/tokens")["count"] == len(within)
        matcher.advance(step["id"])
    assert state["bound"] == counted > 0


def test_below_the_least_is_refused_with_the_least(client: Client, least: int) -> None:
    error = client.post("/api/answers", **{**ASK, **ASKED, "max_tokens": least - 1})["error"]
    assert (error["code"], error["least"], error["where"]) == ("budget", least, "/max_tokens")
    assert str(least) in error["message"]
    _, state = client.run(client.begin(**ASKED, max_tokens=least))
    assert state["finish"] in ("end", "budget") and frisket.Grammar.from_json_schema(LIST).accepts(state["text"])
    # Cut, it may be anything; without masks nothing keeps it.
    for more in ({"on_budget": "cut"}, {"masked": False}):
        _, state = client.run(client.begin(**ASKED, max_tokens=2, **more))
        assert state["finish"] == "length" and state["steps"] == 2


def test_where_the_context_is_too_small_no_budget_helps() -> None:
    model = frisket.models.embedded()
    keys = property_names(frisket.Grammar.from_json_schema(LIST).schema)
    taken = len(model.encode(model.prompt(ASK["prompt"], keys)))

    class Short(type(model)):  # type: ignore[misc]
        context = taken + 3

    small = Short.__new__(Short)
    small.__dict__.update({name: value for name, value in model.__dict__.items() if name != "context"})
    error = Client({"embedded": lambda: small}).post("/api/answers", **{**ASK, **ASKED, "max_tokens": 60})["error"]
    assert error["code"] == "budget" and error["where"] == "/prompt" and "least" not in error


def too_long(steps: list[Any], most: int) -> tuple[int, int]:
    """A step and a token that the budget alone forbids there."""
    vocabulary = frisket.models.embedded().vocabulary
    matcher = frisket.Grammar.from_json_schema(LIST).compile(vocabulary).matcher()
    for step in steps:
        at, within = step["n"], set(matcher.allowed(room=most - step["n"]))
        for token in matcher.allowed() if step["withheld"] else ():
            after = matcher.fork()
            after.advance(token)
            if (
                token not in within
                and (vocabulary.token(token) or b"\xff").isascii()
                and not after.can_finish(most - at - 1)
            ):
                return at, token
        matcher.advance(step["id"])
    raise AssertionError("no token is too long")


def test_a_token_by_hand_has_to_fit(client: Client, least: int) -> None:
    name = client.begin(**ASKED, max_tokens=least + 2)
    steps, _ = client.run(name)
    at, long = too_long(steps, least + 2)
    _, error = client.run(name, back=at, tokens=[long])
    assert error["code"] == "budget" and error["least"] > least + 2 and "after this token" in error["message"]
    assert client.get(f"/api/answers/{name}")["state"]["steps"] == at
    client.run(name)
    # The budget that the error names is enough.
    ids = [step["id"] for step in steps[:at]]
    _, again = client.run(client.begin(**ASKED, max_tokens=error["least"] - 1), tokens=[*ids, long])
    assert again["code"] == "budget" and again["least"] == error["least"]
    more, state = client.run(client.begin(**ASKED, max_tokens=error["least"]), tokens=[*ids, long])
    assert more[at]["id"] == long and state["finish"] in ("end", "budget")
    # Another token goes on within the budget.
    back = next(step["n"] for step in steps if step["allowed"] > 1)
    seen = client.get(f"/api/answers/{name}/steps/{back}")
    other = next(token["id"] for token in seen["after"] if token["may"] and token["id"] != steps[back]["id"])
    _, state = client.run(name, back=back, tokens=[other])
    assert state["finish"] in ("end", "budget") and state["steps"] <= least + 3
    assert client.run(name, tokens=[other])[1]["code"] == "token-rejected"


def test_a_text_that_is_too_long_is_explained(client: Client, least: int) -> None:
    name = client.begin(**ASKED, max_tokens=least + 2)
    steps, _ = client.run(name)
    at, long = too_long(steps, least + 2)
    text = (frisket.models.embedded().vocabulary.token(long) or b"").decode()
    seen = client.get(f"/api/answers/{name}/steps/{at}")
    for asked in ({"text": text}, {"token": long}):
        said = client.post(f"/api/answers/{name}/steps/{at}/explain", **asked)
        assert said["allowed"] and "the budget forbids" in said["said"] and "are left" in said["said"]
    may = next(token for token in seen["after"] if token["may"])
    assert "budget" not in client.post(f"/api/answers/{name}/steps/{at}/explain", token=may["id"])["said"]


def test_the_check_says_the_least(client: Client, least: int) -> None:
    def check(notation: str, text: str) -> Any:
        parts = client.lines("/api/check", notation=notation, text=text, model="embedded")
        return next(part["least"] for part in parts if "least" in part)

    assert check("json_schema", LIST)["count"] == least
    assert check("regex", "a{0,3}") == {"count": 0}
