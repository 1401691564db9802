"""Scores of right and wrong answers → how well a score tells them apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def auroc(scores: Sequence[float], wrong: Sequence[bool]) -> float | None:
    """The probability that a wrong answer has a larger score than a right one, ties counted half (Mann and Whitney
    1947); None where all are right or all wrong.

    >>> auroc([0.1, 0.2, 0.9, 0.2], [False, False, True, True])
    0.875
    """
    values, bad = np.asarray(scores, dtype=np.float64), np.asarray(wrong, dtype=bool)
    many, few = values[bad], np.sort(values[~bad])
    if not len(many) or not len(few):
        return None
    below, up_to = np.searchsorted(few, many, "left"), np.searchsorted(few, many, "right")
    return float((below + up_to).mean() / 2 / len(few))


def auroc_interval(
    scores: Sequence[float], wrong: Sequence[bool], seed: int = 0, rounds: int = 1000
) -> tuple[float, float] | None:
    """The bootstrap's 95 % interval: right and wrong answers are drawn anew, each among themselves."""
    values, bad = np.asarray(scores, dtype=np.float64), np.asarray(wrong, dtype=bool)
    if bad.all() or not bad.any():
        return None
    rng, found = np.random.default_rng(seed), []
    many, few = values[bad], values[~bad]
    verdict = [True] * len(many) + [False] * len(few)
    for _ in range(rounds):
        drawn = np.concatenate([rng.choice(many, len(many)), rng.choice(few, len(few))])
        found.append(auroc(drawn, verdict))
    low, high = np.quantile(np.array(found, dtype=np.float64), [0.025, 0.975])
    return float(low), float(high)
