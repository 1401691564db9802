"""What processors for one sequence share: masks by the ids so far, within a budget."""

from __future__ import annotations

from collections.abc import Sequence as Ids

import numpy as np
import pytest

from frisket import Grammar, Vocabulary
from frisket.engines.sequence import Sequence
from frisket.errors import BudgetError

WORDS = Vocabulary.from_bytes([b"a", b"ab", b"bcd", b"c", b"d", None], eos=[5])
COMPILED = Grammar.from_regex("abcd").compile(WORDS)


def allowed(sequence: Sequence, ids: Ids[int]) -> list[int]:
    words = sequence.mask(np.array(ids, dtype=np.int64), 6)
    return [token for token in range(6) if words[0] >> token & 1]


@pytest.mark.parametrize(("most", "first"), [(None, [0, 1]), (3, [0, 1]), (2, [0])])
def test_the_tokens_left_are_counted_from_the_end_of_the_prompt(most: int | None, first: list[int]) -> None:
    sequence = Sequence(COMPILED, "an engine", most)
    assert allowed(sequence, [3, 3, 3]) == first
    assert allowed(sequence, [3, 3, 3, 0]) == [2]
    assert allowed(sequence, [3, 3, 3, 0, 2]) == [5]


def test_too_few_tokens_are_refused() -> None:
    with pytest.raises(BudgetError) as refusal:
        allowed(Sequence(COMPILED, "an engine", 1), [3])
    assert refusal.value.least == 2
    with pytest.raises(ValueError):
        Sequence(COMPILED, "an engine", 0)
