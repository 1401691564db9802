"""Pressure: sums over steps that add up."""

from __future__ import annotations

import math

import pytest

from frisket.pressure.heat import level
from frisket.reports import Pressure


def test_sums_by_hand() -> None:
    steps = [
        Pressure.of(math.log(0.5)),
        Pressure.of(math.log(0.25), overruled=True),
        Pressure.of(0.0, forced=True),
        Pressure.of(None, forced=True),
    ]
    total = sum(steps, Pressure())
    assert (total.steps, total.unknown, total.known, total.overruled, total.forced) == (4, 1, 3, 1, 2)
    assert total.nats == pytest.approx(math.log(8)) and total.weight == pytest.approx(1 / 8)
    assert total.nats_per_step == pytest.approx(math.log(2))
    assert (total.overruled_share, total.forced_share) == (1 / 3, 1 / 2)


def test_what_is_unknown_is_not_one() -> None:
    unknown = Pressure.of(None, forced=True)
    assert (unknown.known, unknown.unknown, unknown.nats) == (0, 1, 0.0)
    assert level(unknown) is None and level(Pressure.of(0.0)) == 0
    assert (unknown.nats_per_step, unknown.overruled_share) == (0.0, 0.0)


def test_nothing() -> None:
    assert Pressure().as_dict() == {
        "steps": 0, "unknown": 0, "overruled": 0, "forced": 0, "nats": 0.0, "weight": 1.0,
        "overruled_share": 0.0, "forced_share": 0.0,
    }  # fmt: skip
    assert Pressure.of(-1e6).weight == 0.0 and Pressure.of(-1e6).nats == 1e6


def test_levels() -> None:
    alphas = (1.0, 0.95, 0.6, 0.2, 0.05, 0.001, 1e-9)
    assert [level(Pressure.of(math.log(alpha))) for alpha in alphas] == [0, 0, 1, 2, 3, 4, 5]
