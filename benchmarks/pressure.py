"""`python -m benchmarks.pressure` → what it costs to measure pressure, and how exact the figures are.

Three parts: tokens per second of the embedded model with and without measuring, which take turns answer by answer;
one step at 128,256 logits on one core; Σ log p/q beside Σ log α, with p and q from softmaxes in 64 bits. Exits with 1
if a bound is missed.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from unittest import mock

import numpy as np

import frisket
from frisket.decoding import loop
from frisket.decoding.document import Document
from frisket.logits.numpy import FeasibleMass, allowed, feasible_mass

MOST_LOST = 0.03
MOST_MICROSECONDS = 150
MOST_WRONG = 1e-4
LOGITS = 128_256
ANSWERS = {
    "triage": "My card was charged twice and nobody answers the phone",
    "tutor": "She wrote a book",
    "orders": "two large oat lattes and an espresso",
    "agent": "What is the weather in Oslo tomorrow?",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pressure", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=100, help="answers of each kind and way")
    parser.add_argument("--steps", type=int, default=400, help="timed steps of each kind of mask")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: other programs may run at the same time")
    kept = [lost(options.rounds) <= MOST_LOST, slowest(options.steps) <= MOST_MICROSECONDS, error() <= MOST_WRONG]
    sys.exit(0 if all(kept) else 1)


def lost(rounds: int) -> float:
    """The share of tokens per second that measuring takes with the report and its sums.

    The ways take turns, answer by answer, and the smallest time of each counts. Seconds are those of this thread on a
    processor: on a busy machine the clock on the wall measures other programs.
    """
    model = frisket.models.embedded()
    ways: dict[str, tuple[Callable[[], AbstractContextManager[None]], bool]] = {
        "unmeasured": (unmeasured, False),
        "measured": (nullcontext, False),
        "measured and reported": (nullcontext, True),
    }
    seconds = {way: dict.fromkeys(ANSWERS, math.inf) for way in ways}
    tokens = dict.fromkeys(ANSWERS, 0)
    for turn in range(rounds):
        for name, prompt in ANSWERS.items():
            for way in sorted(ways, reverse=bool(turn % 2)):
                context, reported = ways[way]
                with context():
                    answer = frisket.stream(model, prompt, frisket.examples.load(name))
                    began = time.thread_time()  # the prompt has been read
                    generation = answer.generation()
                    if reported:
                        assert generation.report.total.steps and generation.report.paths
                    took = time.thread_time() - began
                tokens[name] = len(generation.steps)
                seconds[way][name] = min(seconds[way][name], took)
    speed = {way: sum(tokens.values()) / sum(seconds[way].values()) for way in ways}
    for way in ways:
        share = 1 - speed[way] / speed["unmeasured"]
        bound = f", {share:+.1%} lost (bound {MOST_LOST:.0%})" if way != "unmeasured" else ""
        print(f"embedded model, {way}: {speed[way]:,.0f} tokens/s{bound}")
    return share


@contextmanager
def unmeasured() -> Iterator[None]:
    """The loop without figures: it finds the likeliest allowed token as numpy does, and knows no path."""

    def likeliest(logits: Any, bitmask: Any) -> FeasibleMass:
        ids = cached(bitmask, logits.size)
        token = int(ids[logits[ids].argmax()])
        return FeasibleMass(0.0, 0.0, token, token)

    known: dict[int, tuple[Any, Any]] = {}

    def cached(bitmask: Any, size: int) -> Any:
        # The loop keeps the ids of a mask, and so does this one.
        if id(bitmask) not in known:
            known[id(bitmask)] = bitmask, np.flatnonzero(allowed(bitmask, (size,)))
        return known[id(bitmask)][1]

    with mock.patch.object(loop, "feasible_mass", likeliest), mock.patch.object(Document, "of", lambda _: None):
        yield


def slowest(steps: int) -> float:
    """Microseconds of one step at LOGITS logits: the median of the kind of masks that takes longest."""
    rng = np.random.default_rng(0)
    worst = 0.0
    for kind, share in (("one token", 0.0), ("half of them", 0.5), ("all tokens", 1.0)):
        bits = rng.random(LOGITS) < share
        bits[LOGITS // 3] = True
        bitmask = np.packbits(bits, bitorder="little").view("<u4")
        rows = rng.normal(size=(8, LOGITS)).astype(np.float32) * 4
        took = []
        for step in range(steps):
            began = time.perf_counter()
            feasible_mass(rows[step % len(rows)], bitmask)
            took.append((time.perf_counter() - began) * 1e6)
        took.sort()
        print(
            f"{LOGITS:,} logits, {kind} allowed: p50 {statistics.median(took):.0f} µs, p99 "
            f"{took[len(took) * 99 // 100]:.0f} µs (bound of the median {MOST_MICROSECONDS} µs)"
        )
        worst = max(worst, statistics.median(took))
    return worst


def error() -> float:
    """The largest difference between Σ log p/q and Σ log α over answers, greedy and drawn."""
    model, worst, count, ways = frisket.models.embedded(), 0.0, 0, (frisket.Sampler.GREEDY, frisket.Sampler())
    for name, prompt in ANSWERS.items():
        for seed, sampler in enumerate(ways * 3):
            with recorded() as rows:
                generation = frisket.stream(
                    model, prompt, frisket.examples.load(name), sampler=sampler, seed=seed
                ).generation()
            ratio = 0.0
            for (logits, bitmask), step in zip(rows, generation.steps, strict=False):
                row = logits.astype(np.float64)
                keep = allowed(bitmask, row.shape)
                p = np.exp(row - row.max())
                p /= p.sum()
                # From its own largest: the mass may be too small for a difference.
                q = np.where(keep, np.exp(row - row[keep].max()), 0.0)
                q /= q.sum()
                ratio += math.log(p[step.token]) - math.log(q[step.token])
            worst = max(worst, abs(ratio + generation.report.total.nats))
            count += len(generation.steps)
    print(
        f"|Σ log p/q − Σ log α| ≤ {worst:.1e} in any of {6 * len(ANSWERS)} answers, {count} steps (bound {MOST_WRONG})"
    )
    return worst


@contextmanager
def recorded() -> Iterator[list[tuple[Any, Any]]]:
    """The logits and masks that the loop measures."""
    rows: list[tuple[Any, Any]] = []

    def measure(logits: Any, bitmask: Any) -> FeasibleMass:
        rows.append((logits.copy(), bitmask))
        return feasible_mass(logits, bitmask)

    with mock.patch.object(loop, "feasible_mass", measure):
        yield rows


if __name__ == "__main__":
    main()
