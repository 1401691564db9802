"""Grammars that match nothing, and arguments that can mean nothing: refused, and nothing moved."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from frisket import Grammar as PublicGrammar
from frisket._core import GrammarBuilder, Limits, Vocabulary, fill_masks
from frisket.errors import EmptyGrammarError, GrammarError, TokenRejectedError


def test_a_grammar_that_matches_nothing() -> None:
    builder = GrammarBuilder()
    endless = builder.rule("endless")
    builder.define(endless, builder.seq([builder.literal(b"a"), endless]))
    with pytest.raises(EmptyGrammarError):
        builder.build(endless)


def test_a_rule_without_a_body() -> None:
    builder = GrammarBuilder()
    with pytest.raises(GrammarError):
        builder.build(builder.rule("nobody"))


@pytest.mark.parametrize("token", [-1, 257, 2**32 - 1, 2**32, -(2**70), pytest.param(10**5000, id="long")])
def test_an_integer_that_is_no_token_is_no_token_that_may_come(token: int) -> None:
    vocabulary = Vocabulary([*(bytes([value]) for value in range(256)), None], eos=[256])
    matcher = PublicGrammar.from_json_schema({"type": "integer"}).compile(vocabulary).matcher()
    assert not matcher.try_advance(token)
    assert matcher.validate([ord("4"), token, ord("2")]) == 1
    with pytest.raises(TokenRejectedError):
        matcher.advance(token)
    with pytest.raises(IndexError):
        vocabulary.token(token)
    assert matcher.steps == 0


@pytest.mark.parametrize("count", [-1, 2**64, pytest.param(10**5000, id="long")])
def test_counts_that_no_machine_has_are_misuse(count: int) -> None:
    vocabulary = Vocabulary([b"1", None], eos=[1])
    matcher = PublicGrammar.from_json_schema({"type": "integer"}).compile(vocabulary).matcher()
    bitmask = np.zeros((1, 1), np.uint32)
    calls: list[Callable[[], object]] = [
        lambda: matcher.rollback(count),
        lambda: matcher.fill_mask(bitmask, count),
        lambda: fill_masks([matcher], bitmask, [count]),
        lambda: Limits(steps=count),
        lambda: Vocabulary([b"1"], size=count),
        lambda: Vocabulary([b"1"], eos=[count]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="not between 0 and"):
            call()


@pytest.mark.parametrize("dtype", ["u4", "i4"])
def test_a_bitmask_of_the_other_byte_order_is_refused(dtype: str) -> None:
    vocabulary = Vocabulary([b"1", None], eos=[1])
    matcher = PublicGrammar.from_json_schema({"type": "integer"}).compile(vocabulary).matcher()
    native, other = ("<", ">") if sys.byteorder == "little" else (">", "<")
    matcher.fill_mask(np.zeros(1, native + dtype))
    with pytest.raises(TypeError, match="byte order"):
        matcher.fill_mask(np.zeros(1, other + dtype))


@pytest.mark.parametrize("limits", [5, "5", [], {"seconds": 1}], ids=repr)
def test_limits_that_are_none_are_misuse(limits: Any) -> None:
    constructors: list[Callable[..., object]] = [
        PublicGrammar.from_json_schema,
        PublicGrammar.from_regex,
        PublicGrammar.from_choices,
    ]
    for call in constructors:
        with pytest.raises(TypeError, match=r"[Ll]imits"):
            call("{}", limits=limits)
