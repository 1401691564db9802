"""The engine's masks = the reference's masks, bit for bit, on random grammars, vocabularies and prefixes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from frisket._core import CompiledGrammar
from frisket.errors import EmptyGrammarError, VocabularyError
from frisket.reference import LogitMask, Symbol
from tests.property.random_cases import Case, case

STEPS = 8


def compare(compiled: CompiledGrammar, expected: LogitMask, rng: random.Random, what: object) -> int:
    """Walk under the masks, at each position comparing both; how many positions were compared."""
    size = compiled.vocabulary.size
    matcher = compiled.matcher()
    bitmask = np.zeros(compiled.vocabulary.mask_words, dtype=np.uint32)
    names = {token_id: name for name, token_id in expected.special.items()}
    text: tuple[Symbol, ...] = ()
    for step in range(STEPS):
        try:
            matcher.fill_mask(bitmask)
        except VocabularyError:
            assert not expected.mask(text).any(), f"{what}\nafter {text!r}: there are tokens"
            return step + 1
        bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")
        ours, theirs = np.flatnonzero(bits), np.flatnonzero(expected.mask(text))
        if ours.tolist() != theirs.tolist():
            extra, missing = sorted({*ours.tolist()} - {*theirs}), sorted({*theirs.tolist()} - {*ours})
            tokens = {int(token): expected.tokens[token] for token in (*extra, *missing) if token < size}
            pytest.fail(f"{what}\nafter {text!r}: allowed wrongly {extra}, forbidden wrongly {missing}: {tokens}")
        assert matcher.can_end == expected.can_end(text), f"{what}\nafter {text!r}: can_end is {matcher.can_end}"
        follows = [int(token) for token in theirs if token not in expected.eos]
        if not follows:
            return step + 1
        token_id = rng.choice(follows)
        matcher.advance(token_id)
        text += (names[token_id],) if token_id in names else tuple(expected.tokens[token_id] or b"")
    return STEPS


def check(random_case: Case, seed: int) -> int:
    """One random case, several walks."""
    expected = random_case.reference()
    try:
        grammar = random_case.engine()
    except EmptyGrammarError:
        assert not expected.can_begin(b""), f"{random_case}\nis not empty"
        return 1
    assert expected.can_begin(b""), f"{random_case}\nis empty"
    try:
        compiled = grammar.compile(random_case.vocabulary())
    except VocabularyError:
        assert not expected.mask(b"").any(), f"{random_case}\ncan be spelled"
        return 1
    return sum(compare(compiled, expected, random.Random(seed + walk), random_case) for walk in range(3))


@pytest.mark.parametrize("block", range(20))
@pytest.mark.parametrize("kind", ["regular", "rules", "json"])
def test_random_nodes(kind: str, block: int) -> None:
    """60 blocks of 20 cases of several positions each: some 15,000 masks."""
    positions = sum(check(case(seed, kind), seed) for seed in range(20 * block, 20 * block + 20))
    assert positions >= 60, "the cases have become too small to say anything"
