"""Answers within a budget: whole, refused before the model is asked, brief, long enough, without repetition."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import frisket
from frisket.decoding import Budget, Guard, Sampler, decode
from frisket.errors import BudgetError, LimitExceededError
from frisket.events import Closed
from frisket.least import median_tokens
from frisket.pressure.report import PressureReport

MODEL = frisket.models.embedded()
TAGS = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["name", "tags"],
    "additionalProperties": False,
}
#: A number that gets fewer digits where tokens are few.
TRIAGE = {
    "type": "object",
    "properties": {"priority": {"enum": ["low", "high"]}, "confidence": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["priority", "confidence"],
    "additionalProperties": False,
}
LEAST = frisket.Grammar.from_json_schema(TAGS).compile(MODEL.vocabulary).matcher().least_tokens()


@pytest.mark.parametrize("more", [0, 1, 2, 5, 20, 60])
@pytest.mark.parametrize("temperature", [0.0, 1.0, 3.0])
def test_an_answer_is_whole_within_its_budget(more: int, temperature: float) -> None:
    answer = frisket.stream(
        MODEL, "?", TAGS, max_tokens=LEAST + more, sampler=Sampler(temperature=temperature), seed=more
    ).generation()
    assert len(answer.tokens) <= LEAST + more and answer.whole
    assert set(answer.value()) == {"name", "tags"}


def test_one_token_fewer_than_the_least_is_refused_before_the_model_is_asked() -> None:
    class Asked:
        vocabulary, context, encode, prompt = MODEL.vocabulary, MODEL.context, MODEL.encode, MODEL.prompt

        def start(self, prompt_ids: Sequence[int]) -> Any:
            raise AssertionError("the model was asked")

    with pytest.raises(BudgetError) as refusal:
        frisket.generate(Asked(), "?", TAGS, max_tokens=LEAST - 1)
    assert refusal.value.least == LEAST and refusal.value.where == "max_tokens"
    assert refusal.value.code == "budget" and f"max_tokens to {LEAST}" in (refusal.value.hint or "")
    assert isinstance(refusal.value, LimitExceededError)


def test_below_the_least_a_partial_answer_is_cut_where_that_is_welcome() -> None:
    text = frisket.generate(MODEL, "?", TAGS, max_tokens=LEAST - 1, allow_partial=True)
    assert isinstance(text, str) and text.startswith("{") and not text.endswith("}")


def test_where_the_budget_binds_the_steps_say_so() -> None:
    tight = frisket.stream(MODEL, "?", TAGS, max_tokens=LEAST).generation()
    loose = frisket.stream(MODEL, "?", TAGS, max_tokens=300, seed=1).generation()
    assert tight.budgeted == sum(step.budgeted for step in tight.steps) > 0
    assert not any(step.budgeted for step in loose.steps[:20])


def test_an_answer_that_the_budget_ended_says_so() -> None:
    answer = frisket.stream(MODEL, "?", frisket.Grammar.from_regex("a+"), max_tokens=7, min_tokens=7).generation()
    assert answer.finish_reason == "budget" and answer.whole and answer.value() == answer.text
    assert answer.budgeted == 0
    exact = frisket.stream(MODEL, "?", ["aaaa"], max_tokens=7).generation()
    assert exact.finish_reason == "end"


@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_the_finish_reason_says_whether_the_budget_decided_a_token(temperature: float) -> None:
    """An answer with the reason `end` is that of a larger budget; one with `budget` has other tokens, or no more."""

    def answer(most: int) -> frisket.Generation[Any]:
        sampler = Sampler(temperature=temperature)
        return frisket.stream(MODEL, "Charged twice", TRIAGE, max_tokens=most, sampler=sampler, seed=3).generation()

    free, reasons = answer(400), []
    for most in (11, 12, 13, 14, 16, 300):
        within = answer(most)
        reasons.append(within.finish_reason)
        assert (within.finish_reason == "budget") == (within.budgeted > 0)
        assert (within.finish_reason == "end") == (within.tokens == free.tokens)
    assert reasons[0] == "budget" and reasons[-1] == "end"


def test_events_of_an_answer_that_the_budget_ended_are_whole() -> None:
    """A number at the root ends where the text does."""
    answer = frisket.stream(MODEL, "?", {"type": "integer", "minimum": 10**9}, max_tokens=10)
    *_, last = answer.events()
    generation = answer.generation()
    assert generation.finish_reason == "budget" and isinstance(last, Closed) and last.value == generation.value()


def test_a_trace_says_what_the_budget_decided() -> None:
    answer = frisket.stream(MODEL, "?", TAGS, max_tokens=LEAST).generation()
    report = PressureReport.from_json(answer.report.to_json())
    assert sum(step.budgeted for step in report.steps) == answer.budgeted > 0
    assert f"Decided by max_tokens: {answer.budgeted}." in report.to_html() and report.finish_reason == "budget"
    old = json.loads(answer.report.to_json())
    for step in old["steps"]:
        del step["budgeted"]  # as older versions wrote them
    assert not any(step.budgeted for step in PressureReport.from_json(json.dumps(old)).steps)


def test_rejection_draws_from_the_mask_with_room() -> None:
    """The distribution of a token within a budget is the model's among the tokens of the mask with room."""
    grammar = frisket.Grammar.from_regex("[ab]{1,3}|[cd]{4}")
    letters = frisket.Vocabulary.from_bytes([b"a", b"b", b"c", b"d", None], eos=[4])

    class Flat:
        vocabulary, context = letters, 100

        def encode(self, text: str) -> list[int]:
            return [0]

        def prompt(self, text: str, keys: Any = None) -> str:
            return text

        def start(self, prompt_ids: Sequence[int]) -> Any:
            class Session:
                def logits(self) -> Any:
                    return np.log(np.array([0.1, 0.2, 0.3, 0.2, 0.2], dtype=np.float32))

                def push(self, token_id: int) -> None:
                    pass

            return Session()

    drawn = [
        frisket.stream(Flat(), "?", grammar, max_tokens=3, sampler=Sampler(), seed=seed).generation().text[0]
        for seed in range(3_000)
    ]
    assert set(drawn) == {"a", "b"}
    assert abs(drawn.count("a") / len(drawn) - 1 / 3) < 0.04  # five standard errors


def test_an_answer_is_long_enough_where_it_may_be() -> None:
    grammar = frisket.Grammar.from_regex("(ab)*")
    assert frisket.stream(MODEL, "?", grammar, min_tokens=6, max_tokens=20).generation().tokens[5:]
    # Where nothing but the end may follow, it comes.
    assert frisket.generate(MODEL, "?", ["ab"], min_tokens=6) == "ab"


def test_a_guard_ends_repetition_and_leaves_what_must_come() -> None:
    answer = frisket.stream(
        MODEL, "?", frisket.Grammar.from_regex("(a|b)+"), max_tokens=60, guard=Guard(3, 2)
    ).generation()
    tokens = answer.tokens
    for length in (1, 2, 3):
        for start in range(len(tokens) - 3 * length + 1):
            blocks = [tokens[start + length * turn : start + length * (turn + 1)] for turn in range(3)]
            assert not blocks[0] == blocks[1] == blocks[2], f"{length} tokens come three times at {start}"
    assert frisket.generate(MODEL, "?", ["aaaaaaaaaaaa"], guard=Guard(1, 1)) == "aaaaaaaaaaaa"


@pytest.mark.parametrize(
    ("history", "refused"),
    [([7, 8, 7, 8], {7}), ([9, 7, 8, 7, 8], {7}), ([8, 8], {8}), ([8, 8, 8, 8], {8}), ([7, 8, 7], set()), ([], set())],
)
def test_a_guard_sees_blocks_as_long_as_the_text_allows(history: list[int], refused: set[int]) -> None:
    assert Guard(period=2, times=2).refused(history) == refused


def test_a_guard_sees_no_block_longer_than_its_period() -> None:
    assert Guard(period=2, times=2).refused([1, 2, 3, 1, 2, 3]) == set()
    assert Guard(period=3, times=2).refused([1, 2, 3, 1, 2, 3]) == {1}


def test_blanks_of_many_lengths_are_no_block_and_the_grammar_bounds_them() -> None:
    assert Guard(period=64, times=2).refused([1, 2, 1, 3, 2, 1, 4, 2, 3, 1, 3, 4, 2, 1]) == set()
    options = frisket.JSONSchemaOptions(whitespace="free", max_whitespace=3)
    grammar = frisket.Grammar.from_json_schema({"type": "array", "maxItems": 0}, options)
    assert grammar.accepts("[ \n ]") and not grammar.accepts("[ \n  ]")


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_tokens": 0},
        {"on_budget": "stop"},
        {"min_tokens": 99},
    ],
)
def test_misuse(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Budget(**{"max_tokens": 10, **wrong})


@pytest.mark.parametrize("wrong", [(0, 4), (4, 0)])
def test_misuse_of_a_guard(wrong: tuple[int, int]) -> None:
    with pytest.raises(ValueError):
        Guard(*wrong)


@pytest.mark.parametrize("more", [0, 3, 30, 200])
def test_reasoning_is_ended_while_a_median_answer_fits(more: int) -> None:
    grammar, text = frisket.think(TAGS, prompt="<think>"), ""
    compiled = grammar.compile(MODEL.vocabulary)
    least = compiled.matcher().least_tokens()
    steps = decode(
        MODEL.start(MODEL.encode("?")), compiled.matcher(), MODEL.vocabulary, Budget(least + more),
        sampler=Sampler(temperature=3.0), seed=more, is_thinking=lambda: "</think>" not in text,
    )  # fmt: skip
    taken = thought = 0
    for step in steps:
        text += step.text
        taken += not step.ends
        thought = thought or taken * ("</think>" in text)
    assert grammar.accepts(text) and taken <= least + more
    kept = min(median_tokens(least) - least, more)
    assert least + more - thought >= LEAST + kept
    # A model of such a temperature hardly ever ends its reasoning itself.
    assert thought == least + more - LEAST - kept
