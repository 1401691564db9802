"""Matcher × tokens left → the allowed tokens: those of the grammar's mask, and those that also fit the budget."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frisket import Matcher
from frisket.errors import BudgetError
from frisket.extension import holds
from frisket.logits.numpy import allowed

Words = NDArray[np.uint32]
Ids = NDArray[np.intp]


@dataclass(frozen=True)
class Allowance:
    """The allowed tokens at one position, without and within the budget.

    If every token of the grammar's mask leaves enough tokens to finish the text, both are the same arrays.
    """

    grammar: Words
    """The mask of the grammar."""
    ids: Ids
    """The tokens of that mask, ascending."""
    mask: Words
    """The mask with room: the grammar's, without tokens that leave too few."""
    fitting: Ids
    """The tokens of the mask with room, ascending."""
    can_end: bool
    micros: float
    """The time of the grammar's mask, in µs."""
    room_micros: float
    """The time of the mask with room, in µs; 0 if there is none."""

    @property
    def withheld(self) -> int:
        """The number of tokens that the grammar allows and the budget forbids."""
        return len(self.ids) - len(self.fitting)

    def refusal(self, matcher: Matcher, token: int, at: int, most: int) -> BudgetError | None:
        """The error for token number `at` if it exceeds the budget of `most` tokens; None if it fits, or the grammar
        forbids it.
        """
        if holds(self.mask, token) or not holds(self.grammar, token):
            return None
        after = matcher.fork()
        after.advance(token)
        count = after.least_tokens()
        return BudgetError(
            f"after this token the answer takes {count} more, and {most - at - 1} are left", where=f"token {at}",
            hint=f"raise the budget to {at + 1 + count} tokens, or choose another token", least=at + 1 + count,
        )  # fmt: skip

    @staticmethod
    def free(mask: Words, ids: Ids) -> Allowance:
        """An allowance of every token, for an answer without a grammar."""
        return Allowance(mask, ids, mask, ids, can_end=False, micros=0.0, room_micros=0.0)

    @staticmethod
    def of(matcher: Matcher, size: int, left: int | None = None, known: Allowance | None = None) -> Allowance:
        """The allowance with `left` more tokens, or without a budget. `known` may be that of the last position."""
        began = time.perf_counter_ns()
        grammar = matcher.mask()
        read = time.perf_counter_ns()
        # Equal masks are one array, which often repeats inside a string.
        ids = known.ids if known is not None and known.grammar is grammar else _ids(grammar, size)
        mask, fitting, room_micros = grammar, ids, 0.0
        if left:
            asked = time.perf_counter_ns()
            room = matcher.mask(room=left)
            room_micros = (time.perf_counter_ns() - asked) / 1e3
            if room is not grammar and not np.array_equal(room, grammar):
                mask, fitting = room, _ids(room, size)
        return Allowance(grammar, ids, mask, fitting, matcher.can_end, (read - began) / 1e3, room_micros)


def _ids(mask: Words, size: int) -> Ids:
    return np.flatnonzero(allowed(mask, (size,)))
