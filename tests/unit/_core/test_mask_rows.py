"""Requests of a step → the rows of a bitmask that is kept from step to step."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from numpy.typing import NDArray

from frisket import Grammar, Vocabulary
from frisket._core import Matcher
from frisket._core.front_end import MaskRows, advance_all
from frisket.errors import BudgetError, LimitExceededError, TokenRejectedError
from frisket.limit import Limits

WORDS = Vocabulary.from_bytes([*(bytes([letter]) for letter in b"abcdefgh"), *[b"zz"] * 60, None], eos=[68])
END = 68
ALL = [*range(96)]
WIDTH = 3


def bits(row: object) -> list[int]:
    return [int(bit) for bit in np.flatnonzero(np.unpackbits(np.asarray(row).view(np.uint8), bitorder="little"))]


def matcher(pattern: str, limits: Limits | None = None) -> Matcher:
    return Grammar.from_regex(pattern).compile(WORDS, limits=limits).matcher()


def made(rows: int) -> tuple[NDArray[np.int32], MaskRows]:
    bitmask = np.full((rows, WIDTH), 7, dtype=np.int32)
    return bitmask, MaskRows(bitmask)


def test_a_row_for_each_draft_and_the_matcher_stays() -> None:
    bitmask, rows = made(6)
    one, other = matcher("a(b|c)d"), matcher("e*")
    assert rows.fill([one, other], [0, 4], [[0, 2], []]) == ([], [], [])
    assert [bits(row) for row in bitmask] == [
        [0],
        [1, 2],
        [3],
        bits(np.int32([7] * 3)),
        [4, END],
        bits(np.int32([7] * 3)),
    ]
    assert (one.steps, other.steps, len(rows)) == (0, 0, 6)


def along(matcher: Matcher, drafts: list[int]) -> list[list[int]]:
    """The rows of a matcher and its drafts, one by one."""
    ahead, rows, is_refused = matcher.fork(), [], False
    for place, token in enumerate([*drafts, -1]):
        if not is_refused:
            is_over = ahead.ended or any(one < 0 for one in drafts[:place])
            rows.append(ALL if is_over else ahead.allowed())
            is_refused = token >= 0 and not is_over and not ahead.try_advance(token)
        else:
            rows.append(rows[-1])
    return rows


def test_rows_of_known_masks_are_those_of_unknown_ones() -> None:
    rng = random.Random(1)
    bitmask, rows = made(20)
    for _ in range(30):
        many = [matcher("[a-e]{2,5}(f|gh)") for _ in range(5)]
        drafts = [[rng.choice([0, 1, 5, 6, 7, -1, END]) for _ in range(3)] for _ in many]
        expected = [row for one, tokens in zip(many, drafts, strict=True) for row in along(one, tokens)]
        for _ in range(2):
            assert rows.fill(many, [0, 4, 8, 12, 16], drafts) == ([], [], [])
            assert [bits(row) for row in bitmask] == expected, drafts


def test_a_draft_that_is_refused_leaves_the_mask_before_it() -> None:
    bitmask, rows = made(4)
    rows.fill([matcher("abc")], [0], [[0, 5, 2]])
    assert [bits(row) for row in bitmask] == [[0], [1], [1], [1]]


def test_behind_the_end_and_behind_drafts_that_are_none_all_tokens_may_come() -> None:
    bitmask, rows = made(6)
    rows.fill([matcher("a"), matcher("ab")], [0, 3], [[0, END], [0, -1]])
    assert [bits(row) for row in bitmask] == [[0], [END], ALL, [0], [1], ALL]
    assert (bitmask[2] == -1).all()


def test_a_row_that_did_not_change_is_not_written() -> None:
    bitmask, rows = made(2)
    one = matcher("[a-c]*d")
    rows.fill([one], [1])
    bitmask[1] = 99
    one.advance(0)
    rows.fill([one], [1])
    assert (bitmask[1] == 99).all(), "the same mask"
    one.advance(3)
    rows.fill([one], [1])
    assert bits(bitmask[1]) == [END]
    rows.write(1, 1, [], allowed=True)
    assert (bitmask[1] == -1).all()
    rows.fill([one], [1])
    assert bits(bitmask[1]) == [END]


def test_rows_of_all_tokens_or_none_but_some() -> None:
    bitmask, rows = made(3)
    rows.write(0, 2, [5, 70], allowed=True)
    rows.write(2, 1, [5, 70, 1_000], allowed=False)
    assert [bits(row) for row in bitmask] == [[one for one in ALL if one not in (5, 70)]] * 2 + [[5, 70]]
    with pytest.raises(ValueError, match="row 3 is beyond"):
        rows.write(2, 2, [], allowed=True)


def test_a_request_that_fails_is_told_and_the_others_have_their_rows() -> None:
    bitmask, rows = made(4)
    dear = matcher("a[a-z]{2}(x|y.*z){40}", Limits(steps=100))
    (failed,), bent, cut = rows.fill([dear, matcher("b")], [0, 3], [[0, 1], []])
    place, row, error = failed
    assert (place, bent, cut) == (0, [], []) and isinstance(error, LimitExceededError)
    assert [bits(one) for one in bitmask[:row]] == [[0]][:row] and (bitmask[row:3] == 7).all()
    assert bits(bitmask[3]) == [1] and dear.steps == 0


def test_room_is_left_where_few_tokens_are() -> None:
    bitmask, rows = made(4)
    many = [matcher("(a|bcdef)g*") for _ in range(4)]
    failed, bent, cut = rows.fill(many, [0, 1, 2, 3], None, [(2, 64, True), (1_000, 64, True), None, (0, 64, True)])
    assert failed == [] and bent == [0]
    ((place, refusal),) = cut
    assert place == 3 and isinstance(refusal, BudgetError)
    assert [bits(row) for row in bitmask] == [[0], [0, 1], [0, 1], [0, 1]]
    assert rows.fill(many[:1], [0], None, [(2, 64, False)]) == ([], [], []), "nobody asks"
    assert bits(bitmask[0]) == [0]
    # Each draft takes one of them. Where none is left the text may be cut; the engine drops drafts beyond that.
    one = matcher("a*(b|cccc)")
    failed, bent, cut = rows.fill([one], [0], [[0, 0, 0]], [(2, 64, True)])
    assert (failed, bent, len(cut)) == ([], [0], 1)
    assert [bits(row) for row in bitmask] == [[0, 1], [1], [0, 1, 2], [0, 1, 2]]


@pytest.mark.parametrize(
    ("numbers", "drafts", "message"),
    [([0, 0], None, "row 0 is given twice"), ([0, 1], [[0], []], "row 1 is given twice"), ([0], None, "1 rows for 2"),
     ([0, 3], None, "row 3 is beyond"), ([0, 2], [[], [1]], "row 3 is beyond")],
)  # fmt: skip
def test_rows_that_cannot_be(numbers: list[int], drafts: list[list[int]] | None, message: str) -> None:
    bitmask, rows = made(3)
    with pytest.raises(ValueError, match=message):
        rows.fill([matcher("a"), matcher("b")], numbers, drafts)
    assert (bitmask == 7).all()


def test_many_long_masks_are_shared_by_threads() -> None:
    """Enough work for all threads; masks are those of one."""
    patterns = [f"([a-h]{{{number}}}|zz){{2,9}}[a-c]" for number in range(2, 300)]
    many = [matcher(pattern) for pattern in patterns]
    bitmask, rows = made(len(many))
    assert rows.fill(many, range(len(many))) == ([], [], [])
    assert [bits(row) for row in bitmask] == [one.allowed() for one in map(matcher, patterns)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_child_of_a_fork_fills_rows() -> None:
    many = [matcher(f"[a-c]{{{number}}}d") for number in range(1, 200)]
    bitmask, rows = made(len(many))
    rows.fill(many, range(len(many)))
    for one in many:
        one.advance(0)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            rows.fill(many, range(len(many)))
            code = 0 if [bits(row) for row in bitmask] == [one.allowed() for one in many] else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_all_tokens_are_taken_or_none() -> None:
    one = matcher("ab[cd]")
    one.allowed()
    assert advance_all(one, [0, 1]) == (False, 1) and one.text == b"ab", "no mask says that b must come"
    with pytest.raises(TokenRejectedError):
        advance_all(one, [2, 5])
    assert one.text == b"ab"
    with pytest.raises(TokenRejectedError):
        advance_all(one, [-1])
    one.allowed()
    assert advance_all(one, [2, END, 5, 7]) == (True, 0) and one.ended and one.steps == 4
    assert advance_all(one, [3]) == (False, 0), "it had ended before"
    assert advance_all(one, []) == (False, 0)
