"""Matcher → `completion` ends the text, and nothing shorter does: against the reference, on random grammars."""

from __future__ import annotations

import random

import pytest

from frisket.errors import EmptyGrammarError, VocabularyError
from frisket.reference import GeneralMask
from tests.property.plans import LETTERS, Case
from tests.property.random_cases import case

#: A search for something shorter ends where it has grown so wide.
WIDEST = 400


def shorter(expected: GeneralMask, text: bytes, length: int) -> bytes | None:
    """Fewer bytes than `length` after which `text` may end."""
    layer = [b""]
    for _ in range(length):
        for written in layer:
            if expected.can_end(text + written):
                return written
        longer = [written + bytes([letter]) for written in layer for letter in LETTERS]
        layer = [written for written in longer if expected.can_begin(text + written)]
        if len(layer) > WIDEST:
            return None
    return None


def check(random_case: Case, seed: int) -> int:
    """One random case, a few prefixes; how many completions were looked at."""
    expected = random_case.reference()
    rng = random.Random(seed)
    try:
        matcher = random_case.engine().compile(random_case.vocabulary()).matcher()
    except (EmptyGrammarError, VocabularyError):
        return 0
    text, seen = b"", 0
    for _ in range(4):
        before = (matcher.can_end, matcher.steps, matcher.forced_bytes())
        rest = matcher.completion()
        assert before == (matcher.can_end, matcher.steps, matcher.forced_bytes())
        assert rest == matcher.completion()
        if rest is not None:
            assert expected.can_end(text + rest), f"{random_case}\nafter {text!r}, {rest!r} is no end"
        found = shorter(expected, text, 4 if rest is None else len(rest))
        assert found is None, f"{random_case}\nafter {text!r}, {found!r} ends it, not only {rest!r}"
        seen += bool(rest)
        tokens = [token for token in range(len(random_case.tokens)) if random_case.tokens[token]]
        follows = [token for token in tokens if matcher.validate([token])]
        if not follows:
            break
        token = rng.choice(follows)
        matcher.advance(token)
        text += random_case.tokens[token] or b""
    return seen


@pytest.mark.parametrize("block", range(3))
@pytest.mark.parametrize("kind", ["regular", "rules", "json"])
def test_random_nodes(kind: str, block: int) -> None:
    seen = sum(check(case(seed, kind), seed) for seed in range(1000 + 16 * block, 1016 + 16 * block))
    assert seen >= 4, "the cases have become too small to say anything"
