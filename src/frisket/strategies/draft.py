"""Task → a draft in free text, then the answer of a model that has read the draft."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket import Generation, Sampler
from frisket.extension import Budget, check_integer, decode, explain_fields
from frisket.strategies.best import log_feasible
from frisket.strategies.masked import Masked
from frisket.strategies.strategy import Answers, Strategy, check_part
from frisket.strategies.weighted import Samples, Weighted

if TYPE_CHECKING:
    from frisket.extension import Task


#: Fields as other libraries name them → what to write instead.
_SLIPS = {
    **dict.fromkeys(("max_tokens", "max_new_tokens", "length", "draft_tokens"), "write tokens={value}"),
    **dict.fromkeys(("n", "drafts", "num_drafts"), "write k={value}"),
    **dict.fromkeys(("strategy", "of"), "write then={value}"),
}


@explain_fields(_SLIPS)
@dataclass(frozen=True)
class Draft(Strategy):
    """The model first answers freely, in at most `tokens` tokens; then it reads its draft and answers in the grammar
    (draft-conditioned constrained decoding, arXiv 2603.03305).

    Of `k` drafts, the winner is the one whose answer the mask overruled least: the largest Σ log α per token, since
    answers differ in length. `then` is the strategy of the masked answer. A single draft is greedy, unless there is a
    sampler or several answers are wanted. `Generation.draft` is the winning draft.

    The model's `prompt` needs a parameter `draft`; otherwise StrategyError.
    """

    tokens: int = 128
    k: int = 1
    then: Strategy = field(default_factory=Masked)

    def __post_init__(self) -> None:
        check_integer("tokens", self.tokens)
        check_integer("k", self.k)
        check_part("then", self.then)
        if self.tokens < 1 or self.k < 1:
            raise ValueError(f"tokens and k are at least 1, not {self.tokens} and {self.k}")

    @property
    def is_masked(self) -> bool:
        return self.then.is_masked

    def search(self, task: Task, runs: int, rng: np.random.Generator) -> list[Answers]:
        sampler = task.sampler or (Sampler() if self.k * runs > 1 else Sampler.GREEDY)
        found: list[Answers] = []
        for _ in range(runs):
            answers = [self._answer(task, sampler, rng) for _ in range(self.k)]
            best = max(answers, key=lambda one: (one.whole, log_feasible(one) / max(len(one.steps), 1)))
            found.append(Samples([Weighted(best)]))
        return found

    def _answer(self, task: Task, sampler: Sampler, rng: np.random.Generator) -> Generation[Any]:
        task = replace(task, draft=self._write(task, sampler, int(rng.integers(1 << 63))))
        (found,) = self.then.search(task, 1, rng)
        return self.then.choose(found, rng)

    def _write(self, task: Task, sampler: Sampler, seed: int) -> str:
        model = task.model
        ids = model.encode(task.free_prompt())
        # Half of the context is kept for the answer, which is written after the draft.
        room = max((model.context - len(ids)) // 2, 1)
        budget = Budget(min(self.tokens, room), "cut")
        steps = decode(model.start(ids), None, task.vocabulary, budget, sampler=sampler, seed=seed)
        return "".join(step.text for step in steps).strip()
