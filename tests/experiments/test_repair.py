"""Masks against repairs: the arms share their noise, and the statistics of the tail."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from experiments.repair import __main__ as repair
from experiments.repair.report import judged, page
from experiments.repair.tail import change
from experiments.system import NAMES, OUTCOMES, System, field_f1


def test_a_percentile_moves_only_where_enough_answers_are_repaired() -> None:
    few = change([10.0] * 97 + [20.0] * 3, [10.0] * 100, share=95)
    many = change([10.0] * 90 + [20.0] * 10, [10.0] * 100, share=95)
    assert few.value == 0 and many.value == -0.5 and many.low == -0.5
    assert change([10.0] * 90 + [20.0] * 10, [10.0] * 100, share=None).value == pytest.approx(-1 / 11)


def test_arms_share_their_noise() -> None:
    system, same = System("tutor"), 0
    for pair in repair.pairs(system, system.heldout(12), 1.0):
        if pair.free not in OUTCOMES[:2]:
            assert pair.repaired.attempts == 1 and pair.repaired.tokens == pair.first
            same += pair.masked.outcome == pair.free and pair.masked.tokens == pair.first
        assert pair.masked.outcome not in OUTCOMES[:2]
    assert same >= 9


def test_a_valid_draw_is_what_the_mask_leaves() -> None:
    """What `failures` does not decode twice."""
    system = System("orders")
    for number, case in enumerate(system.drawn(8, seed=1)):
        text, _ = repair.attempt(system, case, 1.0, (1, number))
        if system.grammar.accepts(text):
            assert repair.mask(system, case, 1.0, (1, number)).outcome == system.outcome(text, case.answer)


def test_failures_are_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    system = System("tutor")
    case = system.heldout(1)[0]
    answers = iter([("{", 1), ('{"verb": "be"}', 9), ("", 0)])
    monkeypatch.setattr(repair, "attempt", lambda *_: next(answers))
    outcome, first, answer = repair.repair(system, case, 1.0, (0,))
    assert (outcome, first, answer.outcome, answer.tokens, answer.attempts) == (OUTCOMES[0], 1, OUTCOMES[0], 10, 3)


def test_held_out_inputs_are_those_of_the_evaluation() -> None:
    for name in NAMES:
        system = System(name)
        assert system.drawn(3, seed=2) == system.heldout(3)
        assert system.outcome("{}", {}) == OUTCOMES[1] and system.outcome("{", {}) == OUTCOMES[0]


def test_fields_are_compared_by_path() -> None:
    wanted = {"items": [{"item": "latte", "quantity": 2}, {"item": "bagel", "quantity": 1}]}
    assert field_f1(wanted, wanted) == 1.0 and field_f1(wanted, None) == 0.0
    assert field_f1(wanted, {"items": wanted["items"][:1]}) == pytest.approx(2 * 2 / (4 + 2))
    assert field_f1(wanted, {"items": wanted["items"][::-1]}) == 0.0


def test_a_quick_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["repair", "--quick"])
    before = (Path(repair.__file__).parent / "results.md").stat() if _has_page() else None
    repair.main()
    assert "## The tail" in capsys.readouterr().out
    assert before is None or (Path(repair.__file__).parent / "results.md").stat().st_mtime == before.st_mtime


def _has_page() -> bool:
    return (Path(repair.__file__).parent / "results.md").exists()


def test_the_page_says_what_does_not_hold() -> None:
    cases = System("tutor").heldout(4)
    sweep = {("tutor", 0.0): repair.pairs(System("tutor"), cases, 0.0)}
    many = repair.failures(3)
    claims = judged(many, sweep)
    assert "**no**" in page(many, sweep, claims, "ran.", 1)
