"""Combinations of parts: the engine's masks are the reference's, and the parse of captures reads the same texts."""

from __future__ import annotations

import random
from itertools import product

import pytest

from frisket import Grammar, Vocabulary
from frisket.errors import EmptyGrammarError, VocabularyError
from frisket.limit import Meter
from frisket.notations.combination.capture import spans
from frisket.outline import Reader
from frisket.reference import GeneralMask
from frisket.token_name import token_names
from tests import combination
from tests.property.test_masks_equal_reference import compare

TOKENS: list[bytes | None] = [
    *(letter.encode() for letter in combination.LETTERS),
    *(b"\xc3", b"\xa9", b"ab", b"b<", b"<a", b"<<", b"aa", b"bab", b"ab<", b"a\xc3", b"\xa9b", b"<ab<", b"x"),
]
SPECIAL = {name: len(TOKENS) + place for place, name in enumerate(combination.SPECIALS)}
EOS = len(TOKENS) + len(SPECIAL)
VOCABULARY = Vocabulary.from_bytes([*TOKENS, *[None] * (len(SPECIAL) + 1)], special=SPECIAL, eos=[EOS])


@pytest.mark.parametrize("seed", [*range(25), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(25, 60))])
def test_masks(seed: int) -> None:
    rng = random.Random(seed)
    grammar = combination.random_grammar(rng, 2)
    node = combination.to_reference(grammar._part)
    tokens = [*TOKENS, *[None] * (len(SPECIAL) + 1)]
    expected = GeneralMask(node, tokens, eos=[EOS], special=SPECIAL)
    try:
        compiled = grammar.compile(VOCABULARY)
    except EmptyGrammarError:
        assert not expected.can_begin(b""), grammar
        return
    except VocabularyError:
        assert not expected.mask().any(), grammar
        return
    for _ in range(2):
        compare(compiled, expected, rng, grammar)


@pytest.mark.parametrize("seed", range(150))
def test_the_parse_of_captures_reads_the_same_texts(seed: int) -> None:
    rng = random.Random(1_000 + seed)
    grammar = combination.random_grammar(rng, 2)
    try:
        core = grammar.core
    except EmptyGrammarError:
        return
    texts = ["".join(letters) for length in range(5) for letters in product(combination.LETTERS, repeat=length)]
    for text in rng.sample(texts, 80):
        data = text.encode()
        assert (spans(grammar._part, data, Meter()) is not None) == core.accepts(data), (grammar, text)


@pytest.mark.parametrize("seed", range(150))
def test_the_readings_of_the_outline_are_those_of_the_engine(seed: int) -> None:
    rng = random.Random(2_000 + seed)
    grammar = combination.random_grammar(rng, 3)
    special = {name: 256 + place for place, name in enumerate(combination.SPECIALS)}
    letters = [bytes([value]) for value in range(256)]
    vocabulary = Vocabulary.from_bytes(
        [*letters, *[None] * (len(special) + 1)], special=special, eos=[256 + len(special)]
    )
    likely = {*"".join(combination.LETTERS).encode(), *special.values()}
    try:
        compiled = grammar.compile(vocabulary)
    except EmptyGrammarError:
        return
    for _ in range(6):
        matcher, reader = compiled.matcher(), Reader(grammar._outline, special)
        for _ in range(12):
            ends = any(thread.leaf is None for thread in reader.threads)
            assert ends == matcher.can_end, (grammar, matcher.inputs)
            allowed = [token for token in matcher.allowed() if token not in vocabulary.eos]
            if not allowed:
                break
            token = rng.choice([token for token in allowed if token in likely] or allowed)
            matcher.advance(token)
            reader.feed(vocabulary.token(token) or token_names(vocabulary, token))
            assert reader.threads, (grammar, matcher.inputs)


@pytest.mark.parametrize("seed", range(20))
def test_parts_in_other_builders(seed: int) -> None:
    """A grammar that is embedded, built, and embedded again has the same masks."""
    rng = random.Random(2_000 + seed)
    grammar = combination.random_grammar(rng, 2)
    wrapped = Grammar(grammar.core)
    again = Grammar._from_part(wrapped._part)
    twice = Grammar._from_part(Grammar(again.core)._part)
    expected = GeneralMask(combination.to_reference(grammar._part), [*TOKENS, *[None] * 3], eos=[EOS], special=SPECIAL)
    try:
        compiled = twice.compile(VOCABULARY)
    except VocabularyError:
        assert not expected.mask().any(), grammar
        return
    compare(compiled, expected, rng, grammar)
