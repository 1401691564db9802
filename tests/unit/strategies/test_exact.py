"""Exact draws, on models whose distribution is written by hand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import frisket
from frisket import Grammar, Sampler
from frisket.decoding.task import Task
from frisket.errors import LimitExceededError, StrategyError
from frisket.strategies import Exact
from frisket.strategies.cone import Cone
from frisket.strategies.cursor import Cursor
from frisket.strategies.exact import Tree
from tests.hand_model import GoingBack, HandModel, truth

#: a, b, ab, end: what the grammar forbids after "a" is what the model wants there.
TEXTS = [b"a", b"b", b"ab"]
GRAMMAR = Grammar.from_regex("a(a|bb)|b[ab]{1,2}")


def trapped(ids: tuple[int, ...]) -> Sequence[float]:
    """It likes to begin with a, and then wants to end, which the grammar does not let it."""
    if not ids:
        return [0.8, 0.15, 0.05, 0.0]
    if ids == (0,):
        return [0.01, 0.04, 0.05, 0.9]
    return [0.3, 0.2, 0.1, 0.4]


def statistic(drawn: Counter[tuple[int, ...]], expected: dict[tuple[int, ...], float]) -> float:
    """The z-score of Pearson's statistic, by the cube root of Wilson and Hilferty 1931."""
    count = drawn.total()
    assert drawn.keys() <= expected.keys()
    chi = sum((drawn[key] - count * p) ** 2 / (count * p) for key, p in expected.items())
    free = len(expected) - 1
    return ((chi / free) ** (1 / 3) - (1 - 2 / (9 * free))) / math.sqrt(2 / (9 * free))


def drawn(
    model: HandModel, grammar: Grammar, count: int, strategy: frisket.strategies.Exact, **options: object
) -> Counter:
    found = frisket.sample(model, "", grammar, count, strategy=strategy, **options)  # type: ignore[arg-type]
    return Counter(tuple(step.token for step in one.value.steps) for one in found)


def test_draws_follow_the_model_given_the_grammar() -> None:
    model = HandModel(TEXTS, trapped)
    exact = truth(Task(model, "", GRAMMAR))
    expected = {whole.tokens: whole.probability / exact.mass for whole in exact.wholes}
    masked = {whole.tokens: whole.masked for whole in exact.wholes}
    assert len(expected) == 10 and math.fsum(masked.values()) == pytest.approx(1)
    found = drawn(model, GRAMMAR, 4000, Exact(), seed=1)
    assert statistic(found, expected) < 3.1
    # The test can fail: the distribution of masks is another one.
    assert statistic(found, masked) > 10


def test_the_first_draw_is_exact_already() -> None:
    """What a draw learns may not count within it: a tree for each draw shows if it does."""
    model = HandModel(TEXTS, trapped)
    exact = truth(Task(model, "", GRAMMAR))
    expected = {whole.tokens: whole.probability / exact.mass for whole in exact.wholes}
    found: Counter[tuple[int, ...]] = Counter()
    for seed in range(2000):
        found += drawn(model, GRAMMAR, 1, Exact(), seed=seed)
    assert statistic(found, expected) < 3.1
    asap: Counter[tuple[int, ...]] = Counter()
    for seed in range(2000):
        asap += drawn(model, GRAMMAR, 1, Exact(method="asap"), seed=seed)
    assert statistic(asap, expected) > 10


def test_asap_comes_to_the_same_distribution() -> None:
    model = HandModel(TEXTS, trapped)
    exact = truth(Task(model, "", GRAMMAR))
    expected = {whole.tokens: whole.probability / exact.mass for whole in exact.wholes}
    found = frisket.sample(model, "", GRAMMAR, 6000, strategy=Exact(method="asap"))
    late = Counter(tuple(step.token for step in one.value.steps) for one in found[2000:])
    assert statistic(late, expected) < 3.1


def test_a_draw_beyond_the_budget_is_thrown_away() -> None:
    model, grammar = HandModel(TEXTS, trapped), Grammar.from_regex("[ab]*")
    exact = truth(Task(model, "", grammar, max_tokens=2))
    expected = {whole.tokens: whole.probability / exact.mass for whole in exact.wholes}
    # Free text: all that is thrown away is too long.
    assert exact.mass < 0.9 and max(map(len, expected)) == 3
    assert statistic(drawn(model, grammar, 4000, Exact(), max_tokens=2), expected) < 3.1


def test_temperature_and_penalty_change_what_is_drawn_from() -> None:
    sampler = Sampler(temperature=0.5)
    cold = HandModel(TEXTS, lambda ids: np.square(trapped(ids)).tolist())
    exact = truth(Task(cold, "", GRAMMAR))
    expected = {whole.tokens: whole.probability / exact.mass for whole in exact.wholes}
    found = drawn(HandModel(TEXTS, trapped), GRAMMAR, 3000, Exact(), sampler=sampler)
    assert statistic(found, {**expected}) < 3.1


@pytest.mark.parametrize("sampler", [Sampler(top_k=2), Sampler(top_p=0.9), Sampler(min_p=0.1), frisket.Sampler.GREEDY])
def test_samplers_that_cut_are_refused(sampler: Sampler) -> None:
    with pytest.raises(StrategyError, match="whole distribution") as caught:
        frisket.generate(HandModel(TEXTS, trapped), "", GRAMMAR, strategy=Exact(), sampler=sampler)
    assert (caught.value.code, caught.value.where) == ("strategy", "sampler")
    assert caught.value.hint


def test_stop_strings_are_refused() -> None:
    with pytest.raises(StrategyError, match="stop string"):
        frisket.generate(HandModel(TEXTS, trapped), "", GRAMMAR, strategy=Exact(), stop=["b"])


def test_a_grammar_without_probability() -> None:
    never = HandModel(TEXTS, lambda ids: [0.0, 0.0, 0.0, 1.0] if ids else [1.0, 0.0, 0.0, 0.0])
    with pytest.raises(LimitExceededError, match="no whole text"):
        frisket.generate(never, "", GRAMMAR, strategy=Exact())
    seldom = HandModel(TEXTS, lambda ids: [1e-6, 0.0, 0.0, 1.0] if ids else [1.0, 0.0, 0.0, 0.0])
    with pytest.raises(LimitExceededError, match="3 draws in a row"):
        frisket.generate(seldom, "", Grammar.from_regex("a{9}"), strategy=Exact(attempts=3))


def test_the_steps_are_those_of_the_loop() -> None:
    model = HandModel(TEXTS, trapped)
    found = frisket.sample(model, "", GRAMMAR, 200, strategy=Exact())
    by_tokens = {tuple(one.value.tokens): one.value for one in found}
    # Without a strategy, the loop makes each of these answers for some seed.
    for seed in range(40):
        plain = frisket.stream(model, "", GRAMMAR, sampler=Sampler(), seed=seed).generation()
        exact = by_tokens.get(tuple(plain.tokens))
        if exact is None:
            continue
        assert (exact.text, exact.finish_reason) == (plain.text, plain.finish_reason)
        for ours, theirs in zip(exact.steps, plain.steps, strict=True):
            assert (ours.token, ours.text, ours.data, ours.allowed, ours.ends) == (
                theirs.token, theirs.text, theirs.data, theirs.allowed, theirs.ends
            )  # fmt: skip
            assert (ours.favourite, ours.overruled) == (theirs.favourite, theirs.overruled)
            assert ours.logprob == pytest.approx(theirs.logprob, abs=1e-5)
            assert ours.log_feasible == pytest.approx(theirs.log_feasible, abs=1e-5)


def test_known_paths_cost_no_call_of_the_network() -> None:
    model = HandModel(TEXTS, trapped)
    frisket.sample(model, "", GRAMMAR, 3000, strategy=Exact())
    first = model.calls
    frisket.sample(model, "", GRAMMAR, 6000, strategy=Exact())
    assert model.calls - first < 1.5 * first
    plain = truth(Task(model, "", GRAMMAR))
    assert first < 3000 * plain.reads / plain.mass / 2


def test_a_session_that_goes_back_reads_less() -> None:
    calls = []
    for session in (None, GoingBack):
        model = HandModel(TEXTS, trapped)
        if session is not None:
            model.start = lambda ids, model=model, session=session: session(model, tuple(ids[1:]))  # type: ignore[method-assign, misc]
        found = drawn(model, GRAMMAR, 100, Exact(), seed=3)
        calls.append((model.calls, found))
    assert calls[0][1] == calls[1][1]
    assert calls[1][0] < calls[0][0]


def test_what_is_left_of_a_cone() -> None:
    model = HandModel(TEXTS, trapped)
    task = replace(Task(model, "", GRAMMAR), sampler=Sampler())
    tree = Tree(task, task.beginning, Cursor(task, task.beginning, Sampler()), masked=False)
    assert tree.root.left == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    before = tree.root.left
    for _ in range(500):
        tree.attempt(rng)
        assert tree.root.left <= before
        before = tree.root.left
    # By now all that is forbidden is known, and what is left is the mass of the grammar.
    assert before == pytest.approx(truth(task).mass, rel=1e-6)


def test_memory_goes_with_what_was_drawn() -> None:
    many = HandModel([b"a", *(b"z%d" % number for number in range(5000))], lambda ids: [1.0, *[1e-5] * 5000, 1.0])
    task = Task(many, "", Grammar.from_regex("a{1,3}"))
    tree = Tree(task, task.beginning, Cursor(task, task.beginning, Sampler()), masked=False)
    rng = np.random.default_rng(0)
    for _ in range(100):
        tree.attempt(rng)
    cones = [tree.root]
    for cone in cones:
        cones += cone.children.values()
    assert len(cones) < 10 and isinstance(cones[0], Cone)


def test_misuse() -> None:
    with pytest.raises(ValueError, match="cars or asap"):
        Exact(method="rejection")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="attempts"):
        Exact(attempts=0)
    with pytest.raises(ValueError, match="at least 1 run"):
        frisket.sample(HandModel(TEXTS, trapped), "", GRAMMAR, 0, strategy=Exact())


def test_one_seed_is_one_answer() -> None:
    model = HandModel(TEXTS, trapped)
    once = [frisket.generate(model, "", GRAMMAR, strategy=Exact(), seed=seed) for seed in range(20)]
    assert once == [frisket.generate(model, "", GRAMMAR, strategy=Exact(), seed=seed) for seed in range(20)]
    assert len(set(once)) > 3
