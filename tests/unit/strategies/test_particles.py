"""Particles: weights, resampling, predicates and critics, on models whose distribution is written by hand."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Sampler
from frisket.decoding.task import Task
from frisket.errors import LimitExceededError, StrategyError
from frisket.strategies import Particles
from frisket.strategies.particles import draw_passing, effective, systematic
from frisket.strategies.weighted import texts
from tests.hand_model import HandModel, truth
from tests.unit.strategies.test_exact import GRAMMAR, TEXTS, trapped


def evidence(model: HandModel, strategy: Particles, runs: int, **options: object) -> tuple[float, float]:
    """Mean and standard error of the estimates of single runs."""
    found = []
    for seed in range(runs):
        try:
            one = frisket.sample(model, "", GRAMMAR, 1, strategy=strategy, seed=seed, **options)  # type: ignore[arg-type]
        except LimitExceededError:
            found.append(0.0)
        else:
            assert one.log_evidence is not None
            found.append(math.exp(one.log_evidence))
    return float(np.mean(found)), float(np.std(found)) / math.sqrt(runs)


@pytest.mark.parametrize("count", [1, 2, 16])
def test_the_evidence_is_unbiased(count: int) -> None:
    model = HandModel(TEXTS, trapped)
    mass = truth(Task(model, "", GRAMMAR)).mass
    mean, error = evidence(model, Particles(count), 1500 // count + 200)
    assert abs(mean - mass) < 3.5 * error and error < 0.1 * mass


def test_a_budget_that_cuts_counts_as_no_mass() -> None:
    model = HandModel(TEXTS, trapped)
    whole, cut = (truth(Task(model, "", GRAMMAR, max_tokens=most)).mass for most in (8, 2))
    mean, error = evidence(model, Particles(2), 1000, max_tokens=2)
    assert abs(mean - cut) < 3.5 * error < whole - cut


def test_the_weights_are_the_model_s_own_distribution() -> None:
    model = HandModel(TEXTS, trapped)
    exact = truth(Task(model, "", GRAMMAR)).texts()
    found = texts(frisket.sample(model, "", GRAMMAR, 150, strategy=Particles(16)))
    assert found.keys() == exact.keys()
    assert max(abs(found[text] - p) for text, p in exact.items()) < 0.03
    # Without the weights, it would be the distribution of masks: far away.
    masked: Counter[str] = Counter()
    for whole in truth(Task(model, "", GRAMMAR)).wholes:
        masked[whole.text] += whole.masked  # type: ignore[assignment]
    assert max(abs(masked[text] - p) for text, p in exact.items()) > 0.1


def test_plain_draws_carry_their_importance_weights() -> None:
    model = HandModel(TEXTS, trapped)
    exact = truth(Task(model, "", GRAMMAR))
    found = frisket.sample(model, "", GRAMMAR, 3000)
    assert math.exp(found.log_evidence or 0.0) == pytest.approx(exact.mass, rel=0.1)
    assert max(abs(texts(found)[text] - p) for text, p in exact.texts().items()) < 0.04
    by_tokens = {whole.tokens: whole for whole in exact.wholes}
    for one in found[:50]:
        whole = by_tokens[tuple(step.token for step in one.value.steps)]
        assert math.exp(one.log_weight) == pytest.approx(whole.probability / whole.masked, rel=1e-4)


def even(text: str, whole: bool) -> bool:
    """An opaque test: in the end, as many a as b or more."""
    return not whole or text.count("a") >= text.count("b")


def test_a_predicate_cuts_the_distribution() -> None:
    model = HandModel(TEXTS, trapped)
    exact = truth(Task(model, "", GRAMMAR))
    kept = [whole for whole in exact.wholes if even(whole.text, True)]
    mass = math.fsum(whole.probability for whole in kept)
    assert 0.2 < mass / exact.mass < 0.9
    strategy = Particles(4, where=even)
    mean, error = evidence(model, strategy, 500)
    assert abs(mean - mass) < 3.5 * error < 0.2 * abs(exact.mass - mass)
    found = texts(frisket.sample(model, "", GRAMMAR, 1000, strategy=strategy))
    wanted: dict[str, float] = {}
    for whole in kept:
        wanted[whole.text] = wanted.get(whole.text, 0.0) + whole.probability / mass
    assert found.keys() == wanted.keys()
    assert max(abs(found[text] - p) for text, p in wanted.items()) < 0.05


def test_a_predicate_sees_only_what_the_grammar_allows_and_seldom_all_of_it() -> None:
    model, asked = HandModel(TEXTS, trapped), []

    def where(text: str, whole: bool) -> bool:
        asked.append((text, whole))
        return True

    answer = frisket.generate(model, "", GRAMMAR, strategy=Particles(1, where=where))
    assert all(GRAMMAR.accepts_prefix(text) for text, _ in asked)
    # For each token: the one that is taken, and one more for the estimate.
    assert len(asked) <= 2 * 4 and (answer, True) in asked


def test_a_predicate_that_nothing_passes() -> None:
    with pytest.raises(LimitExceededError, match="no whole text"):
        frisket.generate(HandModel(TEXTS, trapped), "", GRAMMAR, strategy=Particles(3, where=lambda text, whole: False))


def test_a_critic_changes_the_target_and_guides_the_search() -> None:
    model = HandModel(TEXTS, trapped)
    exact = truth(Task(model, "", GRAMMAR))

    def critic(text: str, whole: bool) -> float:
        return math.log(3.0) * text.count("b") + (0.5 if not whole else 0.0)

    mass = math.fsum(whole.probability * 3.0 ** whole.text.count("b") for whole in exact.wholes)
    mean, error = evidence(model, Particles(4, critic=critic), 500)
    assert abs(mean - mass) < 3.5 * error < 0.25 * mass
    found = texts(frisket.sample(model, "", GRAMMAR, 150, strategy=Particles(16, critic=critic)))
    wanted: dict[str, float] = {}
    for whole in exact.wholes:
        weight = whole.probability * 3.0 ** whole.text.count("b") / mass
        wanted[whole.text] = wanted.get(whole.text, 0.0) + weight
    assert max(abs(found[text] - p) for text, p in wanted.items()) < 0.03


def test_an_index_that_passes_and_the_mass_of_all_that_do() -> None:
    probabilities = np.array([0.5, 0.2, 0.15, 0.1, 0.05])
    passing = {1, 3, 4}
    mass = probabilities[sorted(passing)].sum()
    rng, found = np.random.default_rng(0), []
    asked: Counter[int] = Counter()
    weight: Counter[int] = Counter()
    for _ in range(20_000):

        def passes(index: int) -> bool:
            asked[index] += 1
            return index in passing

        index, estimate = draw_passing(np.log(probabilities), passes, rng)
        assert index in passing and 0 <= estimate <= 1
        found.append(estimate)
        weight[index] += estimate  # type: ignore[assignment]
    assert np.mean(found) == pytest.approx(mass, abs=4 * np.std(found) / math.sqrt(20_000))
    # Properly weighted: draws and estimates together give each index its own probability.
    for index in passing:
        assert weight[index] / 20_000 == pytest.approx(probabilities[index], abs=0.01)
    assert asked.total() < 20_000 * 4
    assert draw_passing(np.log(probabilities), lambda index: False, rng) == (None, 0.0)
    assert draw_passing(np.log(probabilities), lambda index: True, rng)[1] == 1.0


def test_systematic_resampling_keeps_whole_shares() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        kept = Counter(systematic(np.log(np.array([0.5, 0.25, 0.249, 0.001])), rng))
        assert kept[0] == 2 and kept[1] == 1 and kept.total() == 4
    with np.errstate(divide="ignore"):
        assert set(systematic(np.log(np.array([0.0, 1.0, 0.0])), rng)) == {1}


def test_the_effective_number() -> None:
    assert effective(np.zeros(8)) == pytest.approx(8)
    assert effective(np.array([0.0, -math.inf, -math.inf])) == pytest.approx(1)


def test_particles_share_what_they_read() -> None:
    model = HandModel(TEXTS, trapped)
    frisket.generate(model, "", GRAMMAR, strategy=Particles(500))
    # The prompt, and each path of the grammar that is no end once at most.
    assert model.calls <= 1 + len(truth(Task(model, "", GRAMMAR)).rows)


def test_misuse() -> None:
    with pytest.raises(ValueError, match="at least 1 particle"):
        Particles(0)
    with pytest.raises(StrategyError, match="Particles"):
        frisket.generate(HandModel(TEXTS, trapped), "", GRAMMAR, strategy=Particles(2), sampler=Sampler(top_k=1))


@pytest.mark.parametrize("given", [{"on_budget": "finish"}, {"min_tokens": 1}, {"guard": frisket.Guard()}])
def test_answers_that_a_budget_may_bend_have_no_weights(given: dict[str, Any]) -> None:
    found = frisket.sample(HandModel(TEXTS, trapped), "", GRAMMAR, 20, **given)
    assert found.log_evidence is None and len({one.log_weight for one in found}) == 1
