"""Scores by arm and budget → claims, the page and the plot."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.page import table, verdicts
from experiments.statistic import bootstrap

#: Beams draw nothing: they stand where temperature is 0 alone.
ARMS = ("cut", "cut, read so far", "finish", "beams")
SHORT = (0.6, 0.7, 0.8, 0.9)


class Key(NamedTuple):
    system: str
    temperature: float
    share: float
    """The budget, as a share of the right answer's tokens."""
    arm: str


class Score(NamedTuple):
    f1: float
    """Of the fields; 0 where there is no answer."""
    valid: bool
    impossible: bool = False
    """Whether no document at all takes so few tokens."""


Found = Mapping[Key, Sequence[Score]]


def scores(found: Found, arm: str, shares: Sequence[float], temperature: float = 0.0, system: str = "") -> list[float]:
    """The scores of an arm, input by input, in the same order for every arm."""
    return [
        score.f1
        for key, every in sorted(found.items())
        if key.arm == arm and key.share in shares and key.temperature == temperature and system in ("", key.system)
        for score in every
    ]


def difference(found: Found, one: str, other: str, shares: Sequence[float], temperature: float = 0.0) -> list[float]:
    left, right = (np.array(scores(found, arm, shares, temperature)) for arm in (one, other))
    gaps = left - right
    return [float(gaps.mean()), *bootstrap(gaps.tolist())]


def _told(gap: Sequence[float]) -> str:
    return "{:+.3f} ({:+.3f} to {:+.3f})".format(*gap)


def judged(found: Found) -> list[tuple[str, str, bool]]:
    finished = [
        score for key, every in found.items() if key.arm == "finish" for score in every
        if not score.impossible
    ]  # fmt: skip
    whole = sum(score.valid for score in finished)
    claims = [
        ("finished answers are valid wherever a document takes so few tokens", f"{whole} of {len(finished)}",
         whole == len(finished)),
    ]  # fmt: skip
    for temperature in (0.0, 1.0):
        for one, other, what in (
            ("finish", "cut", "more fields are right when finished than when cut"),
            ("finish", "cut, read so far", "the same where a cut answer is read as far as it goes"),
            ("beams", "finish", "beams get more fields right than finishing alone"),
        ):
            if temperature and one == "beams":
                continue
            gap = difference(found, one, other, SHORT, temperature)
            claims.append((f"T={temperature:g}, 0.6–0.9: {what} (difference of F1, 95 %)", _told(gap), gap[1] > 0))
    gap = difference(found, "finish", "cut", (1.2,))
    claims.append(("at 1.2 times the tokens it makes no difference (95 % within 0.02)", _told(gap),
                   abs(gap[1]) <= 0.02 and abs(gap[2]) <= 0.02))  # fmt: skip
    return claims


def page(found: Found, claims: list[tuple[str, str, bool]], ran: str, seed: int) -> str:
    shares = sorted({key.share for key in found})
    systems = list(dict.fromkeys(key.system for key in found))
    parts = []
    for temperature in (0.0, 1.0):
        rows = []
        for arm in ARMS if not temperature else ARMS[:-1]:
            cells = []
            for share in shares:
                values = scores(found, arm, (share,), temperature)
                cells.append("{:.3f} ({:.3f} to {:.3f})".format(float(np.mean(values)), *bootstrap(values)))
            rows.append((arm, *cells))
        parts.append(f"### T={temperature:g}\n\n" + table(("arm", *(f"{share:g} ×" for share in shares)), rows))
    every = "\n\n".join(parts)
    rows = []
    for system in systems:
        for arm in ARMS:
            means = [f"{np.mean(scores(found, arm, (share,), 0.0, system)):.3f}" for share in shares]
            rows.append((system, arm, *means))
    impossible = [
        (system, *(sum(one.impossible for one in found[Key(system, 0.0, share, "finish")]) for share in shares))
        for system in systems
    ]
    count = len(next(iter(found.values())))
    return f"""# What is left of an answer when tokens are short?

{count} held-out inputs of each worked system: {", ".join(systems)}. The budget is a share of the tokens that the right
answer takes, as the model spells it. *Cut*: the text ends where the tokens do, and what does not parse is no answer.
*Cut, read so far*: the same text, read as far as it goes (`PartialValue`). *Finish*: masks with room. *Beams*:
`Beams(4)` of answers that end within the budget.

F1 is that of the leaves of the answer, each with its path, against the right answer's; no answer counts 0.

{verdicts(claims)}

## F1 by budget

All systems, means and 95 % intervals. At temperature 1, all arms are drawn on the same noise.

{every}

![F1 by budget](fields.png)

## By system, T=0

{table(("system", "arm", *(f"{share:g} ×" for share in shares)), rows)}

Inputs whose budget no document of the schema meets: an error says so before the model is asked, and the score is 0.

{table(("system", *(f"{share:g} ×" for share in shares)), impossible)}

{ran} Seeds: {seed} and those derived from it in [__main__.py](__main__.py).

## What this does not show

* That a short budget is a good idea: at 0.6 no answer can be right as a whole.
* What half an answer is worth to its reader. F1 counts a finished answer's invented fields against it, but whoever
  trusts it sees no gap; a cut answer shows that something is missing.
* Free texts, where an answer can be brief. Three of these systems have answers of nearly fixed length, so a budget
  below it leaves no good answer at all.
* Large models, which may plan for a budget that the prompt tells them.
"""


def plot(found: Found, path: Path) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot: pip install matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    shares = sorted({key.share for key in found})
    systems = list(dict.fromkeys(key.system for key in found))
    figure, every = pyplot.subplots(1, len(systems) + 1, figsize=(3.2 * (len(systems) + 1), 3.4), sharey=True)
    for axes, system in zip(every, ["", *systems], strict=True):
        for number, arm in enumerate(ARMS):
            values = [scores(found, arm, (share,), 0.0, system) for share in shares]
            low, high = zip(*(bootstrap(one) for one in values), strict=True)
            axes.plot(shares, [np.mean(one) for one in values], marker="o", color=f"C{number}", label=arm)
            axes.fill_between(shares, low, high, color=f"C{number}", alpha=0.15)
        axes.set(title=system or "all", xlabel="budget / right answer's tokens")
    every[0].set_ylabel("F1 of fields, T=0")
    every[0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
