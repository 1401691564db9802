"""Answers within budgets: what each arm gives, and a quick run."""

from __future__ import annotations

import sys

import pytest

from experiments.budget import __main__ as budget
from experiments.budget.report import Key, Score, difference, judged
from experiments.system import System


def test_arms_differ_where_tokens_are_short() -> None:
    system = System("orders")
    case = system.heldout(1)[0]
    scores = {arm: budget.answer(system, case, arm, 0.7, 0.0, 0) for arm in budget.ARMS}
    assert scores["cut"] == Score(0.0, valid=False)
    assert scores["finish"].valid and scores["finish"].f1 > 0
    assert scores["cut, read so far"].f1 > 0 and not scores["cut, read so far"].valid
    assert {arm: budget.answer(system, case, arm, 1.2, 0.0, 0).valid for arm in budget.ARMS} == dict.fromkeys(
        budget.ARMS, True
    )
    assert budget.answer(system, case, "finish", 0.02, 0.0, 0).impossible


def test_the_right_answer_takes_as_many_tokens_as_its_budget_says() -> None:
    """So 1.0 is enough: a tokenizer that spelled otherwise would make every share wrong."""
    system = System("tutor")
    case = system.heldout(1)[0]
    assert budget.answer(system, case, "finish", 1.0, 0.0, 0).f1 == 1.0
    assert budget.answer(system, case, "cut", 0.99, 0.0, 0).f1 in (0.0, 1.0)


def test_differences_are_those_of_pairs() -> None:
    found = {
        Key("a", 0.0, 0.6, "finish"): [Score(0.5, True), Score(0.7, True)],
        Key("a", 0.0, 0.6, "cut"): [Score(0.4, False), Score(0.6, False)],
    }
    mean, low, high = difference(found, "finish", "cut", (0.6,))
    assert mean == pytest.approx(0.1) and low == pytest.approx(0.1) and high == pytest.approx(0.1)


def test_a_quick_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["budget", "--quick"])
    budget.main()
    out = capsys.readouterr().out
    assert "valid wherever a document takes so few tokens | 24 of 24 | yes" in out


def test_an_answer_that_is_not_valid_breaks_the_claim() -> None:
    arms = [Key("a", t, share, arm) for t in (0.0, 1.0) for share in (0.6, 1.2) for arm in budget.ARMS]
    found = {key: [Score(0.5, False)] for key in arms}
    assert not judged(found)[0][2]
