"""Task → the best of several answers: least overruled by masks, likeliest, or best by a function of the caller's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from frisket import Generation, Sampler
from frisket.extension import check_integer, explain_fields
from frisket.strategies.masked import Masked
from frisket.strategies.strategy import Answers, Strategy, check_part
from frisket.strategies.weighted import Samples, Weighted

if TYPE_CHECKING:
    from frisket.extension import Task

#: Answer → how good it is; the largest number wins.
Score: TypeAlias = Callable[[Generation[Any]], float]


#: Fields as other libraries name them → what to write instead.
_SLIPS = {
    **dict.fromkeys(("k", "best_of", "samples", "num_samples", "candidates"), "write n={value}"),
    **dict.fromkeys(("score", "key", "scorer", "reward"), 'write by={value}: "feasible", "logprob" or a function'),
    **dict.fromkeys(("strategy", "base"), "write of={value}"),
}


@explain_fields(_SLIPS)
@dataclass(frozen=True)
class Best(Strategy):
    """The best of `n` answers, each found by the strategy `of`, or without one drawn token by token under the mask.

    `by="feasible"`: the answer whose tokens the mask overruled least, by Σ log α, the logarithm of its importance
    weight. `by="logprob"`: the likeliest under the model. A function of a `Generation`: the answer with the largest
    result. An answer that was cut wins only if all were. Of equally good answers the first wins.
    """

    n: int
    by: Literal["feasible", "logprob"] | Score = "feasible"
    of: Strategy = field(default_factory=Masked)

    def __post_init__(self) -> None:
        check_integer("n", self.n)
        if self.n < 1:
            raise ValueError(f"there is at least 1 answer, not {self.n}")
        if not callable(self.by) and not (isinstance(self.by, str) and self.by in SCORES):
            raise ValueError(f"by is {', '.join(SCORES)} or a function, not {self.by!r}")
        check_part("of", self.of)

    @property
    def is_masked(self) -> bool:
        return self.of.is_masked

    def search(self, task: Task, runs: int, rng: np.random.Generator) -> list[Answers]:
        if task.sampler is None:
            # A sampler that draws, since greedy answers would all be equal.
            task = replace(task, sampler=Sampler())
        score = SCORES[self.by] if isinstance(self.by, str) else self.by
        answers = [self.of.choose(found, rng) for found in self.of.search(task, runs * self.n, rng)]
        groups = (answers[start : start + self.n] for start in range(0, len(answers), self.n))
        return [Samples([Weighted(max(group, key=lambda one: (one.whole, score(one))))]) for group in groups]


def log_feasible(answer: Generation[Any]) -> float:
    """Σ log α of an answer."""
    return sum(step.log_feasible for step in answer.steps)


SCORES: dict[str, Score] = {"feasible": log_feasible, "logprob": lambda answer: answer.logprob}
