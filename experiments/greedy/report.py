"""Figures of `python -m experiments.greedy` → verdicts, the page and the plot."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.greedy.level import FORMS, SYSTEMS, WORKED, Answer
from experiments.greedy.roc import auroc, auroc_interval
from experiments.greedy.trap import SIZES, Trapped
from experiments.page import findings, percentage, points, table
from experiments.statistic import bootstrap, sign_test, wilson

SCORES: dict[str, Callable[[Answer], float]] = {
    "Σ −log α": lambda one: one.nats,
    "−log p": lambda one: one.surprise,
    "−log q": lambda one: one.doubt,
}

GREEDY, DRAWN = "as it is, greedy", "as it is, drawn"
WORST = "everything"
NOTHING = 1e-3
"""Nats: a difference below is one of rounding."""


@dataclass(frozen=True)
class Figures:
    """All that was measured."""

    traps: Sequence[Trapped]
    """Of random models."""
    listed: Sequence[Trapped]
    forms: Sequence[Answer]
    worked: Sequence[Answer]
    """Of the worked systems as they are, greedy and drawn."""


def judged(figures: Figures) -> list[tuple[str, str, bool]]:
    traps, found = figures.traps, figures.forms
    own, worst = ([one for one in found if one.form == form] for form in ("own", WORST))
    cost = _paired([one.right for one in own], [one.right for one in worst])
    pooled = _auroc(found, SCORES["Σ −log α"])
    greedy, drawn = (
        _auroc([one for one in figures.worked if one.form == form], SCORES["Σ −log α"]) for form in (GREEDY, DRAWN)
    )
    tight, loose = ([one for one in traps if one.name == str(size)] for size in (4, SIZES[-1]))
    missed, kept = (sum(not one.hit for one in side) for side in (tight, loose))
    gain = _paired([one.likelier_right for one in found], [one.right for one in found])
    fooled = sum(one.missed > NOTHING for one in found if one.form != "own")
    forms = sum(one.form != "own" for one in found)
    return [
        (
            "over-constraining costs answers: the model's own form against all changes of form",
            points(cost),
            cost[1] > 0,
        ),
        (
            "pressure predicts a wrong answer: AUROC of Σ −log α over all forms is above 0.5",
            _area(pooled),
            pooled is not None and pooled[1] > 0.5,
        ),
        (
            "… and of the four worked systems as they are, greedy",
            _area(greedy),
            greedy is not None and greedy[1] > 0.5,
        ),
        (
            "… drawn at temperature 1",
            _area(drawn),
            drawn is not None and drawn[1] > 0.5,
        ),
        (
            "the greedy trap: of 4 texts that random models may write, greedy misses the likeliest",
            f"{_rate(missed, len(tight))}; of all {SIZES[-1]}: {_rate(kept, len(loose))}",
            bool(tight) and wilson(missed, len(tight))[0] > 0.05,
        ),
        (
            "… and in a form that the embedded model was not trained on, there is a likelier answer than greedy's",
            _rate(fooled, forms),
            forms > 0 and wilson(fooled, forms)[0] > 0.05,
        ),
        ("the likelier answer is right more often than the greedy one", points(gain), gain[1] > 0),
    ]  # fmt: skip


def page(figures: Figures, claims: Sequence[tuple[str, str, bool]], ran: str) -> str:
    traps, exact, found = figures.traps, figures.listed, figures.forms
    asked = [form for form in FORMS if any(one.form == form for one in found)]
    forms = []
    for system in SYSTEMS:
        for form in asked:
            side = [one for one in found if (one.system, one.form) == (system, form)]
            beams = _paired([one.beams_right for one in side], [one.right for one in side])
            gain = _paired([one.likelier_right for one in side], [one.right for one in side])
            forms.append(
                (
                    f"{system}: {form}",
                    f"{_mean(one.nats for one in side):.2f}",
                    percentage(sum(one.right for one in side), len(side)),
                    f"{beams[0]:+.1f} ({beams[1]:+.1f} to {beams[2]:+.1f})",
                    f"{gain[0]:+.1f} ({gain[1]:+.1f} to {gain[2]:+.1f})",
                    percentage(sum(one.missed > NOTHING for one in side), len(side)),
                    f"{sum(one.proven for one in side)} of {len(side)}",
                )
            )
    curves = []
    for name, side in (
        *((f"tutor and triage: {form}", [one for one in found if one.form == form]) for form in asked),
        ("… all forms", list(found)),
        *(
            (f"{system}: {form}", [one for one in figures.worked if (one.system, one.form) == (system, form)])
            for form in (GREEDY, DRAWN)
            for system in WORKED
        ),
        *((f"all four: {form}", [one for one in figures.worked if one.form == form]) for form in (GREEDY, DRAWN)),
    ):
        wrong = sum(not one.right for one in side)
        curves.append((name, f"{wrong} of {len(side)}", *(_area(_auroc(side, score)) for score in SCORES.values())))
    sizes = []
    for size in SIZES:
        side = [one for one in traps if one.name == str(size)]
        lost = [math.log(one.best / one.greedy) for one in side]
        low, high = bootstrap(lost)
        sizes.append(
            (
                size,
                f"{_mean(one.mass for one in side):.3f}",
                f"{_mean(one.nats for one in side):.2f}",
                percentage(sum(one.hit for one in side), len(side)),
                percentage(sum(one.beams_hit for one in side), len(side)),
                f"{sum(lost) / len(lost):.2f} ({low:.2f} to {high:.2f})",
            )
        )
    cases = [
        (
            one.name,
            one.texts,
            f"{one.mass:.3g}",
            f"{one.nats:.2f}",
            f"{one.best:.3f}",
            f"{one.greedy:.3f}",
            f"{one.beams:.3f}",
        )
        for one in exact
    ]
    about = "\n".join(f"* **{name}**: {form.about}" for name, form in FORMS.items())
    heads = (
        "system: form",
        "Σ −log α",
        "greedy: % right",
        "`Beams(4)` − greedy, points",
        "likelier − greedy, points",
        "greedy misses it, %",
        "proven",
    )
    return f"""# What do masks cost where they fight a model, and what does greedy decoding miss?

{findings(claims)}

## Accuracy against pressure

The embedded model answers held-out inputs of two worked systems, greedily, under masks that ask for the same answers in
other forms. The prompt names the properties that are asked for, and nothing else tells of the form.

{about}

{table(heads, forms)}

Σ −log α: what the mask took from an answer, in nats, on average. *Likelier*: the
likeliest answer that anything has found: greedy, `Beams(4)`, or a best-first search over all tokenisations. *Proven*:
how often that search came to its end, so that nothing is likelier. Greedy *misses* it where its own answer is less
likely by {NOTHING} nats or more. Intervals are at 95 %
(Wilson's; the bootstrap for differences, which are paired by input).

![Accuracy against pressure](pressure.png)

## Does pressure tell wrong answers from right ones?

AUROC: the probability that a wrong answer has the larger score, 0.5 for a coin, with the bootstrap's 95 % interval.
Beside Σ −log α two scores that every decoder has: −log p of the answer under the model as it is, and −log q among the
allowed tokens. They add up: −log p = −log q + Σ −log α. *As it is*: {len(figures.worked) // 2} answers to the held-out
inputs of the four worked systems under their own schemas, greedy and drawn at temperature 1.

{table(("answers", "wrong", *SCORES), curves)}

## The greedy trap

{len(traps) // len(SIZES)} random models over three letters. Each grammar leaves so many of the {SIZES[-1]} texts of one
to four letters, at random; so the probability of each text under the model, given the grammar, is known exactly.
*Lost*: the logarithm of the likeliest text's probability over that of greedy's text.

{table(("texts", "mass", "Σ −log α", "greedy finds the likeliest, %", "`Beams(4)` does, %", "lost, nats"), sizes)}

The six listed grammars of [exact](../exact): p* is the probability of a text given the grammar, over all of its
tokenisations.

{table(("grammar", "texts", "mass", "Σ −log α", "p* of the likeliest", "p* of greedy's", "p* of `Beams(4)`'s"), cases)}

{ran} Seeds: 0 to {max(len(traps) // len(SIZES) - 1, 0)} of the random models; nothing else is drawn.

## What this does not show

* That pressure predicts wrong answers of other models. Where a form is known well, few answers are wrong, and the
  interval is wide.
* That the forms here are those that users ask for. They change one thing at a time, so that the price of each is seen.
* That a likelier answer is a better one. It is what the model finds likelier, in a form that it may not know.
* Anything about sampling: all answers are greedy, beams, or the likeliest.
* Random models have no habits. A trained model puts its probability on few texts, and greedy then finds the likeliest.
"""


def plot(figures: Figures, path: Path) -> None:
    traps, found = figures.traps, figures.forms
    try:
        import matplotlib
    except ImportError:
        print("no plot: pip install matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    for number, system in enumerate(SYSTEMS):
        for form in FORMS:
            side = [one for one in found if (one.system, one.form) == (system, form)]
            hits = sum(one.right for one in side)
            share, (low, high) = hits / len(side), wilson(hits, len(side))
            nats = _mean(one.nats for one in side)
            errors = [[100 * (share - low)], [100 * (high - share)]]
            label = system if form == "own" else None
            left.errorbar([nats], [100 * share], errors, marker="o", capsize=3, color=f"C{number}", label=label)
            left.annotate(form, (nats, 100 * share), fontsize=7, xytext=(4, 4), textcoords="offset points")
    left.set(xlabel="mean Σ −log α of an answer (nats)", ylabel="% of answers right", ylim=(-3, 106))
    left.legend(fontsize=8)
    for name, hit in (("greedy", lambda one: one.hit), ("Beams(4)", lambda one: one.beams_hit)):
        shares = []
        for size in SIZES:
            side = [one for one in traps if one.name == str(size)]
            hits = sum(hit(one) for one in side)
            shares.append((100 * hits / len(side), *(100 * bound for bound in wilson(hits, len(side)))))
        errors = [[share - low for share, low, _ in shares], [high - share for share, _, high in shares]]
        right.errorbar(SIZES, [share for share, _, _ in shares], errors, marker="o", capsize=3, label=name)
    right.set(xscale="log", xlabel="texts that the grammar leaves", ylabel="% finds the likeliest", ylim=(-3, 103))
    right.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def _paired(left: Sequence[bool], right: Sequence[bool]) -> tuple[float, float, float, float]:
    """The difference of two arms over the same inputs in points, its 95 % interval, and p of the sign test."""
    points = [100.0 * (one - other) for one, other in zip(left, right, strict=True)]
    if not points:
        return 0.0, 0.0, 0.0, 1.0
    better, worse = sum(one > 0 for one in points), sum(one < 0 for one in points)
    return sum(points) / len(points), *bootstrap(points), sign_test(better, worse)


def _auroc(found: Sequence[Answer], score: Callable[[Answer], float]) -> tuple[float, float, float] | None:
    scores, wrong = [score(one) for one in found], [not one.right for one in found]
    area, interval = auroc(scores, wrong), auroc_interval(scores, wrong)
    return None if area is None or interval is None else (area, *interval)


def _area(found: tuple[float, float, float] | None) -> str:
    return "–" if found is None else "{:.2f} ({:.2f} to {:.2f})".format(*found)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def _rate(hits: int, count: int) -> str:
    return f"{percentage(hits, count)} %"
