"""Matcher × tokens left → the tokens that may come next without making the text impossible to finish in time.

The grammar says what may come. A budget only takes tokens away, and leaves at least one while the text can be finished.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from frisket.decoding.guard import Guard
from frisket.errors import BudgetError, LimitExceededError

if TYPE_CHECKING:
    from frisket.matcher import Matcher
    from frisket.options import OnBudget


@dataclass(frozen=True, slots=True)
class Budget:
    """How many tokens an answer may take, and what happens when they run out.

    `on_budget="finish"`: the masks keep only tokens after which the text can still be finished, so it is whole after at
    most `max_tokens` tokens. `"cut"`: the text ends after `max_tokens` tokens, whole or not.

    `min_tokens`: the text does not end before this many tokens, if another token may come. `guard`: see `Guard`.
    """

    max_tokens: int
    on_budget: OnBudget = "finish"
    min_tokens: int = 0
    guard: Guard | None = None
    is_context: bool = False
    """Whether `max_tokens` was lowered to the number of tokens that the model's context leaves."""

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens is at least 1, not {self.max_tokens}")
        if self.on_budget not in ("finish", "cut"):
            raise ValueError(f'on_budget is "finish" or "cut", not {self.on_budget!r}')
        if not 0 <= self.min_tokens <= self.max_tokens:
            raise ValueError(f"min_tokens is between 0 and max_tokens, not {self.min_tokens}")

    @property
    def finishes(self) -> bool:
        return self.on_budget == "finish"

    def within(self, context: int, prompt: int) -> Budget:
        """The budget lowered to `context` − `prompt` tokens; LimitExceededError if none are left."""
        room = context - prompt
        if room < 1:
            raise LimitExceededError(
                f"the prompt has {prompt} tokens; the model has room for {context}, the answer included",
                where="prompt",
                hint="shorten the prompt, or use a model with a longer context",
            )
        if room >= self.max_tokens:
            return self
        return replace(self, max_tokens=room, min_tokens=min(self.min_tokens, room), is_context=True)

    def check(self, matcher: Matcher, free: int = 0) -> None:
        """BudgetError if no text can be finished with `max_tokens` tokens and `free` more that do not count."""
        if not self.finishes:
            return
        if matcher.can_finish(self.max_tokens + free):
            return
        least = matcher.least_tokens()
        has = "the model's context leaves" if self.is_context else "max_tokens gives"
        more = "shorten the prompt" if self.is_context else f"raise max_tokens to {least}"
        raise BudgetError(
            f"the shortest answer known takes {least} tokens, and {has} {self.max_tokens}",
            where="prompt" if self.is_context else "max_tokens",
            hint=f'{more}, ask for less, or pass on_budget="cut" (--on-budget cut): the text ends where the tokens do',
            least=least,
        )

    def can_finish(self, matcher: Matcher, taken: int) -> bool:
        """Whether the text can be finished with the tokens that are left after `taken`."""
        return not self.finishes or matcher.can_finish(self.max_tokens - taken)

    def refused(self, history: Sequence[int], eos: Set[int]) -> Set[int]:
        """Tokens to forbid while others are allowed: an end before `min_tokens`, and repetitions as the guard says."""
        refused: Set[int] = self.guard.refused(history) if self.guard else frozenset()
        return refused | eos if len(history) < self.min_tokens else refused
