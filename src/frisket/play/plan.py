"""Grammar × prompt × sampler × budget → the plan of an answer; and the record of each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from frisket import CompiledGrammar, Sampler, Step
from frisket.extension import Budget
from frisket.play.look import Look


@dataclass(frozen=True)
class Plan:
    """The fixed inputs of a steered answer."""

    grammar: CompiledGrammar
    prompt_ids: Sequence[int]
    sampler: Sampler
    seed: int
    budget: Budget
    masked: bool = True

    @property
    def max_tokens(self) -> int:
        return self.budget.max_tokens

    @property
    def finishes(self) -> bool:
        """Whether the masks keep the answer within the budget."""
        return self.masked and self.budget.finishes


@dataclass(frozen=True)
class Moment:
    """One step, the look before it, and whether a person chose the token."""

    step: Step
    look: Look
    chosen: bool
    """Whether the user chose the token, and not the sampler."""
    outside: bool
    """Whether the text has left the grammar with this token or before, which happens only without masks."""
