"""Sets of thousands of words: their masks are made ahead, and are those that words by themselves have."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable

import numpy as np
import pytest

from frisket import Cancellation, Grammar, Limits, Vocabulary
from frisket.errors import LimitExceededError

WORDS = ["".join(letters) for letters in itertools.product('ab"\n', repeat=6)] + ["", "a", "aé", "b" * 9, "ba" * 8]


def tokens() -> list[bytes | None]:
    draw = random.Random(1)
    texts = {*'ab"\\n,', "é", "ab", "aab", 'a"', '"', '""', '"a', "\\n\\n", '\\"', 'b\\"', "bbbbbbbbb", "x", "\n"}
    texts |= {"".join(draw.choices(["a", "b", '\\"', "\\n"], k=draw.randint(2, 7))) for _ in range(300)}
    return [text.encode() for text in sorted(texts)] + [b"\xc3", b"\xa9", None]


@pytest.mark.parametrize(
    "make, spell",
    [
        (lambda: Grammar.from_json_schema({"enum": WORDS}), lambda word: json.dumps(word, ensure_ascii=False)),
        (lambda: Grammar.from_choices(WORDS), lambda word: word),
    ],
    ids=["enum", "choices"],
)
def test_masks_are_those_of_the_words(make: Callable[[], Grammar], spell: Callable[[str], str]) -> None:
    texts = tokens()
    vocabulary = Vocabulary.from_bytes(texts, eos=len(texts) - 1)
    compiled = make().compile(vocabulary)
    written = [spell(word).encode() for word in WORDS]
    beginnings = {word[:end] for word in written for end in range(len(word) + 1)}
    bitmask = np.zeros(vocabulary.mask_words, np.uint32)
    draw = random.Random(2)
    for word in draw.sample(written, 40):
        matcher, prefix = compiled.matcher(), b""
        while True:
            matcher.fill_mask(bitmask)
            bits = np.unpackbits(bitmask.view(np.uint8), bitorder="little")[: vocabulary.size]
            for token_id, text in enumerate(texts):
                if text is not None:
                    assert bool(bits[token_id]) == (prefix + text in beginnings), (prefix, text)
            assert bool(bits[-1]) == (prefix in written)
            here = [text for text in texts if text is not None and word.startswith(prefix + text)]
            if not here:
                break
            text = draw.choice(here)
            matcher.advance(texts.index(text))
            prefix += text


def test_what_is_made_ahead_keeps_to_limits() -> None:
    texts = tokens()
    vocabulary = Vocabulary.from_bytes(texts, eos=len(texts) - 1)
    grammar = Grammar.from_choices(WORDS)
    few = grammar.compile(vocabulary, limits=Limits(steps=50))
    assert few.matcher().try_advance(texts.index(b"a"))
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(LimitExceededError):
        grammar.compile(vocabulary, limits=Limits(cancellation=cancellation))
