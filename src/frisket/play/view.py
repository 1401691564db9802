"""Answer → JSON for the page: a step, the look at a position, a range of the allowed tokens."""

from __future__ import annotations

import math
from typing import Any

from frisket import FrisketError, Matcher
from frisket.errors import BudgetError
from frisket.extension import holds, level
from frisket.play.allowance import Allowance
from frisket.play.answer import Answer
from frisket.play.look import Look, in_order, share
from frisket.play.plan import Moment
from frisket.play.token import described, spelling, texts
from frisket.reports import Pressure
from frisket.server.failure import Failure


def state(answer: Answer) -> dict[str, Any]:
    """The answer as a whole, in a few numbers."""
    inside = [moment for moment in answer.moments if not moment.outside]
    known = [moment.step for moment in inside]
    total = sum((Pressure.of(step.log_feasible) for step in known), Pressure())
    return {
        "steps": len(answer.moments),
        "finish": answer.finish,
        "text": answer.text,
        "outside": answer.outside,
        "nats": total.nats,
        "weight": total.weight,
        "overruled": sum(step.overruled for step in known),
        "forced": sum(step.forced for step in known),
        "bound": sum(moment.look.withheld > 0 for moment in inside),
    }


def moment(answer: Answer, number: int, made: Moment) -> dict[str, Any]:
    """One step in a compact form, since thousands are sent."""
    step = made.step
    return {
        "n": number,
        **described(answer.vocabulary, step.token),
        "shown": step.text,
        "path": step.path,
        "alpha": share(step.log_feasible),
        "level": level(Pressure.of(step.log_feasible)),
        "allowed": step.allowed,
        "forced": step.forced,
        "overruled": step.overruled,
        "chosen": made.chosen,
        "outside": made.outside,
        "withheld": made.look.withheld,
        "us": round(made.look.micros, 1),
    }


def look(answer: Answer, number: int, seen: Look) -> dict[str, Any]:
    """The look before a step: numbers, and the likeliest tokens with their probabilities before and after the mask."""
    taken = answer.moments[number].step.token if number < len(answer.moments) else None
    matcher, here = answer.matcher(number), answer.allowance(number)
    spread = [token for token, _ in seen.before]
    return {
        "n": number,
        "allowed": seen.allowed,
        "size": seen.size,
        "can_end": seen.can_end,
        "us": round(seen.micros, 1),
        **_room(answer, number, seen, matcher),
        "alpha": share(seen.mass.log_feasible),
        "level": level(Pressure.of(seen.mass.log_feasible)),
        "overruled": seen.mass.overruled,
        "outside": matcher is None,
        "taken": taken,
        "forced": "" if matcher is None else matcher.forced_bytes().decode("utf-8", "backslashreplace"),
        "path": "" if matcher is None else matcher.path,
        "before": [_candidate(answer, token, seen, here, taken) for token in spread],
        "after": [_candidate(answer, token, seen, here, taken) for token, _ in seen.after],
    }


def tokens(answer: Answer, number: int, seen: Look, search: str, offset: int, limit: int) -> dict[str, Any]:
    """A range of the allowed tokens at a position whose text contains `search`, the likeliest first."""
    here = answer.allowance(number)
    ids = list(range(answer.vocabulary.size)) if here is None else here.fitting.tolist()
    if search:
        known = texts(answer.vocabulary)
        ids = [token for token in ids if search in known[token]]
    ids = in_order(ids, seen.known)
    found = ids[offset : offset + limit]
    return {
        "count": len(ids),
        "offset": offset,
        "tokens": [_candidate(answer, token, seen, None) for token in found],
    }


def failed(error: Exception) -> dict[str, Any]:
    """An error in the form that all routes use; if the budget is too small, with the least that suffices."""
    said: dict[str, Any] = dict(Failure.of(error).body()["error"])
    if isinstance(error, FrisketError | Failure):
        said["message"] = error.message  # without place and hint, which have fields of their own
    if isinstance(error, BudgetError) and error.where != "prompt":  # in a full context, a larger budget does not help
        said["least"] = error.least
    return said


def explained(answer: Answer, number: int, matcher: Matcher, given: int | str) -> dict[str, Any]:
    """The reason why a text or a token may not come next: the grammar forbids it, or only the budget does."""
    explanation = matcher.explain(given)
    token = spelling(answer.vocabulary, given) if isinstance(given, str) else given
    long = None if token is None or not explanation.allowed else answer.too_long(number, token)
    said = str(explanation) if long is None else f"the grammar allows it, the budget forbids it: {long.message}"
    return {**explanation.as_dict(), "said": said}


def _room(answer: Answer, number: int, seen: Look, matcher: Matcher | None) -> dict[str, Any]:
    """The effect of the budget at a position; `left` is None if nothing enforces it."""
    if matcher is None or not answer.plan.finishes:
        return {"left": None, "withheld": 0}
    return {
        "left": max(answer.plan.max_tokens - number, 0),
        "least": matcher.least_tokens(),
        "withheld": seen.withheld,
        "room_us": round(seen.room_micros, 1),
    }


def _candidate(
    answer: Answer, token: int, seen: Look, here: Allowance | None, taken: int | None = None
) -> dict[str, Any]:
    """A token of the list. `may`: it is allowed, or it was taken; `long`: only the budget forbids it."""
    logprob = seen.known.get(token)
    may = here is None or token == taken or holds(here.mask, token)
    after = None
    if logprob is not None:
        after = math.exp(min(logprob - seen.mass.log_feasible, 0.0)) if may else 0.0
    said = {**described(answer.vocabulary, token), "may": may, "before": share(logprob), "after": after}
    return said if may or here is None or not holds(here.grammar, token) else {**said, "long": True}
