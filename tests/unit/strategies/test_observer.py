"""An observer hears of every path that a strategy held, and changes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import frisket
from frisket.decoding.branch import Branch
from frisket.decoding.task import Task
from tests.hand_model import HandModel

TEXTS = [b"a", b"b", b"c", b"d"]
GRAMMAR = frisket.Grammar.from_choices(["aab", "aba", "abb", "bab", "cc"])


def distribution(tokens: tuple[int, ...]) -> list[float]:
    """What begins with "a" goes on as the grammar wants; elsewhere nearly all is on what it forbids."""
    wanted = tokens[1:2] in ((), (0,))  # behind the prompt
    return [4.0, 3.0, 5.0, 2.0 if wanted else 400.0, 0.5]


def task(**more: Any) -> Task:
    return Task(HandModel(TEXTS, distribution), "a", GRAMMAR, on_budget="cut", **more)


def observed(strategy: frisket.strategies.Strategy, given: Task, runs: int = 1) -> tuple[list[Branch], Any]:
    heard: list[Branch] = []
    found = strategy.search(replace(given, observer=heard.append), runs, np.random.default_rng(3))
    return heard, found


@pytest.mark.parametrize(
    "strategy",
    [
        frisket.strategies.Exact(),
        frisket.strategies.Exact(method="asap"),
        frisket.strategies.Particles(5),
        frisket.strategies.Particles(5, where=lambda text, whole: not text.startswith("c")),
        frisket.strategies.Beams(2),
        frisket.strategies.Best(3),
        frisket.strategies.Best(2, of=frisket.strategies.Particles(3)),
        frisket.strategies.Draft(3, k=2),
    ],
)
def test_it_changes_nothing_and_hears_of_all_answers(strategy: frisket.strategies.Strategy) -> None:
    heard, found = observed(strategy, task())
    silent = strategy.search(task(), 1, np.random.default_rng(3))
    assert [[one.value.tokens for one in run] for run in found] == [[one.value.tokens for one in run] for run in silent]
    answers = [branch for branch in heard if branch.fate == "answer"]
    assert all(branch.answer.whole and GRAMMAR.accepts(branch.answer.text) for branch in answers)
    for run in found:
        for one in run:
            assert any(one.value is branch.answer for branch in answers) or one.value.text in {
                branch.answer.text for branch in answers
            }
    for branch in heard:
        assert branch.fate in ("answer", "outside", "resampled", "rejected", "pruned")
        assert GRAMMAR.accepts_prefix(branch.answer.text)


def test_draws_that_left_the_grammar() -> None:
    heard, found = observed(frisket.strategies.Exact(), task(), runs=20)
    fates = Counter(branch.fate for branch in heard)
    assert fates["answer"] == 20 == len(found) and fates["outside"] > 3
    heard, _ = observed(frisket.strategies.Exact(method="asap"), task(), runs=20)
    assert {branch.fate for branch in heard} == {"answer"}


def test_beams_that_fell_behind() -> None:
    heard, found = observed(frisket.strategies.Beams(2), task())
    pruned = [branch for branch in heard if branch.fate == "pruned"]
    assert pruned
    # Beams are compared by the log-probability of their own tokens.
    for branch in heard:
        assert branch.log_weight == pytest.approx(branch.answer.logprob)
    assert max(branch.log_weight for branch in heard if branch.fate == "answer") == found[0][0].log_weight


def test_particles_that_gave_way() -> None:
    fates: Counter[str] = Counter()
    for seed in range(20):
        heard: list[Branch] = []
        frisket.strategies.Particles(6).search(task(observer=heard.append), 1, np.random.default_rng(seed))
        fates.update(branch.fate for branch in heard)
    assert fates["answer"] >= 60 and fates["resampled"] > 3
    heard, _ = observed(frisket.strategies.Particles(8, where=lambda text, whole: not whole), task())
    assert "rejected" in {branch.fate for branch in heard} and "answer" not in {branch.fate for branch in heard}


def test_the_tokens_run_out() -> None:
    for strategy in (
        frisket.strategies.Exact(method="asap", attempts=5),
        frisket.strategies.Particles(4),
        frisket.strategies.Beams(2),
    ):
        heard: list[Branch] = []
        with pytest.raises(frisket.FrisketError):
            strategy.answer(task(max_tokens=1, observer=heard.append, sampler=None), 1)
        assert "cut" in {branch.fate for branch in heard}


def test_an_exception_ends_the_search() -> None:
    class Stopped(Exception):
        pass

    def stop(branch: Branch) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        frisket.strategies.Best(3).search(task(observer=stop), 1, np.random.default_rng(0))
