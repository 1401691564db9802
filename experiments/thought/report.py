"""Answers of `python -m experiments.thought` → verdicts, the page and the plot."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.page import findings, interval, points, share, table
from experiments.statistic import bootstrap, sign_test, wilson

if TYPE_CHECKING:
    from experiments.thought.run import Answer, Run

ABOUT = {
    "free": "no mask: the model thinks in free text, and says its answer",
    "direct": "JSON with the answer alone; the prompt asks for it",
    "direct, overruled": "the same mask, but the prompt does not tell, and the model would think",
    "direct, votes": "as many direct answers as the tokens pay for, drawn at T=1; the most frequent",
    "answer first": "JSON: the answer, then the reason",
    "reason first": "JSON: the reason, then the answer",
    "draft": "`frisket.strategies.Draft`: free text, then JSON with the answer by the model that has read it",
    "CRANE": "one grammar: free text up to a marker, then JSON with the answer",
}


def answers(runs: Sequence[Run], arm: str, *, products: int = 2, drawn: bool = False) -> list[Answer]:
    """Those of one arm, in one order in all arms."""
    found = [
        one for run in runs for one in run.answers if one.arm == arm and one.products == products and one.drawn == drawn
    ]
    return sorted(found, key=lambda one: (one.seed, one.place))


def compared(
    runs: Sequence[Run], left: str, right: str, *, products: int = 2, drawn: bool = False
) -> tuple[float, float, float, float]:
    """The difference of two arms in points, its 95 % interval over inputs, and the p-value of the sign test."""
    pairs = list(zip(*(answers(runs, arm, products=products, drawn=drawn) for arm in (left, right)), strict=True))
    assert all((one.seed, one.place) == (other.seed, other.place) for one, other in pairs), "arms are not paired"
    points = [100 * (one.right - other.right) for one, other in pairs]
    better, worse = sum(one > 0 for one in points), sum(one < 0 for one in points)
    return sum(points) / len(points), *bootstrap(points), sign_test(better, worse)


def judged(runs: Sequence[Run]) -> list[tuple[str, str, bool]]:
    def claim(text: str, left: str, right: str) -> tuple[str, str, bool]:
        found = compared(runs, left, right)
        return text, points(found), found[1] > 0

    return [
        claim("a draft before the mask gains up to 24 points over the mask alone (DCCD)", "draft", "direct"),
        claim("free thought and then a mask gains up to 10 points over the mask alone (CRANE)", "CRANE", "direct"),
        claim("masks fight thought: a model that would think loses by a mask", "free", "direct, overruled"),
        claim("… and thought inside JSON loses against free thought", "free", "reason first"),
        claim("the reason belongs before the answer", "reason first", "answer first"),
        claim("a draft gains over a reason inside the JSON, at equal tokens", "draft", "reason first"),
    ]


def page(runs: Sequence[Run], claims: Sequence[tuple[str, str, bool]], ran: str) -> str:
    rows = []
    for arm, about in ABOUT.items():
        found = answers(runs, arm)
        tokens = sum(one.tokens for one in found) / len(found)
        known = [one.nats for one in found if one.nats is not None]
        nats = f"{sum(known) / len(known):.2f}" if known else ""
        rows.append(
            (
                f"**{arm}**: {about}",
                interval(found),
                interval(answers(runs, arm, drawn=True)),
                interval(answers(runs, arm, products=3)),
                f"{tokens:.1f}",
                nats,
            )
        )
    heads = ("arm", "2 products", "2 products, drawn", "3 products", "tokens", "Σ −log α")
    others = [
        (f"{left} − {right}", *(points(compared(runs, left, right, products=n, drawn=d)) for n, d in WHERE))
        for left, right in (
            ("draft", "direct"),
            ("draft", "direct, votes"),
            ("draft", "reason first"),
            ("CRANE", "draft"),
            ("free", "direct, overruled"),
            ("direct", "direct, overruled"),
        )
    ]
    models = [
        (
            run.seed,
            f"{run.parameters:,}",
            f"{run.seconds:.0f}",
            f"{run.loss:.4f}",
            *(share(answers([run], arm)) for arm in ABOUT),
        )
        for run in runs
    ]
    return f"""# Do masks fight thought, and do drafts help?

Small transformers learn to add up products: `3*8+6*2` takes two steps, the products `24, 12` and their sum 36. They
learn to answer in free text (`24, 12, 36. Answer: 36`), and in JSON where the prompt names the properties. Each arm
answers the same sums, which nobody was trained on, and may spend the same tokens, its draft or reason included.

{findings(claims)}

% of answers right, with 95 % intervals (Wilson's) over inputs and seeds. *Drawn*: at temperature 1, with Gumbel noise
that all arms share; else greedy. *Tokens*: what an answer took, of 2 products. *Σ −log α*: what the mask took from it,
in nats, where that is known.

{table(heads, rows)}

![Accuracy by arm](accuracy.png)

Differences in points, paired by input and seed, with the bootstrap's 95 % interval and the p-value of the sign test:

{table(("", "2 products", "2 products, drawn", "3 products"), others)}

## The models

Half of the thoughts that they learn end in JSON. A draft is right in training. Share of right answers, 2 products:

{table(("seed", "parameters", "CPU seconds", "loss", *ABOUT), models)}

{ran} Seeds of training: {", ".join(str(run.seed) for run in runs)}.

## What this does not show

* How large the gains are elsewhere. Sums of products need their steps; where a model knows the answer at once, nothing
  is to be gained.
* That large models write JSON with reasons as well as free text. These models learned both equally; a model that has
  seen few such documents may think worse in them.
* What a wrong draft does: a draft that misleads is copied. Its errors are in the figures, but nothing separates them.
* How much models of other seeds differ: the intervals are over inputs, and three seeds are few.
"""


#: Products, drawn or not.
WHERE = ((2, False), (2, True), (3, False))


def plot(runs: Sequence[Run], path: Path) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot: pip install matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    arms = list(ABOUT)
    for number, products in enumerate((2, 3)):
        shares = []
        for arm in arms:
            found = answers(runs, arm, products=products)
            right = sum(one.right for one in found)
            shares.append((100 * right / len(found), *(100 * bound for bound in wilson(right, len(found)))))
        errors = [[share - low for share, low, _ in shares], [high - share for share, _, high in shares]]
        places = [place + 0.4 * number - 0.2 for place in range(len(arms))]
        axes.barh(places, [share for share, _, _ in shares], 0.38, xerr=errors, capsize=2, label=f"{products} products")
    axes.set_yticks(range(len(arms)), arms)
    axes.invert_yaxis()
    axes.set(xlabel="% of answers right", xlim=(0, 103))
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
