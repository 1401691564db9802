"""Answers of `python -m experiments.discriminator` → verdicts, the page and the plot."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.page import findings, interval, points, share, table
from experiments.statistic import bootstrap, sign_test, wilson

if TYPE_CHECKING:
    from experiments.discriminator.run import Answer, Run

#: Rows of the page: which answers they hold.
ROWS: dict[str, Callable[[Answer], bool]] = {
    "trained, without the last action": lambda one: one.model == "trained" and not one.shown,
    "trained, with the last action": lambda one: one.model == "trained" and one.shown,
    "… where the wish needs it": lambda one: one.model == "trained" and one.needed,
    "… where it does not": lambda one: one.model == "trained" and one.shown and not one.needed,
    "embedded, without the last action": lambda one: one.model == "embedded" and not one.shown,
    "embedded, with one that it was not trained for": lambda one: one.model == "embedded" and one.shown,
}
WITHOUT, WITH = "trained, without the last action", "trained, with the last action"


def answers(runs: Sequence[Run], row: str, order: str, *, drawn: bool = False) -> list[Answer]:
    """Those of one row and order, in one order of inputs."""
    found = [one for run in runs for one in run.answers if ROWS[row](one) and one.order == order and one.drawn == drawn]
    return sorted(found, key=lambda one: (one.model, one.seed, one.shown, one.place))


def compared(
    runs: Sequence[Run], row: str, *, drawn: bool = False, named: bool = False
) -> tuple[float, float, float, float]:
    """First less last in points, the 95 % interval over inputs, and the p-value of the sign test."""
    pairs = list(zip(*(answers(runs, row, order, drawn=drawn) for order in ("first", "last")), strict=True))
    assert all((one.seed, one.shown, one.place) == (other.seed, other.shown, other.place) for one, other in pairs)
    points = [100 * ((one.named - other.named) if named else (one.right - other.right)) for one, other in pairs]
    better, worse = sum(one > 0 for one in points), sum(one < 0 for one in points)
    return sum(points) / len(points), *bootstrap(points), sign_test(better, worse)


def judged(runs: Sequence[Run]) -> list[tuple[str, str, bool]]:
    claims = []
    for claim, row in (
        ("the discriminator belongs first, with the last action in the prompt", WITH),
        ("… and without it", WITHOUT),
        ("… and with the embedded model, without it", "embedded, without the last action"),
    ):
        found = compared(runs, row)
        shares = " and ".join(share(answers(runs, row, order)) for order in ("first", "last"))
        claims.append((claim, f"{shares}: {points(found)}", found[1] > 0))
    return claims


def page(runs: Sequence[Run], claims: Sequence[tuple[str, str, bool]], ran: str) -> str:
    rows, drawn = [], []
    for row in ROWS:
        for out, is_drawn in ((rows, False), (drawn, True)):
            sides = [answers(runs, row, order, drawn=is_drawn) for order in ("first", "last")]
            out.append(
                (
                    row,
                    len(sides[0]),
                    *(interval(side) for side in sides),
                    points(compared(runs, row, drawn=is_drawn)),
                    points(compared(runs, row, drawn=is_drawn, named=True)),
                )
            )
    heads = ("", "answers", "name first", "name last", "first − last", "first − last, the name alone")
    models = [
        (run.model, f"{run.parameters:,}", f"{run.seconds:.0f}", f"{run.loss:.4f}", *_by_model(run))
        for run in runs
        if run.model != "embedded"
    ]
    training = (
        "model",
        "parameters",
        "CPU seconds",
        "loss",
        *(f"{row}, {o}" for row in (WITHOUT, WITH) for o in ORDERS),
    )
    return f"""# The discriminator first, or last?

An agent's action on files is one of four objects, told apart by `action`. Small transformers learn both orders alike,
as the embedded model did: the prompt names the properties in the order that is wanted. Half of their prompts begin with
the agent's last action, in the same order, and half of those wishes cannot be understood without it: *the same for
src/main.py*, *now remove it*. Both orders answer the same wishes for actions that nobody was trained on.

{findings(claims)}

% of actions entirely right, greedy, with 95 % intervals (Wilson's) over inputs and seeds. Differences are in points,
paired by input and seed, with the bootstrap's 95 % interval and the p-value of the sign test. *The name alone*: the
difference in how often `action` is right.

{table(heads, rows)}

The same drawn at temperature 1, with Gumbel noise that both orders share at the same step; the embedded model draws
twice for each input:

{table(heads, drawn)}

The embedded model answers the held-out inputs of the worked system [agent](../../examples/agent). It was never shown a
last action: with one in its prompt, that of another input, it does what it was not trained for.

![Accuracy by order](accuracy.png)

## The models

{table(training, models)}

{ran} Seeds of training: {", ".join(run.model.rpartition(" ")[2] for run in runs if run.model != "embedded")}.

## What this does not show

* That the order never matters. These models learned both orders equally. A model that knows one of them is another
  matter: see [order](../order).
* What many kinds do. Here are four, and the fields of two of them tell which they are before the name comes.
* What happens without training, where a large model follows a prompt.
* How much models of other seeds differ: the intervals are over inputs, and three seeds are few.
"""


ORDERS = ("first", "last")


def plot(runs: Sequence[Run], path: Path) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot: pip install matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4))
    names = list(ROWS)
    for number, order in enumerate(ORDERS):
        shares = []
        for row in names:
            found = answers(runs, row, order)
            right = sum(one.right for one in found)
            shares.append((100 * right / len(found), *(100 * bound for bound in wilson(right, len(found)))))
        errors = [[share - low for share, low, _ in shares], [high - share for share, _, high in shares]]
        places = [place + 0.4 * number - 0.2 for place in range(len(names))]
        axes.barh(places, [share for share, _, _ in shares], 0.38, xerr=errors, capsize=2, label=f"name {order}")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(xlabel="% of actions right", xlim=(0, 103))
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def _by_model(run: Run) -> list[str]:
    return [share(answers([run], row, order)) for row in (WITHOUT, WITH) for order in ORDERS]
