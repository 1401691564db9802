"""Answers of `python -m experiments.order` → verdicts, the page and the plot."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.page import findings, interval, points, share, table
from experiments.statistic import bootstrap, sign_test, wilson

if TYPE_CHECKING:
    from experiments.order.run import Answer, Run

REASON, ANSWER = "reason first", "answer first"
#: Trained on, masked in.
ARMS = ((REASON, REASON), (ANSWER, ANSWER), (REASON, ANSWER), (ANSWER, REASON))
NAMES = {arm: f"trained {arm[0]}, masked {arm[1]}" for arm in ARMS}


def answers(runs: Sequence[Run], arm: tuple[str, str], *, drawn: bool = False, products: int = 0) -> list[Answer]:
    """Those of one arm; of all numbers of products above one, if none is named. In one order in all arms."""
    found = [
        one
        for run in runs
        for one in run.answers
        if (one.trained, one.masked) == arm
        and one.drawn == drawn
        and (one.products == products if products else one.products > 1)
    ]
    return sorted(found, key=lambda one: (one.seed, one.products, one.place))


def compared(left: Sequence[Answer], right: Sequence[Answer]) -> tuple[float, float, float, float]:
    """The difference of two arms in points, its 95 % interval over inputs, and the p-value of the sign test."""
    keys = [[(one.seed, one.products, one.place) for one in arm] for arm in (left, right)]
    assert keys[0] == keys[1], "arms are not paired"
    points = [100 * (one.right - other.right) for one, other in zip(left, right, strict=True)]
    better, worse = sum(one > 0 for one in points), sum(one < 0 for one in points)
    return sum(points) / len(points), *bootstrap(points), sign_test(better, worse)


def judged(runs: Sequence[Run]) -> list[tuple[str, str, bool]]:
    own, late, forced, lifted = (answers(runs, arm) for arm in ARMS)
    gap, trap, lift = compared(own, late), compared(own, forced), compared(lifted, late)
    each = [compared(*(_of(arm, seed) for arm in (own, late)))[0] for seed in sorted({run.seed for run in runs})]
    return [
        (
            "fine-tuned and masked in one order, reason before answer 0.804 and after it 0.650 (+15.4 points)",
            f"{share(own)} and {share(late)}: {points(gap)}; by seed {', '.join(f'{one:+.1f}' for one in each)}",
            gap[1] > 0 and min(each) > 0,
        ),
        (
            "a mask in the order that the model was not trained on costs answers: reason first, masked answer first",
            f"{points(trap)}",
            trap[1] > 0,
        ),
        (
            "… and answer first, masked reason first",
            f"{points((-lift[0], -lift[2], -lift[1], lift[3]))}",
            -lift[2] > 0,
        ),
    ]


def page(runs: Sequence[Run], claims: Sequence[tuple[str, str, bool]], ran: str) -> str:
    rows = []
    for arm in ARMS:
        cells: list[str] = []
        for products in (1, 2, 3):
            cells.append(interval(answers(runs, arm, products=products)))
        drawn = answers(runs, arm, drawn=True)
        greedy = answers(runs, arm)
        nats = sum(one.nats for one in greedy) / len(greedy)
        reasoned = sum(one.reasoned for one in greedy) / len(greedy)
        rows.append((NAMES[arm], *cells, interval(drawn), f"{100 * reasoned:.1f}", f"{nats:.2f}"))
    seeds = [
        (
            run.trained,
            run.seed,
            f"{run.parameters:,}",
            f"{run.seconds:.0f}",
            f"{run.loss:.4f}",
            *(share(answers([run], (run.trained, masked))) for masked in (REASON, ANSWER)),
        )
        for run in runs
    ]
    heads = ("arm", "1 product", "2 products", "3 products", "2 and 3, drawn at T=1", "right reasons", "Σ −log α")
    training = ("trained", "seed", "parameters", "CPU seconds", "loss", "masked reason first", "masked answer first")
    drawn = compared(*(answers(runs, arm, drawn=True) for arm in ARMS[:2]))
    return f"""# The reason before the answer, or behind it?

Small transformers learn to add up products: `3*8+6*2` has the reason `24, 12, 36` and the answer 36. Half of them learn
`{{"reason": …, "answer": …}}`, half `{{"answer": …, "reason": …}}`: the same sums, the same tokens, another order. Then
each is masked in its own order and in the other one, on sums that nobody was trained on. The prompt is the same in all
arms, so that only the mask says in which order to write.

{findings(claims)}

% of answers right, greedy, with 95 % intervals (Wilson's) over inputs and seeds:

{table(heads, rows)}

The claims are about sums of 2 and 3 products; a single product needs no step. Differences are in points, paired by
input and seed, with the bootstrap's 95 % interval. Drawn at temperature 1, with Gumbel noise that all arms share, the
first gap is {points(drawn)}. *Right reasons*: % of the reasons, of 2 and 3 products. *Σ −log α*: what the mask took
from an answer, in nats.

![Accuracy by number of products](accuracy.png)

## The models

{table(training, seeds)}

{ran} Seeds of training: {", ".join(str(one) for one in sorted({run.seed for run in runs}))}.

## What this does not show

* What happens with models that know both orders, or are told the order in the prompt. These know one, and nobody tells
  them.
* How large the gap is elsewhere. It depends on how much of the work the reason carries: here all of it. Where a model
  knows the answer at once, as with one product, there is none.
* That reasons of words help as reasons of numbers do.
* How much models of other seeds differ: the intervals are over inputs, and three seeds are few.
"""


def plot(runs: Sequence[Run], path: Path) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot: pip install matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for number, arm in enumerate(ARMS):
        shares = []
        for products in (1, 2, 3):
            found = answers(runs, arm, products=products)
            right = sum(one.right for one in found)
            shares.append((100 * right / len(found), *(100 * bound for bound in wilson(right, len(found)))))
        middle = [share for share, _, _ in shares]
        errors = [[share - low for share, low, _ in shares], [high - share for share, _, high in shares]]
        style = "-" if arm[0] == arm[1] else "--"
        axes.errorbar((1, 2, 3), middle, errors, marker="o", capsize=3, color=f"C{number}", ls=style, label=NAMES[arm])
    axes.set(xticks=(1, 2, 3), xlabel="products in the sum", ylabel="% of answers right", ylim=(-3, 103))
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def _of(found: Sequence[Answer], seed: int) -> list[Answer]:
    return [one for one in found if one.seed == seed]
