"""The statistics of experiments, against known values."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from experiments.heal.__main__ import edits
from experiments.statistic import bootstrap, chi_square, chi_square_tail, sign_test, total_variation, wilson


@pytest.mark.parametrize(
    ("statistic", "free", "tail"),
    # Abramowitz and Stegun, table 26.8
    [(3.841459, 1, 0.05), (5.991465, 2, 0.05), (11.0705, 5, 0.05), (18.30704, 10, 0.05), (149.4493, 100, 0.001)],
)
def test_the_tail_of_chi_square(statistic: float, free: int, tail: float) -> None:
    assert chi_square_tail(statistic, free) == pytest.approx(tail, rel=1e-3)


def test_draws_of_a_distribution_pass_and_others_fail() -> None:
    rng = np.random.default_rng(0)
    expected = {number: p for number, p in enumerate([0.5, 0.3, 0.1, 0.06, 0.03, 0.009, 0.001])}
    ps = []
    for _ in range(300):
        drawn = Counter(dict(enumerate(rng.multinomial(2000, list(expected.values())).tolist())))
        ps.append(chi_square(drawn, expected)[0])
    assert 0.4 < np.mean(ps) < 0.6 and 0.01 < np.mean(np.array(ps) < 0.05) < 0.1
    other = Counter(dict(enumerate(rng.multinomial(2000, [0.4, 0.4, 0.1, 0.06, 0.03, 0.009, 0.001]).tolist())))
    assert chi_square(other, expected)[0] < 1e-6
    assert chi_square(Counter({7: 1}), expected) == (0.0, 0)


def test_distances_and_intervals() -> None:
    assert total_variation(Counter({"a": 3, "b": 1}), {"a": 0.5, "b": 0.5}) == pytest.approx(0.25)
    for count in range(1, 700):
        for hits in (0, count):
            low, high = wilson(hits, count)
            assert 0 <= low <= hits / count <= high <= 1, "whatever the rounding"
    low, high = wilson(95, 100)
    assert low == pytest.approx(0.888, abs=1e-3) and high == pytest.approx(0.978, abs=1e-3)
    low, high = bootstrap([0.0, 1.0] * 200)
    assert low < 0.5 < high and high - low == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(400), rel=0.1)
    assert sign_test(10, 0) == pytest.approx(2 / 1024) and sign_test(5, 5) == 1.0


def test_edits() -> None:
    assert [edits("", "ab"), edits("ab", "ab"), edits("kitten", "sitting"), edits("ab", "")] == [2, 0, 3, 2]
