"""Task → answers with weights: the base class of all strategies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frisket import Generation, Sampler
from frisket.errors import LimitExceededError, StrategyError
from frisket.strategies.weighted import Samples

if TYPE_CHECKING:
    from frisket.extension import Task

Answers: TypeAlias = Samples[Generation[Any]]


class Strategy(ABC):
    """A way to find whole answers. Immutable: one object serves many calls and threads."""

    @property
    def is_masked(self) -> bool:
        """Whether every answer comes from the decode loop, which obeys `on_budget`, `min_tokens` and `guard`."""
        return False

    def answer(self, task: Task, seed: int) -> Generation[Any]:
        """The one answer that `generate` returns."""
        rng = np.random.default_rng(seed)
        (found,) = self.search(task, 1, rng)
        return self.choose(found, rng)

    @abstractmethod
    def search(self, task: Task, runs: int, rng: np.random.Generator) -> list[Answers]:
        """The answers of each of `runs` independent runs; a run may find none. StrategyError if an option of the task
        contradicts what the strategy promises."""

    def choose(self, found: Answers, rng: np.random.Generator) -> Generation[Any]:
        """One answer of a run: drawn by weight, unless the strategy ranks them."""
        if not found:
            raise nothing_found()
        return found.pick(rng)


def check_part(name: str, value: object) -> None:
    """TypeError unless this is a strategy, for a field of another one."""
    if not isinstance(value, Strategy):
        got = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
        raise TypeError(f"{name} is a Strategy, got {got}: write {name}=frisket.strategies.Beams(4), for instance")


def drawing_sampler(task: Task, strategy: str) -> Sampler:
    """The sampler of a strategy whose weights refer to the distribution that it draws from.

    StrategyError for a sampler that takes the likeliest token or truncates: no weight could correct that.
    """
    sampler = task.sampler or Sampler()
    cut = [
        name
        for name, is_set in (
            ("temperature=0", sampler.temperature == 0),
            ("top_k", sampler.top_k is not None),
            ("top_p", sampler.top_p < 1),
            ("min_p", sampler.min_p > 0),
        )
        if is_set
    ]
    if cut:
        raise StrategyError(
            f"{strategy} draws from the model's whole distribution, which {' and '.join(cut)} would cut",
            where="sampler",
            hint="leave the sampler out, or choose a temperature and a repetition_penalty alone",
        )
    return sampler


def refuse_stops(task: Task, strategy: str) -> None:
    """StrategyError if the task has stop strings."""
    if task.stop:
        raise StrategyError(
            f"{strategy} compares whole texts, and a stop string cuts them",
            where="stop",
            hint="leave the stop strings out, or write the end into the grammar (frisket.parts.until)",
        )


def nothing_found() -> LimitExceededError:
    return LimitExceededError(
        "no whole text was found within max_tokens",
        where="strategy",
        hint="raise max_tokens, or bound the schema (maxLength, maxItems)",
    )
