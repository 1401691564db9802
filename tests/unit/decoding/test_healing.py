"""Token healing: the end of a prompt, spelled again as the model prefers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import frisket
from frisket import Grammar, Vocabulary
from frisket.decoding.healing import take_back
from frisket.decoding.task import Task
from frisket.errors import LimitExceededError
from frisket.models.protocol import Session
from frisket.strategies import Exact, Particles
from tests.hand_model import HandModel, truth
from tests.unit.strategies.test_exact import statistic

WORDS = Vocabulary.from_bytes(
    [b"go", b" ", b" home", b"o", b"go on", b"n", None, b"<end>more"], special={"<end>": 6}, eos=[6]
)


@pytest.mark.parametrize(
    ("ids", "stay", "head"),
    [
        ([3, 0, 1], [3], b"go "),  # `go on` begins with both
        ([0, 1], [0], b" "),  # one token always stays
        ([3, 1], [3], b" "),
        ([3, 5], [3, 5], b""),  # nothing begins with n
        ([3, 0, 6], [3, 0, 6], b""),  # an end of the text is no text
        ([3, 6, 1], [3, 6], b" "),  # and nothing before it is touched
        ([1], [1], b""),
        ([3, 2], [3, 2], b""),  # a whole token that no other begins with
        ([5, 3], [5, 3], b""),  # the last token of all in order
    ],
)
def test_the_longest_ending_that_begins_a_longer_token(ids: list[int], stay: list[int], head: bytes) -> None:
    assert take_back(WORDS, ids) == (stay, head)


TEXTS = [b"g", b"o", b" ", b"h", b"m", b"e", b" home", b"om", b"go"]
END = 9


def homing(ids: tuple[int, ...]) -> list[float]:
    """Behind a space it has nothing to say; before one, it wants to say ` home`."""
    weights = [0.05] * 9 + [0.1]
    if ids and ids[-1] == 8:
        weights[6] = 5.0
    if ids and ids[-1] == 2:
        weights[9] = 9.0
    return weights


class Prompted(HandModel):
    """Its distribution depends on the prompt, too."""

    def start(self, prompt_ids: Any) -> Session:
        session = super().start(prompt_ids)
        session.ids = tuple(prompt_ids[1:])
        return session


def test_the_answer_is_what_the_model_would_have_said() -> None:
    model, grammar = Prompted(TEXTS, homing), Grammar.from_choices(["home", "hog"])
    assert model.encode("go ")[1:] == [8, 2]
    healed = frisket.stream(model, "go ", grammar, heal=True).generation()
    assert (healed.text, healed.whole, healed.value()) == ("home", True, "home")
    assert [step.token for step in healed.steps] == [6]
    assert (healed.steps[0].data, healed.steps[0].text) == (b"home", "home")
    plain = frisket.stream(model, "go ", grammar).generation()
    assert 6 not in plain.tokens and plain.steps[0].token == 3
    assert frisket.generate(model, "go ", grammar, heal=True, strategy=Exact(), seed=1) in ("home", "hog")


def test_tokens_of_the_prompt_s_end_are_not_counted() -> None:
    def lettered(ids: tuple[int, ...]) -> list[float]:
        return [1.0 if text is not None and len(text) == 1 else 0.01 for text in TEXTS] + [0.5]

    model, grammar = Prompted(TEXTS, lettered), Grammar.from_choices(["hog"])
    answer = frisket.stream(model, "go ", grammar, heal=True, max_tokens=3).generation()
    assert [step.data for step in answer.steps] == [b"", b"h", b"o", b"g"]
    assert [step.text for step in answer.steps] == ["", "h", "o", "g"]
    assert answer.whole and answer.text == "hog"
    with pytest.raises(LimitExceededError):
        frisket.generate(model, "go ", grammar, heal=True, max_tokens=2)
    for strategy in (Exact(), Particles(4), frisket.strategies.Beams(2), frisket.strategies.Best(2)):
        options: Any = {"heal": True, "strategy": strategy, "max_tokens": 3}
        assert frisket.generate(model, "go ", grammar, **options) == "hog"
        with pytest.raises(LimitExceededError):
            frisket.generate(model, "go ", grammar, **{**options, "max_tokens": 2})


def test_healed_draws_are_exact() -> None:
    model, grammar = Prompted(TEXTS, homing), Grammar.from_choices(["home", "hog", "ho"])
    task = Task(model, "go ", grammar, heal=True)
    assert task.beginning.head == b" "
    exact = truth(task)
    assert len(exact.wholes) > 4 and all(whole.text.startswith(" h") for whole in exact.wholes)
    found = frisket.sample(model, "go ", grammar, 3000, strategy=Exact(), heal=True)
    drawn = Counter(tuple(step.token for step in one.value.steps) for one in found)
    assert statistic(drawn, {whole.tokens: whole.probability / exact.mass for whole in exact.wholes}) < 3.1
    assert {one.value.text for one in found} <= {"home", "hog", "ho"}


def test_a_json_answer_keeps_its_places_and_its_value() -> None:
    schema = frisket.examples.load("triage")
    model = frisket.models.embedded()
    answer = frisket.stream(model, "My card was charged twice", schema, heal=True)
    partial = [answer.value for _ in answer]
    result = answer.generation()
    assert result.value()["priority"] == "high" and partial[-1] == result.value()
    assert {step.path for step in result.steps} >= {"", "/priority", "/category"}
    assert b"".join(step.data for step in result.steps).decode() == result.text
    assert result.report.paths.keys() >= {"/priority"}


def test_nothing_to_take_back_changes_nothing() -> None:
    model, grammar = Prompted(TEXTS, homing), Grammar.from_choices(["home", "hog"])
    for seed in range(5):
        options: Any = {"sampler": frisket.Sampler(), "seed": seed}
        assert take_back(model.vocabulary, model.encode("m")) == (model.encode("m"), b"")
        assert frisket.generate(model, "m", grammar, **options) == frisket.generate(
            model, "m", grammar, heal=True, **options
        )


def test_the_end_of_the_prompt_takes_room_of_the_context() -> None:
    model = Prompted(TEXTS, homing, context=4)
    with pytest.raises(LimitExceededError, match="room for 4"):
        frisket.generate(model, "gohogo ", Grammar.from_choices(["home"]), heal=True)
