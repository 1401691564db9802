"""Drafts are sought as long as they pay, whatever a network is like."""

from __future__ import annotations

import pytest

from frisket.decoding.pace import AGAIN, PAUSE, TRIAL, Pace


def run(pace: Pace, calls: int, *, drafted: int, kept: int, cost: float, asked: float = 0.0, every: int = 2) -> int:
    """So many calls, one in `every` with a draft if one is wanted, each token of which costs so many calls; how many
    calls were chances."""
    chances = 0
    for call in range(calls):
        if not pace.count():
            continue
        chances += 1
        size = drafted if call % every == 0 else 0
        pace.add(asked, 1.0 + cost * size, size)
        for _ in range(kept if size else 0):
            pace.keep()
    return chances


@pytest.mark.parametrize(
    "kind",
    [
        {"drafted": 8, "kept": 8, "cost": 0.1},
        {"drafted": 8, "kept": 1, "cost": 0.1},
        {"drafted": 1, "kept": 1, "cost": 0.9},
        {"drafted": 0, "kept": 0, "cost": 0.0, "asked": 0.005},
        {"drafted": 8, "kept": 8, "cost": 0.1, "every": 100, "asked": 0.005},
    ],
)
def test_drafts_that_pay_go_on(kind: dict[str, float]) -> None:
    assert run(Pace(), 3000, **kind) == 3000


@pytest.mark.parametrize(
    "kind",
    [
        {"drafted": 8, "kept": 1, "cost": 0.9},
        {"drafted": 8, "kept": 0, "cost": 0.1},
        {"drafted": 0, "kept": 0, "cost": 0.0, "asked": 0.05},
        {"drafted": 8, "kept": 1, "cost": 0.1, "every": 10, "asked": 0.05},
    ],
)
def test_drafts_that_do_not_pay_are_tried_now_and_then(kind: dict[str, float]) -> None:
    calls = TRIAL + 20 * (PAUSE + AGAIN + 1)
    assert TRIAL + 15 * AGAIN <= run(Pace(), calls, **kind) <= TRIAL + 30 * AGAIN


def test_who_began_to_pay_is_noticed() -> None:
    pace = Pace()
    run(pace, 1000, drafted=8, kept=0, cost=0.2)
    assert run(pace, 2000, drafted=8, kept=8, cost=0.2) > 1500


def test_a_call_that_waits_for_something_else_is_no_verdict() -> None:
    pace = Pace()
    run(pace, 200, drafted=4, kept=4, cost=0.2)
    pace.count()
    pace.add(0.0, 10_000.0, 4)
    pace.count()
    pace.add(0.0, 10_000.0, 0)
    assert run(pace, 500, drafted=4, kept=4, cost=0.2) == 500
