"""Counts and numbers → p-values, distances and 95 % intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

Z = 1.959964


def chi_square(drawn: Counter, expected: Mapping[Hashable, float], least: float = 5.0) -> tuple[float, int]:
    """The p-value of Pearson's test and its degrees of freedom; rare outcomes are joined until `least` are expected.

    An outcome without probability is no chance: its p-value is 0.
    """
    if drawn.keys() - expected.keys():
        return 0.0, 0
    count = drawn.total()
    bins, rare = [], [0.0, 0.0]
    for key, probability in sorted(expected.items(), key=lambda item: item[1]):
        if count * probability < least:
            rare[0] += drawn[key]
            rare[1] += count * probability
            if rare[1] >= least:
                bins.append(tuple(rare))
                rare = [0.0, 0.0]
        else:
            bins.append((drawn[key], count * probability))
    bins.append(tuple(rare))
    statistic = sum((seen - wanted) ** 2 / wanted for seen, wanted in bins if wanted > 0)
    free = sum(wanted > 0 for _, wanted in bins) - 1
    return chi_square_tail(statistic, free), free


def chi_square_tail(statistic: float, free: int) -> float:
    """The probability of a larger statistic: the upper incomplete gamma function of half the degrees, by recurrence.

    >>> round(chi_square_tail(3.841459, 1), 4), round(chi_square_tail(18.307038, 10), 4)
    (0.05, 0.05)
    """
    half, x = free / 2, statistic / 2
    if free % 2:
        tail, order = math.erfc(math.sqrt(x)), 0.5
    else:
        tail, order = math.exp(-x), 1.0
    while order < half:
        tail += math.exp(order * math.log(x) - x - math.lgamma(order + 1)) if x else 0.0
        order += 1
    return min(tail, 1.0)


def total_variation(drawn: Counter, expected: Mapping[Hashable, float]) -> float:
    """Half the sum of differences between shares and probabilities."""
    count = drawn.total()
    return sum(abs(drawn[key] / count - expected.get(key, 0.0)) for key in {*drawn, *expected}) / 2


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927).

    >>> [round(bound, 3) for bound in wilson(190, 200)]
    [0.91, 0.973]
    """
    share, squared = hits / count, Z * Z
    middle = (share + squared / (2 * count)) / (1 + squared / count)
    half = Z / (1 + squared / count) * math.sqrt(share * (1 - share) / count + squared / (4 * count * count))
    # At 0 and 1 the interval ends there, but for rounding.
    return max(min(middle - half, share), 0.0), min(max(middle + half, share), 1.0)


def bootstrap(values: Sequence[float], seed: int = 0, rounds: int = 5000) -> tuple[float, float]:
    """The 95 % interval of a mean, by drawing the values anew."""
    found = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(seed)
    means = found[rng.integers(len(found), size=(rounds, len(found)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def sign_test(better: int, worse: int) -> float:
    """The two-sided p-value that pairs differ in one direction so often by chance; ties say nothing.

    >>> round(sign_test(9, 1), 4)
    0.0215
    """
    count, few = better + worse, min(better, worse)
    return min(1.0, 2 * sum(math.comb(count, place) for place in range(few + 1)) / 2**count)
