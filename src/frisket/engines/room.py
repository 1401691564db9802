"""Tokens left for a request → whether an answer fits, and the token that must end its reasoning in time.

An engine does not constrain reasoning ("thoughts" here). Where it would use up the tokens of the answer, masks allow
only the tokens that end it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from frisket import environment
from frisket.engines import metrics
from frisket.errors import BudgetError, EngineError, LimitExceededError
from frisket.grammar import CompiledGrammar
from frisket.least import median_tokens

#: Variable that, if "0", leaves `max_tokens` to the engine, which then cuts texts.
SWITCH = "FRISKET_ROOM"
#: Variable with the tokens that reasoning leaves beyond the shortest answer; by default those of a median answer.
RESERVE = "FRISKET_RESERVE"


def is_on() -> bool:
    """Whether masks take account of the tokens that a request has left."""
    return environment.is_on(SWITCH, default=True)


def check(compiled: CompiledGrammar, total: int, end: Sequence[int] = (), name: str = "max_tokens") -> None:
    """BudgetError if no text of the grammar fits into `total` tokens with its end and `end`, the end of reasoning."""
    least = compiled.matcher().least_tokens()
    if least >= total - len(end):
        needed = least + 1 + len(end)
        ends = "its end and that of the thoughts" if end else "its end"
        raise BudgetError(
            f"{name} leaves {total} tokens for the answer, whose shortest takes {needed} with {ends}",
            least=needed,
        )  # fmt: skip


def read_reserve() -> int | None:
    """The reserve that the environment sets, None for that of a median answer."""
    text = os.environ.get(RESERVE, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise EngineError(
            f"{RESERVE} is a number of tokens, not {text!r}", where=RESERVE, hint=f"unset {RESERVE}, or say 200"
        )
    return int(text)


class Thoughts:
    """The end of one request's reasoning, and the tokens that its answer needs after it.

    >>> from frisket import Grammar, Vocabulary
    >>> words = Vocabulary.from_bytes([b"yes", b"</think>", None], eos=[2])
    >>> thoughts = Thoughts([1], Grammar.from_choices(["yes"]).compile(words), reserve=3)
    >>> thoughts.token([0, 0], left=8), thoughts.token([0, 0], left=6)
    (None, 1)
    """

    def __init__(self, end: Sequence[int], compiled: CompiledGrammar, reserve: int | None = None) -> None:
        #: The ids that end the reasoning.
        self.end = tuple(end)
        self._compiled, self._reserve = compiled, reserve
        self._needed: int | None = None
        self._was_counted = False

    @property
    def needed(self) -> int:
        """Tokens for the end of reasoning, the shortest answer, its reserve, and the end of the text."""
        if self._needed is None:
            try:
                least = self._compiled.matcher().least_tokens()
            except LimitExceededError:
                least = 0
            reserve = median_tokens(least) - least if self._reserve is None else self._reserve
            self._needed = len(self.end) + least + 1 + reserve
        return self._needed

    def token(self, before: Sequence[int], left: int) -> int | None:
        """The only token that may follow `before`, if `left` tokens are left including it; None if any may."""
        if left > self.needed:
            return None
        if not self._was_counted:
            metrics.count("frisket_engine_thoughts_ended")
            self._was_counted = True
        begun = max(size for size in range(len(self.end)) if not size or tuple(before[-size:]) == self.end[:size])
        return self.end[begun]
