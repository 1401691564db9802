"""Task → answers drawn token by token under the mask, as `generate` draws them without a strategy."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from frisket import Sampler
from frisket.extension import begin_stream
from frisket.strategies.strategy import Answers, Strategy
from frisket.strategies.weighted import Samples, Weighted, log_sum

if TYPE_CHECKING:
    from frisket.extension import Task


@dataclass(frozen=True)
class Masked(Strategy):
    """Each token is drawn among the allowed ones; the weight of an answer is Π α, the importance weight p/q.

    The weights correct the distortion of masks. If draws come from the model's own distribution, they are exact, and
    their mean is the evidence. If the mask overrules much, a few answers carry most of the weight.
    of them is the evidence. A few answers carry most of the weight where the mask overrules much.
    """

    @property
    def is_masked(self) -> bool:
        return True

    def search(self, task: Task, runs: int, rng: np.random.Generator) -> list[Answers]:
        beginning = task.beginning
        found = []
        for _ in range(runs):
            one = replace(beginning, session=beginning.session.fork())
            answer = begin_stream(task, one, int(rng.integers(1 << 63))).generation()
            answer = replace(answer, draft=task.draft)
            # α belongs to the model's own distribution; with another one the weights would not be exact.
            exact = task.sampler == Sampler() and not (task.stop or task.min_tokens or task.guard)
            exact = exact and task.on_budget == "cut"
            weight = math.fsum(step.log_feasible for step in answer.steps) if answer.whole else -math.inf
            task.observe(answer, "answer" if answer.whole else "cut", weight)
            found.append(Samples([Weighted(answer, weight if exact else 0.0)], weight if exact else None))
        return found


def pooled(runs: list[Answers]) -> Answers:
    """All answers of independent runs; the evidence is the mean of the runs'."""
    known = [run.log_evidence for run in runs if run.log_evidence is not None]
    mean = log_sum(known) - math.log(len(known)) if known and len(known) == len(runs) else None
    return Samples([one for run in runs for one in run], mean)
