"""benchmarks.room and benchmarks.pressure run and print what their pages hold; no test asserts a time."""

from __future__ import annotations

import pytest

import frisket
from benchmarks import pressure, room
from tests.data import data_dir


def test_without_measuring_the_loop_says_the_same_and_knows_nothing_of_it() -> None:
    model, schema = frisket.models.embedded(), frisket.examples.load("tutor")
    usual = frisket.stream(model, "She wrote a book", schema).generation()
    with pressure.unmeasured():
        bare = frisket.stream(model, "She wrote a book", schema).generation()
    assert bare.tokens == usual.tokens
    assert {step.log_feasible for step in bare.steps} == {0.0} != {step.log_feasible for step in usual.steps}
    assert not any(step.path for step in bare.steps) and any(step.path for step in usual.steps)


def test_budgets_are_timed_and_limits_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    data_dir()
    assert room.main(["--schemas", "1"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("mask ", "can_finish ", "near ", "least "))
