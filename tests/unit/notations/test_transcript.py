"""Rules in one notation → the same in GBNF and EBNF: every spec case that they can say, and what they cannot."""

from __future__ import annotations

import contextlib

import pytest

from frisket import Grammar
from frisket.errors import GrammarError
from tests.spec.cases import Case, cases

CASES = [case for case in cases() if case.rules is not None and case.refused is None]


def made(case: Case) -> Grammar:
    assert case.rules is not None
    grammar: Grammar = getattr(Grammar, f"from_{case.rules[0]}")(case.rules[1], **case.options)
    return grammar


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_the_texts_stay(case: Case) -> None:
    grammar = made(case)
    for write, read in ((Grammar.to_gbnf, Grammar.from_gbnf), (Grammar.to_ebnf, Grammar.from_ebnf)):
        try:
            again = read(write(grammar))
        except GrammarError as error:
            assert "cannot say" in error.message, error
            continue
        assert [again.accepts(text) for text in (*case.accepts, *case.rejects)] == [
            *(True for _ in case.accepts),
            *(False for _ in case.rejects),
        ], write(grammar)


def test_most_cases_can_be_said() -> None:
    said = 0
    for case in CASES:
        with contextlib.suppress(GrammarError):
            said += bool(made(case).to_gbnf())
    assert said >= 120


def test_what_cannot_be_said_names_the_rule() -> None:
    with pytest.raises(GrammarError, match="GBNF cannot say an exception") as caught:
        Grammar.from_ebnf("a ::= b  b ::= [a-z]+ - 'x'").to_gbnf()
    assert caught.value.where == "rule b"
    with pytest.raises(GrammarError, match="EBNF cannot say a special token"):
        Grammar.from_gbnf("root ::= <|x|>").to_ebnf()
    with pytest.raises(GrammarError, match="GBNF cannot say an assertion"):
        Grammar.from_lark("start: /a(?!b)[a-c]/").to_gbnf()
    with pytest.raises(GrammarError, match="cannot say bytes"):
        Grammar.from_abnf("a = %xE9", values="bytes").to_gbnf()
    with pytest.raises(GrammarError, match="EBNF cannot say more than 1,000 rounds"):
        Grammar.from_gbnf('root ::= "a"{2000}').to_ebnf()
    with pytest.raises(GrammarError, match="only rules"):
        Grammar.from_regex("a").to_gbnf()


def test_names_stay_apart() -> None:
    text = Grammar.from_lark('start: a_b a-b A_B\na_b: "1"\na-b: "2"\nA_B: "3"').to_gbnf()
    assert Grammar.from_gbnf(text).accepts("123")
    assert [line.split()[0] for line in text.splitlines()] == ["root", "A-B", "a-b", "a-b-2"]
