"""Pairs of outcomes → claims, the page and the plot."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.page import table, verdicts
from experiments.statistic import sign_test, wilson
from experiments.system import OUTCOMES

UNPARSED, BROKEN, WRONG, RIGHT = OUTCOMES


@dataclass(frozen=True)
class Pair:
    """What one input's answers are worth, and whether they are the same text."""

    free: str
    masked: str
    same: bool

    @property
    def failed(self) -> bool:
        """Whether the answer without a mask has no valid form."""
        return self.free in (UNPARSED, BROKEN)


Found = Mapping[tuple[str, float], Sequence[Pair]]


def rate(hits: int, count: int) -> str:
    if not count:
        return "-"
    low, high = wilson(hits, count)
    return f"{hits} of {count}: {hits / count:.1%} ({low:.1%} to {high:.1%})"


def judged(found: Found, every: Sequence[Pair]) -> list[tuple[str, str, bool]]:
    pairs = [pair for one in found.values() for pair in one]
    wrong = [pair for pair in pairs if pair.free == WRONG]
    kept = sum(pair.same for pair in wrong)
    broken = sum(pair.masked in (UNPARSED, BROKEN) for pair in pairs)
    mended = [pair for pair in pairs if pair.failed]
    lies = sum(pair.masked == WRONG for pair in mended)
    valid = [pair for pair in pairs if not pair.failed]
    share = sum(pair.free == WRONG for pair in valid) / max(len(valid), 1)
    low = wilson(lies, len(mended))[0] if mended else 0.0
    grown = [sum(getattr(pair, arm) == WRONG for pair in pairs) for arm in ("free", "masked")]
    return [
        ("valid but wrong answers stay what they are under the mask, to the letter (all)", rate(kept, len(wrong)),
         kept == len(wrong)),
        ("no masked answer fails to parse or breaks the schema", rate(broken, len(pairs)), not broken),
        ("so the mask adds valid but wrong answers: more pairs gain one than lose one (p < 0.05)",
         f"{grown[0]} before, {grown[1]} after; p = {_change(pairs):.1e}",
         grown[1] > grown[0] and _change(pairs) < 0.05),
        (f"mended answers are wrong more often than those that were valid alone ({share:.1%}; 95 %)",
         rate(lies, len(mended)), low > share),
        ("of the tutor's 300 sentences no masked answer has another form or value than its 28 values",
         rate(sum(pair.masked in (UNPARSED, BROKEN) for pair in every), len(every)),
         len(every) > 0 and all(pair.masked in (WRONG, RIGHT) for pair in every)),
    ]  # fmt: skip


def _change(pairs: Sequence[Pair]) -> float:
    gained = sum(pair.masked == WRONG != pair.free for pair in pairs)
    lost = sum(pair.free == WRONG != pair.masked for pair in pairs)
    return sign_test(gained, lost)


def page(
    found: Found, every: Sequence[Pair], heldout: int, claims: list[tuple[str, str, bool]], ran: str, seed: int
) -> str:
    rows = []
    for (name, temperature), pairs in found.items():
        for arm in ("free", "masked"):
            counts = Counter(getattr(pair, arm) for pair in pairs)
            shares = [f"{counts[outcome] / len(pairs):.1%}" for outcome in OUTCOMES]
            valid = counts[WRONG] + counts[RIGHT]
            rows.append((name, temperature, arm, *shares, rate(counts[WRONG], valid)))
    moves = Counter((pair.free, pair.masked) for pairs in found.values() for pair in pairs)
    crossed = table(
        ("free \\ masked", *OUTCOMES),
        [(before, *(moves[before, after] for after in OUTCOMES)) for before in OUTCOMES],
    )
    outcomes = Counter((pair.free, pair.masked) for pair in every)
    wrong = sum(number for (_, masked), number in outcomes.items() if masked == WRONG)
    total = len(next(iter(found.values())))
    return f"""# Does a mask make answers true?

{total} held-out inputs of each worked system, answered without a mask and with it: greedily (T=0), and at temperature 1
on the same noise for both. An answer may fail to parse, break the schema, be valid but wrong, or be right.

{verdicts(claims)}

{table(("system", "T", "arm", *OUTCOMES, "wrong, of those that are valid"), rows)}

## Pair by pair

All systems and temperatures. Off the diagonal is what the mask changed.

{crossed}

![Outcomes](outcomes.png)

The mask gives a form to answers that had none, and does nothing to a valid one: a wrong value that the schema allows
is as likely to the model as before. Some of what it mends is wrong, and looks like every other answer. So after a mask,
fewer wrong answers can be told by their form, and no valid answer has become true.

## The tutor's 300 sentences

20 verbs, 5 tenses and 3 persons are 28 values in 300 combinations. One sentence of each, greedily under the
mask; {heldout} are of combinations that training never saw, and of the others there are none such:
{rate(sum(pair.masked == RIGHT for pair in every), len(every))} are right, {wrong} have a wrong value, and
{sum(pair.masked in (UNPARSED, BROKEN) for pair in every)} have none of the values. Without the mask
{sum(pair.free == RIGHT for pair in every)} are right and {sum(pair.failed for pair in every)} have no valid form. *Zero
failures* is a statement about form: of {len(every)} sentences it says that fewer than
{wilson(0, max(len(every), 1))[1]:.1%} fail (95 %).

{ran} Seeds: {seed} and those derived from it in [__main__.py](__main__.py).

## What this does not show

* How often large models are wrong. The embedded model was trained on these four tasks.
* That valid draws stay the same in every grammar: they do where the schema allows the model's own spelling, as here.
  Where a mask forbids the order of members or the white space that a model prefers, values may change with the form.
* What a mask does where it forbids values, and not only forms, that the model would have given: see
  [FRK201 and its neighbours](../../docs/how-to/lint.md).
"""


def plot(found: Found, path: Path) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot: pip install matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [(key, arm) for key in found for arm in ("free", "masked")][::-1]
    names = [f"{name}, T={temperature:g}, {arm}" for (name, temperature), arm in rows]
    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.32 * len(rows)), layout="constrained")
    left = [0.0] * len(rows)
    for outcome, colour in zip(OUTCOMES, ("#b2182b", "#ef8a62", "#fddbc7", "#4393c3"), strict=True):
        shares = [
            100 * sum(getattr(pair, arm) == outcome for pair in found[key]) / len(found[key]) for key, arm in rows
        ]
        axes.barh(names, shares, left=left, label=outcome, color=colour)
        left = [before + share for before, share in zip(left, shares, strict=True)]
    axes.set(xlim=(70, 100), xlabel="% of inputs (from 70)")
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    figure.savefig(path, dpi=110)
