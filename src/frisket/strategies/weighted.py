"""Answers × weights → probabilities of texts, the evidence, and a draw of one answer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from frisket import Generation

T = TypeVar("T")


@dataclass(frozen=True)
class Weighted(Generic[T]):
    """A value and the natural logarithm of its weight; comparable within one `Samples` only."""

    value: T
    log_weight: float = 0.0


class Samples(list[Weighted[T]]):
    """The answers of a strategy, each with its weight.

    >>> samples = Samples([Weighted("a", math.log(1)), Weighted("b", math.log(3))])
    >>> samples.weights.tolist()
    [0.25, 0.75]
    """

    def __init__(self, found: Iterable[Weighted[T]] = (), log_evidence: float | None = None) -> None:
        super().__init__(found)
        self.log_evidence = log_evidence
        """The estimated logarithm of the probability that the model gives to all wanted texts together; its exponential
        is unbiased. None if the strategy estimates none."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights, in the order of the answers, with the sum 1; all equal if no answer has any."""
        logarithms = np.array([one.log_weight for one in self], dtype=np.float64)
        top = logarithms.max(initial=-math.inf)
        weights: NDArray[np.float64] = np.exp(logarithms - top) if math.isfinite(top) else np.ones(len(self))
        weights /= weights.sum()
        return weights

    def pick(self, rng: np.random.Generator) -> T:
        """Draw one of the values, with the weights as probabilities."""
        return self[int(rng.choice(len(self), p=self.weights))].value


def texts(samples: Samples[Generation[Any]]) -> dict[str, float]:
    """Text → the sum of its weights, the largest first: a text may have come in several tokenisations."""
    found: dict[str, float] = {}
    for one, weight in zip(samples, samples.weights, strict=True):
        found[one.value.text] = found.get(one.value.text, 0.0) + float(weight)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def log_sum(logarithms: Iterable[float] | NDArray[np.float64]) -> float:
    """The logarithm of the sum of exponentials; −∞ if there are no terms.

    >>> round(math.exp(log_sum([math.log(1), math.log(2)])), 6)
    3.0
    """
    values = np.fromiter(logarithms, dtype=np.float64)
    top = values.max(initial=-math.inf)
    return float(top + np.log(np.exp(values - top).sum())) if math.isfinite(top) else -math.inf
