"""Verdicts of the experiments, on answers whose differences are known."""

from __future__ import annotations

import random

import pytest

from experiments.discriminator import report as discriminator
from experiments.discriminator import run as discriminator_run
from experiments.greedy import report as greedy
from experiments.greedy.level import FORMS, SYSTEMS, WORKED
from experiments.greedy.level import Answer as Pressed
from experiments.greedy.trap import SIZES, Trapped
from experiments.index import _cells
from experiments.order import report as order
from experiments.order import run as order_run
from experiments.page import findings
from experiments.thought import report as thought
from experiments.thought import run as thought_run


def shares(rows: list[tuple[str, str, bool]]) -> list[bool]:
    return [same for _, _, same in rows]


def orders(own: float, late: float, forced: float, lifted: float) -> list[order_run.Run]:
    """Runs of which such shares are right: in the own order, both kinds of model, and in the other."""
    rng, rate = random.Random(0), dict(zip(order.ARMS, (own, late, forced, lifted), strict=True))
    runs = []
    for trained in order_run.ORDERS:
        for seed in (0, 1, 2):
            found = [
                order_run.Answer(
                    trained, masked, seed, n, place, drawn, rng.random() < rate[trained, masked], True, 0.5
                )
                for masked in order_run.ORDERS
                for drawn in (False, True)
                for n in (1, 2, 3)
                for place in range(60)
            ]
            runs.append(order_run.Run(trained, seed, 1, 1.0, 0.1, tuple(found)))
    return runs


def test_order_is_reproduced_where_the_reason_helps_and_else_not() -> None:
    assert shares(order.judged(orders(0.9, 0.5, 0.2, 0.2))) == [True, True, True]
    assert shares(order.judged(orders(0.7, 0.7, 0.7, 0.7))) == [False, False, False]
    assert shares(order.judged(orders(0.5, 0.5, 0.2, 0.9))) == [False, True, False]
    (text, figure, _), *_ = order.judged(orders(1.0, 0.0, 0.0, 0.0))
    assert "0.804" in text and "+100.0 points" in figure
    page = order.page(orders(0.9, 0.5, 0.2, 0.2), [], "ran")
    assert page.count("| trained ") >= 4


def test_arms_are_paired_or_the_comparison_fails() -> None:
    left = order.answers(orders(1, 0, 0, 0), order.ARMS[0])
    with pytest.raises(AssertionError, match="not paired"):
        order.compared(left, left[::-1])


def test_thought_compares_arms_over_the_same_sums() -> None:
    rng = random.Random(1)
    rate = dict.fromkeys(thought_run.ARMS, 0.3) | {"draft": 0.8, "CRANE": 0.8, "free": 0.8, "reason first": 0.8}
    answers = [
        thought_run.Answer(arm, 0, products, place, drawn, rng.random() < rate[arm], 10, None if drawn else 1.0)
        for arm in rate
        for products in (2, 3)
        for drawn in (False, True)
        for place in range(150)
    ]
    runs = [thought_run.Run(0, 1, 1.0, 0.1, tuple(answers))]
    assert shares(thought.judged(runs)) == [True, True, True, False, True, False]
    assert set(thought.ABOUT) == set(thought_run.ARMS)
    assert "draft − direct" in thought.page(runs, [], "ran")


@pytest.mark.parametrize(("first", "last", "same"), [(0.9, 0.5, True), (0.8, 0.8, False), (0.5, 0.9, False)])
def test_the_discriminator_is_judged_by_what_comes_first(first: float, last: float, same: bool) -> None:
    rng, rate = random.Random(2), {"first": first, "last": last}
    answers = [
        discriminator_run.Answer(
            model, seed, place, shown, shown and place % 2 == 0, drawn, side, rng.random() < rate[side], True
        )
        for model in ("trained", "embedded")
        for seed in (0, 1)
        for shown in (False, True)
        for drawn in (False, True)
        for side in rate
        for place in range(100)
    ]
    runs = [discriminator_run.Run("trained, seed 0", 1, 1.0, 0.1, tuple(answers))]
    assert shares(discriminator.judged(runs)) == [same] * 3
    assert "… where the wish needs it" in discriminator.page(runs, [], "ran")


def test_pressure_is_judged_by_its_area() -> None:
    rng = random.Random(3)

    def answers(systems: tuple[str, ...], forms: tuple[str, ...], told: bool) -> list[Pressed]:
        found = []
        for system in systems:
            for form in forms:
                for place in range(60):
                    right = rng.random() < (0.95 if form in ("own", greedy.GREEDY) else 0.5)
                    nats = rng.random() + 2 * (told and not right)
                    found.append(Pressed(system, form, place, right, nats, nats, 0.0, right, right, True, 0.0))
        return found

    traps = [
        Trapped(str(size), size, 0.5, 0.1 if size < 8 and seed % 2 else 0.5, 0.5, 0.5, 1.0)
        for size in SIZES
        for seed in range(60)
    ]
    for told in (False, True):
        forms = answers(tuple(SYSTEMS), tuple(FORMS), told)
        figures = greedy.Figures(traps, traps[:1], forms, answers(WORKED, (greedy.GREEDY, greedy.DRAWN), told))
        assert shares(greedy.judged(figures)) == [True, told, told, told, True, False, False]
    assert "| 2 | 0.500 |" in greedy.page(figures, [], "ran")


def test_findings_are_rows_that_the_index_can_read() -> None:
    rows = findings([("a claim", "+1.0 points", True), ("another", "+0.1 points", False)]).splitlines()
    assert _cells(rows[0]) == ["claim", "here", "verdict"]
    assert _cells(rows[2]) == ["a claim", "+1.0 points", "reproduced"]
    assert _cells(rows[3])[-1] == "**not reproduced**"
