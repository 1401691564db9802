"""Tokens that are left × an answer → the end of thoughts, without an engine."""

from __future__ import annotations

import pytest

from frisket import CompiledGrammar, Grammar, Vocabulary
from frisket.engines.room import RESERVE, SWITCH, Thoughts, check, is_on, read_reserve
from frisket.errors import BudgetError, EngineError
from frisket.least import median_tokens

#: "a" and "b", two parts of an end of thinking, and the end of the text.
WORDS = Vocabulary.from_bytes([b"a", b"b", b"</", b"think>", None], eos=[4])
END = [2, 3]


@pytest.fixture
def answer() -> CompiledGrammar:
    return Grammar.from_regex("a{3}b*").compile(WORDS)


def test_thoughts_are_free_while_their_end_and_the_answer_fit(answer: CompiledGrammar) -> None:
    thoughts = Thoughts(END, answer, reserve=5)
    assert thoughts.needed == 2 + 3 + 1 + 5
    assert [thoughts.token([0, 1], left) for left in (100, 12, 11, 7, 1)] == [None, None, 2, 2, 2]


def test_the_end_goes_on_where_it_has_begun(answer: CompiledGrammar) -> None:
    thoughts = Thoughts(END, answer, reserve=0)
    assert [thoughts.token(before, 3) for before in ([], [2], [0, 2], [2, 2], [2, 0])] == [2, 3, 3, 3, 2]
    repeated = Thoughts([2, 2, 3], answer, reserve=0)
    assert [repeated.token(before, 3) for before in ([2], [2, 2], [2, 2, 2])] == [2, 3, 3]


def test_without_a_number_the_reserve_is_what_a_median_answer_takes(answer: CompiledGrammar) -> None:
    assert Thoughts(END, answer).needed == 2 + 1 + median_tokens(3)


def test_a_median_answer_takes_no_fewer_tokens_than_the_shortest() -> None:
    kept = [median_tokens(least) for least in range(500)]
    assert kept == sorted(kept) and all(number >= least for least, number in enumerate(kept))


def test_a_budget_is_checked_with_the_end_of_the_thoughts(answer: CompiledGrammar) -> None:
    check(answer, 4)
    check(answer, 6, END)
    with pytest.raises(
        BudgetError, match=r"max_new_tokens leaves 5 tokens .* takes 6 with its end and that of the"
    ) as caught:
        check(answer, 5, END, "max_new_tokens")
    assert caught.value.least == 6


def test_the_environment_says_the_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RESERVE, raising=False)
    monkeypatch.delenv(SWITCH, raising=False)
    assert read_reserve() is None and is_on()
    monkeypatch.setenv(RESERVE, "120")
    monkeypatch.setenv(SWITCH, "0")
    assert read_reserve() == 120 and not is_on()
    for wrong in ("-1", "many", "1.5"):
        monkeypatch.setenv(RESERVE, wrong)
        with pytest.raises(EngineError, match="FRISKET_RESERVE is a number of tokens"):
            read_reserve()
