"""Grammars with a few characters changed: each is a grammar or a FrisketError with a place inside the text."""

from __future__ import annotations

import random

import pytest

from frisket import FrisketError, Grammar, Limits
from frisket.errors import GrammarError
from tests.spec.cases import Case, cases

RULES = [case for case in cases() if case.rules is not None]
PIECES = (
    *"\"'[](){}<>|/\\^-*+?.,;:=#%!_ \t\r\n0aZé💩",
    "::=",
    "%json {",
    "%lark {",
    "%if ",
    "::_",
    "&",
    "@",
    "(*",
    "*)",
    "/*",
    "#x",
    "%x41",
    "\\x4",
    "{2,",
    "a b",
    "\ud800",
)


def changed(text: str, rng: random.Random) -> str:
    """The text with pieces put in, left out or taken twice."""
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        end = at + rng.choice((0, 0, 1, 1, 2, 5))
        text = text[:at] + rng.choice((*PIECES, "", text[at:end] * 2)) + text[end:]
    return text


@pytest.mark.parametrize("case", RULES, ids=lambda case: case.name)
def test_a_changed_grammar_is_read_or_refused_at_a_place(case: Case) -> None:
    assert case.rules is not None
    rng = random.Random(case.name)
    notation, text = case.rules
    for _ in range(25):
        broken = changed(text, rng)
        try:
            getattr(Grammar, f"from_{notation}")(broken, **case.options, limits=Limits(steps=10**6))
        except GrammarError as error:
            line, column = map(int, (error.where or "").split(":"))
            lines = broken.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            assert 1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 2, (broken, str(error))
            assert error.message == error.message.strip()
        except FrisketError as error:
            assert error.code == "limit", broken
