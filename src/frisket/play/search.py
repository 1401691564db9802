"""Task × Strategy → the chosen answer, and a tree of all paths of the search."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from frisket import Generation
from frisket.extension import Task
from frisket.play.tree import Grove, tree
from frisket.play.watch import Watch
from frisket.strategies import Beams, Best, Draft, Particles, Strategy

#: Most answers that a strategy may hold at the same time.
WIDEST = 64

#: Strategies on the page: (command-line spelling, name, purpose, meaning of the number, default number).
OFFERED = (
    ("exact", "Exact draw", "a draw from the model's own distribution, given the grammar", None, 0),
    ("asap", "ASAp", "the same in the long run; the first answer is that of a mask", None, 0),
    ("particles", "Particles", "weighted answers that grow together, drawn anew by weight", "particles", 8),
    ("beams", "Beams", "the likeliest of what so many beams find", "beams", 4),
    ("best", "Best of several", "the answer that the mask overruled least", "answers", 4),
    ("draft", "Draft first", "an answer of a model that has read its own draft, written freely", "tokens", 64),
)
#: Strategies that may contain another strategy.
NESTING = ("best", "draft")


def listed() -> list[dict[str, Any]]:
    """The strategies that the page offers, as JSON values."""
    return [
        {"name": name, "title": title, "finds": finds, "counts": counts, "number": number, "nests": name in NESTING}
        for name, title, finds, counts, number in OFFERED
    ]


def width(strategy: Strategy) -> int:
    """The number of answers that a strategy holds at once.

    >>> width(Best(4, of=Draft(64, then=Beams(2))))
    8
    """
    if isinstance(strategy, Best):
        return strategy.n * width(strategy.of)
    if isinstance(strategy, Draft):
        return strategy.k * width(strategy.then)
    return strategy.n if isinstance(strategy, Particles | Beams) else 1


@dataclass
class Finder:
    """A search that another thread can watch and stop."""

    task: Task
    strategy: Strategy
    seed: int
    watch: Watch = field(default_factory=Watch)
    grove: Grove = field(default_factory=Grove)

    def run(self) -> dict[str, Any]:
        """The tree, and the tokens of the answer that `frisket.generate` returns with the same seed.

        Raises the strategy's StrategyError and LimitExceededError, and StoppedError if the search was stopped.
        """
        task = replace(self.task, model=self.watch.model(self.task.model), observer=self.grove.add)
        rng = np.random.default_rng(self.seed)
        (found,) = self.strategy.search(task, 1, rng)
        chosen: Generation[Any] = self.strategy.choose(found, rng)
        return {
            "tree": tree(self.grove, found, chosen, task.vocabulary),
            "chosen": {"tokens": [step.token for step in chosen.steps], "draft": chosen.draft},
            "progress": self.progress(),
        }

    def progress(self) -> dict[str, int]:
        """The progress of the search."""
        return {"calls": self.watch.calls, "paths": self.grove.fates.total()}
