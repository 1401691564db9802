"""One request's position: tokens that are taken with the next mask, and failures that end a request alone."""

from __future__ import annotations

import numpy as np
import pytest

from frisket import Grammar, Limits, Vocabulary
from frisket._core.front_end import MaskRows
from frisket.engines.progress import Progress

WORDS = Vocabulary.from_bytes([*(bytes([letter]) for letter in b"abcdefgh"), *[b"zz"] * 60, None], eos=[68])
END = 68


def made(pattern: str, limits: Limits | None = None) -> Progress:
    return Progress(Grammar.from_regex(pattern).compile(WORDS, limits=limits))


def bits(row: object) -> list[int]:
    return [int(bit) for bit in np.flatnonzero(np.unpackbits(np.asarray(row).view(np.uint8), bitorder="little"))]


def masks(*many: Progress) -> list[list[int]]:
    bitmask = np.zeros((len(many), WORDS.mask_words), dtype=np.int32)
    Progress.fill_rows(many, MaskRows(bitmask), range(len(many)))
    return [bits(row) for row in bitmask]


@pytest.mark.parametrize("ask", ["steps", "validate", "fill", "rollback", "accept"])
def test_a_token_that_is_taken_later_counts_at_once(ask: str) -> None:
    progress = made("a(b|c)d")
    assert masks(progress) == [[0]]
    assert progress.accept_later([0]) is None
    if ask == "steps":
        assert progress.steps == 1 and not progress.ended
    elif ask == "validate":
        assert progress.validate([1, 3, END]) == 3
    elif ask == "fill":
        row = np.zeros(WORDS.mask_words, dtype=np.int32)
        progress.fill(row[None], 0)
        assert bits(row) == [1, 2]
    elif ask == "rollback":
        progress.rollback(1)
        assert masks(progress) == [[0]]
        return
    else:
        assert progress.accept([1]) is None
        assert masks(progress) == [[3]]
        return
    assert masks(progress) == [[1, 2]]
    assert progress.accept_later([2]) is None and masks(progress) == [[3]] and progress.steps == 2


def test_only_what_the_mask_allows_is_taken_later() -> None:
    progress = made("ab")
    for tokens in [1], [-1], [1 << 40], [0, 0]:
        assert progress.accept_later(tokens) is not None, tokens
        assert masks(progress) == [[0]]
    assert progress.accept_later([0]) is None
    assert progress.accept_later([0]) is not None, "the second one is looked at where the first one leads"
    assert progress.accept_later([1]) is None and progress.accept_later([END]) is None
    assert progress.ended and progress.steps == 3
    assert progress.accept_later([5]) is None, "what comes after the end is ignored"
    progress.reset()
    assert masks(progress) == [[0]]


def test_a_step_that_cannot_be_taken_later_fails_its_request_alone() -> None:
    limits = Limits(steps=100)
    dear, other = made("a[a-z]{2}(x|y.*z){40}", limits), made("cd")
    assert masks(dear, other) == [[0], [2]]
    assert dear.accept_later([0]) is None and other.accept_later([2]) is None
    assert masks(dear, other) == [[END], [3]]
    assert dear.error is not None and dear.error.code == "limit"
    assert dear.accept_later([END]) is dear.error and other.accept_later([3]) is None
    assert masks(dear, other) == [[END], [END]]


def test_a_draft_whose_mask_fails_does_not_end_its_request() -> None:
    dear = made("a[a-z]{2}(x|y.*z){40}", Limits(steps=100))
    bitmask = np.zeros((3, WORDS.mask_words), dtype=np.int32)
    Progress.fill_rows([dear], MaskRows(bitmask), [0], [[0, 1]])
    assert [bits(row) for row in bitmask] == [[0], [END], [END]]
    assert dear.error is None and masks(dear) == [[0]]
