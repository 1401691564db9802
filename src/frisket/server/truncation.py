"""Turns × a function that plans the answer × the context's length → a plan without the oldest turns, if need be.

This is OpenAI's `truncation: auto`. Whole exchanges are dropped: a result is not kept without its call, nor an answer
without its question. Instructions at the beginning stay, and so do all turns from the user's last one on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from frisket import FrisketError
from frisket.errors import BudgetError, LimitExceededError
from frisket.extension import Turn
from frisket.server.failure import Failure
from frisket.server.service import Plan

#: Share of the context that is kept free for an answer, unless the answer needs fewer tokens.
ROOM = 1 / 4


def truncate(turns: Sequence[Turn], plan_of: Callable[[Sequence[Turn]], Plan], context: int) -> tuple[Plan, int]:
    """(the plan, number of dropped turns), dropping as few as possible; else the error of the shortest prompt."""
    first = next((place for place, turn in enumerate(turns) if turn.role != "system"), len(turns))
    cuts = [first, *(place for place, turn in enumerate(turns) if place > first and turn.role == "user")]

    def attempt(cut: int) -> Plan | None:
        try:
            plan = plan_of([*turns[:first], *turns[cut:]])
        except (Failure, FrisketError) as error:
            if _is_too_long(error):
                return None
            raise
        return plan if not plan.budget.is_context or plan.budget.max_tokens >= ROOM * context else None

    found, low, high = attempt(cuts[0]), 1, len(cuts)
    if found is not None:
        return found, 0
    dropped = 0
    while low < high:
        middle = (low + high) // 2
        plan = attempt(cuts[middle])
        if plan is None:
            low = middle + 1
        else:
            found, high, dropped = plan, middle, cuts[middle] - first
    if found is None:
        dropped = cuts[-1] - first
        found = plan_of([*turns[:first], *turns[cuts[-1] :]])
    return found, dropped


def _is_too_long(error: Failure | FrisketError) -> bool:
    """Whether a shorter prompt could avoid the failure."""
    if isinstance(error, Failure):
        return error.code == "limit" and error.where == "/prompt"
    return isinstance(error, BudgetError) or (isinstance(error, LimitExceededError) and error.where == "prompt")
