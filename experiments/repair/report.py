"""Findings → claims, the page and the plot."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.page import table, verdicts
from experiments.repair.tail import Change, change
from experiments.statistic import bootstrap, wilson
from experiments.system import OUTCOMES

if TYPE_CHECKING:
    from experiments.repair.__main__ import Pair

FAILED = OUTCOMES[:2]
Sweep = Mapping[tuple[str, float], Sequence["Pair"]]


def rate(hits: int, count: int) -> str:
    low, high = wilson(hits, count)
    return f"{hits / count:.2%} ({low:.2%} to {high:.2%})"


def failed(pairs: Sequence[Pair]) -> float:
    """The share of first attempts without a mask that fail."""
    return sum(pair.free in FAILED for pair in pairs) / len(pairs)


def tail(pairs: Sequence[Pair], what: str, share: float | None = 95) -> Change:
    repaired, masked = ([float(getattr(getattr(pair, arm), what)) for pair in pairs] for arm in ("repaired", "masked"))
    return change(repaired, masked, share=share)


def repairs(sweep: Sweep) -> tuple[list[float], list[float]]:
    """Of inputs whose first attempt failed: all written tokens, and processor time, of the masked answer's."""
    pairs = [pair for found in sweep.values() for pair in found if pair.free in FAILED]
    return (
        [pair.repaired.tokens / max(pair.first, 1) for pair in pairs] or [math.nan],
        [pair.repaired.seconds / pair.masked.seconds for pair in pairs] or [math.nan],
    )


def judged(many: Counter[tuple[str, str]], sweep: Sweep) -> list[tuple[str, str, bool]]:
    count = many.total()
    unparsed = [sum(n for pair, n in many.items() if pair[arm] == OUTCOMES[0]) for arm in (0, 1)]
    few = [tail(pairs, "tokens") for pairs in sweep.values() if failed(pairs) < 0.03]
    lots = [tail(pairs, "tokens") for pairs in sweep.values() if failed(pairs) > 0.07]
    tokens, seconds = repairs(sweep)
    doubled = [float(np.mean(tokens)), *bootstrap(tokens)]
    slower = [float(np.median(seconds))]
    return [
        (
            "without masks some of 10,000 orders do not parse, as 6.8 % did: 95 % interval holds 6.8 %",
            rate(unparsed[0], count),
            wilson(unparsed[0], count)[0] <= 0.068 <= wilson(unparsed[0], count)[1],
        ),
        ("with masks at most 0.04 % do not parse (upper end of 95 %)", rate(unparsed[1], count),
         wilson(unparsed[1], count)[1] <= 0.0004),
        (
            "where more than 7 % of answers fail, the 95th percentile of tokens falls (the median setting by ≥ 30 %)",
            _range(lots), bool(lots) and float(np.median([one.value for one in lots])) <= -0.3,
        ),
        (
            "where less than 3 % fail, it stays within 5 % in all settings",
            _range(few), bool(few) and all(abs(one.value) <= 0.05 for one in few),
        ),
        (
            "a repair writes 1 to 3 times the tokens of the failed attempt besides (mean, 95 %)",
            f"{doubled[0] - 1:.2f} ({doubled[1] - 1:.2f} to {doubled[2] - 1:.2f})",
            1 <= doubled[0] - 1 <= 3,
        ),
        (
            "a repaired answer takes at least twice the processor time of the masked one (median)",
            f"{slower[0]:.2f} times", slower[0] >= 2,
        ),
    ]  # fmt: skip


def _range(changes: Sequence[Change]) -> str:
    if not changes:
        return "no such setting"
    values = sorted(100 * one.value for one in changes)
    return f"{values[0]:+.0f} to {values[-1]:+.0f} %, median {np.median(values):+.0f} % ({len(values)} settings)"


def page(many: Counter[tuple[str, str]], sweep: Sweep, claims: list[tuple[str, str, bool]], ran: str, seed: int) -> str:
    count = many.total()
    outcomes = table(
        ("10,000 orders, T=1" if count == 10_000 else f"{count} orders, T=1", "free", "masked"),
        [
            (name, *(rate(sum(n for pair, n in many.items() if pair[arm] == name), count) for arm in (0, 1)))
            for name in OUTCOMES
        ],
    )
    rows = []
    for (name, temperature), pairs in sorted(sweep.items(), key=lambda item: (item[0][0], item[0][1])):
        fails = sum(pair.free in FAILED for pair in pairs)
        left = sum(pair.repaired.outcome in FAILED for pair in pairs)
        right = [sum(getattr(pair, arm).outcome == "right" for pair in pairs) for arm in ("repaired", "masked")]
        rows.append(
            (name, temperature, rate(fails, len(pairs)), left, f"{right[0] / len(pairs):.1%}",
             f"{right[1] / len(pairs):.1%}", tail(pairs, "tokens"), tail(pairs, "tokens", None), tail(pairs, "seconds"),
             tail(pairs, "seconds", None))
        )  # fmt: skip
    heads = (
        "system", "T", "first attempts that fail", "still failed after 2 repairs", "right, repaired", "right, masked",
        "p95 of tokens", "mean of tokens", "p95 of processor time", "mean of processor time",
    )  # fmt: skip
    tokens, seconds = repairs(sweep)
    return f"""# What do masks save of failures and repairs?

The embedded model samples; its training broke 6 % of the targets on purpose, so the share of failures is a setting, not
a finding. Here the temperature moves it. *Free + repair*: an answer that fails goes back into the prompt with its
error, at most twice, in the words that the model was trained on. *Masked*: the same noise, under the schema's mask.

{verdicts(claims)}

{outcomes}

## The tail

Masked against free + repair on the 200 held-out inputs of each system; 95 % intervals by drawing pairs anew. Tokens are
those that were written. Processor time is the process's own, the arms in turn: on a busy machine its ratios hold, its
seconds do not.

{table(heads, rows)}

Of {len(tokens)} inputs whose first attempt failed, the repair wrote {np.mean(tokens) - 1:.2f} times its tokens
({np.quantile(tokens, 0.05) - 1:.2f} to {np.quantile(tokens, 0.95) - 1:.2f} for nine in ten) besides, and the whole took
{np.median(seconds):.2f} times the masked answer's processor time (median).

![The 95th percentile by the share of failures](tail.png)

A 95th percentile moves where at least 5 % of answers are repaired, because a repair about doubles an answer. Below
that only the last percents move. Where lengths differ, as orders do, a repaired short answer is no longer than a long
one, and the percentile moves later. So "p95 −41 %" is a statement about a share of failures and about lengths, not
about masks.

{ran} Seeds: {seed} and those derived from it in [__main__.py](__main__.py).

## What this does not show

* How often models fail that nobody taught to fail. The claim's 6.8 % and ours are settings of a training.
* What repairs cost behind an API: a new request, its queue and its prompt. Prompts are read here in one call, and are
  not among the tokens above.
* Latency: the machine is shared, so no wall-clock time is given.
* That masked answers are right: see [truth](../truth/results.md).
"""


def plot(sweep: Sweep, path: Path) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot: pip install matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, every = pyplot.subplots(1, 2, figsize=(9, 4), sharey=True)
    for axes, what, title in zip(every, ("tokens", "seconds"), ("tokens", "processor time"), strict=True):
        for number, name in enumerate(dict.fromkeys(name for name, _ in sweep)):
            points = sorted((100 * failed(pairs), tail(pairs, what)) for (of, _), pairs in sweep.items() if of == name)
            shares, changes = zip(*points, strict=True)
            middle = [100 * one.value for one in changes]
            spread = [
                [100 * (one.value - one.low) for one in changes],
                [100 * (one.high - one.value) for one in changes],
            ]
            axes.errorbar(
                shares, middle, yerr=np.maximum(spread, 0), marker="o", capsize=2, color=f"C{number}", label=name
            )
        axes.axvline(5, color="black", linestyle=":")
        axes.set(title=f"p95 of {title}", xlabel="% of first attempts that fail")
    every[0].set_ylabel("masked against free + repair, %")
    every[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
