"""Task → the likeliest answer under the model, given the grammar: best-first search, exact where it ends.

The probability of a path never rises with a further token. So the first whole text that a best-first search takes from
its queue is the likeliest of all tokenisations of all texts of the grammar.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from frisket.decoding.task import Task


@dataclass(frozen=True)
class Likeliest:
    tokens: tuple[int, ...]
    text: str
    logprob: float
    """Under the model as it is."""


def likeliest(task: Task, most: int = 2000) -> Likeliest | None:
    """The answer; None if `most` places were looked at and no proof was found."""
    beginning, vocabulary = task.beginning, task.vocabulary
    eos = set(vocabulary.eos)
    order = count()
    # Of each place: what it lost so far, its path, the matcher, the session before the last token.
    queue: list[tuple[float, int, tuple[int, ...], Any, Any]] = [
        (0.0, next(order), (), beginning.compiled.matcher(), beginning.session)
    ]
    for _ in range(most):
        if not queue:
            return None
        lost, _, path, matcher, session = heapq.heappop(queue)
        if path and (path[-1] in eos or (matcher.can_end and eos.issuperset(matcher.allowed()))):
            text = b"".join(vocabulary.token(one) or b"" for one in path).decode()
            return Likeliest(path, text, -lost)
        session = session.fork()
        if path:
            session.push(path[-1])
        logits = session.logits().astype(np.float64)
        logs = logits - logits.max()
        logs -= math.log(np.exp(logs).sum())
        for token in matcher.allowed():
            if (len(path) < beginning.limit or token in eos) and math.isfinite(logs[token]):
                after = matcher.fork()
                after.advance(token)
                heapq.heappush(queue, (lost - float(logs[token]), next(order), (*path, token), after, session))
    return None
