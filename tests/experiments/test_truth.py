"""Pairs of answers: what is counted, and a quick run."""

from __future__ import annotations

import sys

import pytest

from experiments.system import OUTCOMES, System
from experiments.truth import __main__ as truth
from experiments.truth.report import Pair, judged, page

UNPARSED, _, WRONG, RIGHT = OUTCOMES


def test_the_claims_count_pairs() -> None:
    pairs = [Pair(WRONG, WRONG, True)] * 10 + [Pair(RIGHT, RIGHT, True)] * 80 + [Pair(UNPARSED, WRONG, False)] * 10
    assert [holds for _, _, holds in judged({("a", 1.0): pairs}, [Pair(RIGHT, RIGHT, True)])] == [True] * 5
    pairs = [Pair(WRONG, RIGHT, False)] * 10 + [Pair(RIGHT, UNPARSED, False)] * 5 + [Pair(UNPARSED, RIGHT, False)] * 9
    assert [holds for _, _, holds in judged({("a", 1.0): pairs}, [Pair(RIGHT, UNPARSED, False)])] == [False] * 5


def test_every_combination_has_a_sentence_of_its_own() -> None:
    system = System("tutor")
    chosen = list(truth.sentences(system, 300))
    cases = [case for case, _ in chosen]
    assert 150 < sum(is_heldout for _, is_heldout in chosen) < 300
    assert len({tuple(case.answer.values()) for case in cases}) == len({case.input for case in cases}) == 300
    assert all(system.outcome("{}", case.answer) == OUTCOMES[1] for case in cases[:1])


def test_valid_draws_stay_what_they_are() -> None:
    system = System("tutor")
    pairs = [truth.pair(system, case, 1.0, (5, number)) for number, case in enumerate(system.heldout(10))]
    assert all(pair.same for pair in pairs if not pair.failed) and all(pair.masked in OUTCOMES[2:] for pair in pairs)


def test_a_quick_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["truth", "--quick"])
    truth.main()
    assert "12 of 12" in capsys.readouterr().out


def test_the_page_says_what_does_not_hold() -> None:
    found = {("a", 1.0): [Pair(RIGHT, UNPARSED, False)]}
    assert "**no**" in page(found, [], 0, judged(found, []), "ran.", 1)
