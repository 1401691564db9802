"""Answer → what the page is sent of it: a step, the look at a position, a stretch of the allowed tokens."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from frisket.explanation import Explanation
from frisket.logits.numpy import allowed
from frisket.play.answer import Answer, Moment
from frisket.play.look import Look, in_order, share
from frisket.play.token import described, texts
from frisket.pressure.heat import level
from frisket.pressure.pressure import Pressure


def state(answer: Answer) -> dict[str, Any]:
    """The whole answer in a few figures."""
    known = [moment.step for moment in answer.moments if not moment.outside]
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
    }


def moment(answer: Answer, number: int, made: Moment) -> dict[str, Any]:
    """One step, as small as can be: thousands are sent."""
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
        "us": round(made.look.micros, 1),
    }


def look(answer: Answer, number: int, seen: Look) -> dict[str, Any]:
    """What is to be seen before a step: figures, and the likeliest tokens with their probabilities twice."""
    taken = answer.moments[number].step.token if number < len(answer.moments) else None
    matcher = answer.matcher(number)
    legal = None if matcher is None else allowed(matcher.mask(), (seen.size,))
    spread = [token for token, _ in seen.before]
    return {
        "n": number,
        "allowed": seen.allowed,
        "size": seen.size,
        "can_end": seen.can_end,
        "us": round(seen.micros, 1),
        "alpha": share(seen.mass.log_feasible),
        "level": level(Pressure.of(seen.mass.log_feasible)),
        "overruled": seen.mass.overruled,
        "outside": matcher is None,
        "taken": taken,
        "forced": "" if matcher is None else matcher.forced_bytes().decode("utf-8", "backslashreplace"),
        "path": "" if matcher is None else matcher.path,
        "before": [_candidate(answer, token, seen, legal) for token in spread],
        "after": [_candidate(answer, token, seen, legal) for token, _ in seen.after],
    }


def tokens(answer: Answer, number: int, seen: Look, search: str, offset: int, limit: int) -> dict[str, Any]:
    """A stretch of the allowed tokens at a position: those that hold the text, the likeliest first."""
    matcher = answer.matcher(number)
    legal = (
        np.ones(answer.vocabulary.size, bool) if matcher is None else allowed(matcher.mask(), (answer.vocabulary.size,))
    )
    ids = np.flatnonzero(legal).tolist()
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


def explained(explanation: Explanation) -> dict[str, Any]:
    """Why a text may not come next."""
    return {**explanation.as_dict(), "said": str(explanation)}


def _candidate(answer: Answer, token: int, seen: Look, legal: Any) -> dict[str, Any]:
    logprob = seen.known.get(token)
    may = legal is None or bool(legal[token])
    after = None
    if logprob is not None:
        after = math.exp(min(logprob - seen.mass.log_feasible, 0.0)) if may else 0.0
    return {**described(answer.vocabulary, token), "may": may, "before": share(logprob), "after": after}
