"""Beams, the best of several, and drafts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Grammar, Sampler
from frisket.decoding.task import Task
from frisket.errors import LimitExceededError, StrategyError
from frisket.strategies import Beams, Best, Draft, Exact, Particles
from frisket.strategies.best import log_feasible
from tests.hand_model import HandModel, truth
from tests.unit.strategies.test_exact import GRAMMAR, TEXTS, trapped


def random_model(seed: int) -> HandModel:
    return HandModel(TEXTS, lambda ids: np.exp(np.random.default_rng([seed, *ids]).normal(size=4) * 2).tolist())


class TestBeams:
    def test_the_likeliest_tokens_are_found_where_greedy_is_trapped(self) -> None:
        greedy = 0
        for seed in range(30):
            model = random_model(seed)
            best = max(truth(Task(model, "", GRAMMAR)).wholes, key=lambda whole: whole.probability)
            answer = Beams(16).answer(Task(model, "", GRAMMAR), 0)
            assert tuple(step.token for step in answer.steps) == best.tokens
            assert np.exp(answer.logprob) == pytest.approx(best.probability, rel=1e-4)
            greedy += frisket.generate(model, "", GRAMMAR) == best.text
        assert greedy < 27

    def test_they_compare_the_model_s_own_probability(self) -> None:
        """After a, the grammar leaves one token of little probability: 1 under the mask."""
        model = HandModel([b"a", b"b"], lambda ids: [0.6, 0.4, 0.0] if not ids else [0.01, 0.5, 0.49])
        grammar = Grammar.from_choices(["aa", "bb"])
        assert frisket.generate(model, "", grammar) == "aa"
        assert frisket.generate(model, "", grammar, strategy=Beams(2)) == "bb"

    def test_one_beam_is_greedy(self) -> None:
        for seed in range(10):
            model = random_model(seed)
            assert frisket.generate(model, "", GRAMMAR, strategy=Beams(1)) == frisket.generate(model, "", GRAMMAR)

    def test_all_that_were_found_with_their_weights(self) -> None:
        found = frisket.sample(random_model(1), "", GRAMMAR, 1, strategy=Beams(4))
        assert 1 <= len(found) <= 4
        scores = [one.log_weight for one in found]
        assert scores == sorted(scores, reverse=True)
        assert all(one.log_weight == pytest.approx(one.value.logprob) for one in found)

    def test_a_text_that_cannot_end_in_time(self) -> None:
        with pytest.raises(LimitExceededError):
            frisket.generate(random_model(0), "", Grammar.from_regex("a{9}"), strategy=Beams(2), max_tokens=3)

    def test_misuse(self) -> None:
        with pytest.raises(ValueError, match="at least 1 beam"):
            Beams(0)
        with pytest.raises(StrategyError, match="the same answers in every run"):
            frisket.sample(random_model(0), "", GRAMMAR, 2, strategy=Beams(2))


class TestBest:
    @pytest.mark.parametrize("by", ["feasible", "logprob", lambda answer: -len(answer.text)])
    def test_the_best_by_a_score(self, by: Any) -> None:
        score = {"feasible": log_feasible, "logprob": lambda answer: answer.logprob}.get(by, by)
        model = HandModel(TEXTS, trapped)
        many = Best(40, by=by).answer(Task(model, "", GRAMMAR), 5)
        few = Best(1, by=by).answer(Task(model, "", GRAMMAR), 5)
        assert score(many) >= score(few)
        top = {"feasible": "bb", "logprob": "bb"}
        assert score(many) == max(score(one.value) for one in frisket.sample(model, "", GRAMMAR, 400)) or by in top

    def test_runs_share_what_exact_draws_learn(self) -> None:
        model = HandModel(TEXTS, trapped)
        found = frisket.sample(model, "", GRAMMAR, 100, strategy=Best(3, of=Exact()))
        assert len(found) == 100 and model.calls < 100

    def test_a_cut_answer_wins_only_among_cut_ones(self) -> None:
        model, grammar = HandModel(TEXTS, lambda ids: [0.6, 0.2, 0.0, 0.2]), Grammar.from_regex("a{9}|b")
        answer = Best(30, by="logprob").answer(Task(model, "", grammar, max_tokens=1), 0)
        assert (answer.text, answer.whole) == ("b", True)

    def test_misuse(self) -> None:
        with pytest.raises(ValueError, match="feasible, logprob"):
            Best(2, by="length")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="at least 1 answer"):
            Best(0)


class Thinker(HandModel):
    """It answers well once it has read a draft, and badly without."""

    def __init__(self) -> None:
        super().__init__([b"a", b"b", b"?", b"!"], self.answer)
        self.prompts: list[str] = []

    def prompt(self, text: str, keys: Sequence[str] | None = None, *, draft: str | None = None) -> str:
        self.prompts.append(text if draft is None else f"{text}!{draft}!")
        return self.prompts[-1]

    def start(self, prompt_ids: Sequence[int]) -> Any:
        session = super().start(prompt_ids)
        session.ids = tuple(prompt_ids[1:])
        return session

    def answer(self, ids: tuple[int, ...]) -> list[float]:
        if ids[-2:] in ((0, 3), (1, 3)):  # behind a draft: what the draft said
            return [0.9, 0.1, 0, 0, 0] if ids[-2] == 0 else [0.05, 0.15, 0, 0, 0.8]
        if ids[-1:] == (2,):
            return [0.5, 0.5, 0.0, 0.0, 0.0]
        return [0.01, 0.01, 0.0, 0.0, 0.98]


class TestDraft:
    def test_the_answer_follows_the_draft(self) -> None:
        model = Thinker()
        answer = Draft(4).answer(Task(model, "?", Grammar.from_choices(["a", "b"])), 0)
        assert (answer.text, answer.draft) == ("a", "a")
        assert model.prompts == ["?", "?!a!"]

    def test_of_several_drafts_the_one_wins_whose_answer_fits_best(self) -> None:
        for seed in range(5):
            answer = Draft(4, k=8).answer(Task(Thinker(), "?", Grammar.from_choices(["a", "b"])), seed)
            # Behind the draft b the model wants to end: the mask would take 0.8 from it.
            assert (answer.text, answer.draft) == ("a", "a")
        drafts = {Draft(4).search(Task(Thinker(), "?", Grammar.from_choices(["a", "b"]), sampler=Sampler()), 1,
                                  np.random.default_rng(seed))[0][0].value.draft for seed in range(10)}  # fmt: skip
        assert drafts == {"a", "b"}

    def test_strategies_nest(self) -> None:
        task = Task(Thinker(), "?", Grammar.from_choices(["a", "b"]))
        for strategy in (Best(4, of=Draft(4, then=Beams(4))), Draft(4, then=Exact()), Draft(4, k=2, then=Particles(4))):
            answer = strategy.answer(task, 1)
            assert answer.text in ("a", "b") and answer.draft in ("a", "b")
        assert Best(4, of=Draft(4, then=Beams(4))) == Best(4, of=Draft(4, then=Beams(4)))

    def test_a_model_without_a_place_for_drafts(self) -> None:
        class Plain(HandModel):
            def prompt(self, text: str, keys: Sequence[str] | None = None) -> str:  # type: ignore[override]
                return text

        with pytest.raises(StrategyError, match="no place for a draft") as caught:
            frisket.generate(Plain(TEXTS, trapped), "", GRAMMAR, strategy=Draft(4))
        assert "draft: str | None" in (caught.value.hint or "")

    def test_misuse(self) -> None:
        with pytest.raises(ValueError, match="tokens and k"):
            Draft(0)


@pytest.mark.parametrize("strategy", [Exact(), Particles(2), Beams(2), Best(2), Draft(2)])
def test_a_grammar_of_the_empty_text_alone(strategy: frisket.strategies.Strategy) -> None:
    answer = strategy.answer(Task(random_model(0), "", Grammar.from_regex("")), 0)
    assert (answer.text, answer.steps, answer.whole) == ("", (), True)


def test_many_prompts_take_a_strategy() -> None:
    answers = frisket.generate_many(random_model(0), ["", ""], GRAMMAR, strategy=Beams(2))
    assert answers[0] == answers[1] == frisket.generate(random_model(0), "", GRAMMAR, strategy=Beams(2))


def test_the_steps_of_the_answer_are_seen() -> None:
    seen: list[frisket.Step] = []
    text = frisket.generate(random_model(3), "", GRAMMAR, strategy=Beams(2), on_step=seen.append)
    assert "".join(step.text for step in seen) == text


def test_the_embedded_model_takes_every_strategy() -> None:
    model, schema = frisket.models.embedded(), frisket.examples.load("triage")
    plain = frisket.generate(model, "My card was charged twice", schema)
    for strategy in (Exact(), Exact(method="asap"), Particles(4), Beams(2), Best(2), Draft(8)):
        found = frisket.generate(model, "My card was charged twice", schema, strategy=strategy)
        assert found.keys() == plain.keys()


def test_a_report_and_paths_as_without_a_strategy() -> None:
    model, schema = frisket.models.embedded(), frisket.examples.load("triage")
    plain = frisket.stream(model, "My card was charged twice", schema).generation()
    (beams,) = frisket.sample(model, "My card was charged twice", schema, 1, strategy=Beams(1))
    assert [(step.token, step.path, step.text) for step in beams.value.steps] == [
        (step.token, step.path, step.text) for step in plain.steps
    ]
    assert beams.value.report.paths.keys() == plain.report.paths.keys()
