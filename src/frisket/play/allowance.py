"""Matcher × tokens left → the allowed tokens: the grammar's mask, and its part within the budget."""

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
    """The allowed tokens of one position, without and within the budget.

    Where the tokens left finish the text after each allowed token, both are the same arrays.
    """

    grammar: Words
    """The mask of the grammar."""
    ids: Ids
    """Its tokens, ascending."""
    mask: Words
    """The mask with room."""
    fitting: Ids
    """Its tokens, ascending."""
    can_end: bool
    micros: float
    """What the mask of the grammar took, in µs."""
    room_micros: float
    """What the mask with room took, in µs; 0 where there is none."""

    @property
    def withheld(self) -> int:
        """The number of tokens that the grammar allows and the budget forbids."""
        return len(self.ids) - len(self.fitting)

    def refusal(self, matcher: Matcher, token: int, at: int, most: int) -> BudgetError | None:
        """Why the budget of `most` tokens forbids token number `at`; None if the token fits or the grammar forbids it.

        The mask with room may miss a token after which the text can be finished: such a token fits.
        """
        if holds(self.mask, token) or not holds(self.grammar, token):
            return None
        after, left = matcher.fork(), most - at - 1
        after.advance(token)
        if after.can_finish(left):
            return None
        least = after.least_tokens()
        count, exact = least.count, least.exact
        more = f"at least {count}" if exact else f"for certain {count}"
        return BudgetError(
            f"after this token the answer takes {more} more, and {left} are left", where=f"token {at}",
            hint=f"raise the budget to {at + 1 + count} tokens, or choose another token",
            least=at + 1 + count, exact=exact,
        )  # fmt: skip

    @staticmethod
    def free(mask: Words, ids: Ids) -> Allowance:
        """An allowance of every token, for an answer without a grammar."""
        return Allowance(mask, ids, mask, ids, can_end=False, micros=0.0, room_micros=0.0)

    @staticmethod
    def of(matcher: Matcher, size: int, left: int | None = None, known: Allowance | None = None) -> Allowance:
        """`left` tokens may still come; None or 0: the mask alone. `known` may be that of the position before."""
        began = time.perf_counter_ns()
        grammar = matcher.mask()
        read = time.perf_counter_ns()
        # An identical array is an equal mask, which often repeats inside a string.
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
