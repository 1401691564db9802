"""Costs of paired answers → how much the mean and the 95th percentile differ, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Change:
    """Masked against repaired, as a fraction: −0.4 is 40 % less."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.value:+.0f} % ({100 * self.low:+.0f} to {100 * self.high:+.0f})"


def change(repaired: Sequence[float], masked: Sequence[float], *, share: float | None, seed: int = 0) -> Change:
    """The change of a percentile (None: of the mean), and its 95 % interval by drawing the pairs anew.

    >>> str(change([10.0] * 90 + [20.0] * 10, [10.0] * 100, share=95))
    '-50 % (-50 to +0)'
    """
    before, after = np.asarray(repaired, dtype=float), np.asarray(masked, dtype=float)
    rng = np.random.default_rng(seed)
    picks = rng.integers(len(before), size=(2000, len(before)))
    ratios = _of(after[picks], share) / _of(before[picks], share) - 1
    value = _of(after[None], share)[0] / _of(before[None], share)[0] - 1
    low, high = np.quantile(ratios, [0.025, 0.975])
    return Change(float(value), float(low), float(high))


def _of(values: np.ndarray, share: float | None) -> np.ndarray:
    return values.mean(axis=1) if share is None else np.percentile(values, share, axis=1)
