"""The quick cases, as tests: every hostile input ends in a result or in an error that frisket raises on purpose."""

from __future__ import annotations

import pytest

from .case import Case
from .every import CASES
from .measure import outcome_of


def test_no_two_cases_have_one_title() -> None:
    titles = [case.title for case in CASES]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.title) for case in CASES if case.is_quick])
def test_a_hostile_input_ends_in_a_result_or_a_typed_error(case: Case) -> None:
    outcome = outcome_of(case.prepare())
    assert not outcome.startswith("!"), outcome
