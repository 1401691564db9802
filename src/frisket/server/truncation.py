"""Turns × how they are answered × the context → a plan that leaves room for an answer, without the oldest turns.

OpenAI's `truncation: auto`. What goes is whole exchanges: a result does not stand without its call, nor an answer
without what was asked. Instructions at the beginning stay, and so does all from the last user's turn on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from frisket import FrisketError
from frisket.errors import BudgetError, LimitExceededError
from frisket.extension import Turn
from frisket.server.failure import Failure
from frisket.server.service import Plan

#: Part of the context that is kept free for an answer, unless it needs fewer tokens.
ROOM = 1 / 4


def truncate(turns: Sequence[Turn], plan_of: Callable[[Sequence[Turn]], Plan], context: int) -> tuple[Plan, int]:
    """(the plan, how many turns were dropped): as few as leave room. The error of the shortest prompt if none does."""
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
    """Whether the failure is one that a shorter prompt could avoid."""
    if isinstance(error, Failure):
        return error.code == "limit" and error.where == "/prompt"
    return isinstance(error, BudgetError) or (isinstance(error, LimitExceededError) and error.where == "prompt")
