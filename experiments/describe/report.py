"""Costs and answers → claims, the page and the plot."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.describe.cost import EVERY, LAYOUTS, Cost, shares
from experiments.describe.effect import Answer, is_valid
from experiments.page import table, verdicts
from experiments.statistic import bootstrap, sign_test, wilson
from experiments.system import OUTCOMES

STYLES = ("typescript", "typescript without descriptions", "prose", "example")


def median_interval(values: Sequence[float], rounds: int = 2000) -> tuple[float, float, float]:
    """The median, and its 95 % interval by drawing the values anew."""
    found = np.asarray(values)
    rng = np.random.default_rng(0)
    medians = np.median(found[rng.integers(len(found), size=(rounds, len(found)))], axis=1)
    low, high = np.quantile(medians, [0.025, 0.975])
    return float(np.median(found)), float(low), float(high)


def _share(values: Sequence[float]) -> str:
    return "{:.1%} ({:.1%} to {:.1%})".format(*median_interval(values))


def gaps(said: Sequence[Answer], model: str, masked: bool) -> list[float]:
    """F1 with a description less that without, input by input."""
    arms = [
        [one.f1 for one in said if (one.model, one.masked, one.described) == (model, masked, described)]
        for described in (True, False)
    ]
    return [one - other for one, other in zip(*arms, strict=True)]


def judged(found: Sequence[Cost], said: Sequence[Answer]) -> list[tuple[str, str, bool]]:
    losses = sum(bool(one.lost) for one in found)
    claims = [
        ("TypeScript loses no name, type, value or bound of any schema", f"{losses} of {len(found)} lose one",
         not losses)
    ]  # fmt: skip
    for layout, told in (("indented", "as indented JSON"), ("one line", "as JSON on one line")):
        values = shares(found, "typescript", layout)
        claims.append((f"TypeScript takes at most 40 % of the schema's tokens, {told} (median)", _share(values),
                       median_interval(values)[0] <= 0.4))  # fmt: skip
    bare = [one.bare["typescript"] / one.bare["one line"] for one in found]
    claims.append(("the same on one line, both without descriptions", _share(bare), median_interval(bare)[0] <= 0.4))
    for model in dict.fromkeys(one.model for one in said):
        for masked in (False, True):
            values = gaps(said, model, masked)
            low, high = bootstrap(values)
            claims.append(
                (f"{model}, {'masked' if masked else 'free'}: a description gets more fields right (F1, 95 %)",
                 f"{np.mean(values):+.3f} ({low:+.3f} to {high:+.3f}), n = {len(values)}", low > 0)
            )  # fmt: skip
    return claims


def page(found: Sequence[Cost], said: Sequence[Answer], claims: list[tuple[str, str, bool]], ran: str) -> str:
    rows = [(style, *(_share(shares(found, style, layout)) for layout in LAYOUTS)) for style in STYLES]
    examples = sum(one.example is not None for one in found)
    words = [1 - one.bare["one line"] / one.schema["one line"] for one in found]
    effects = []
    for key, answers in _arms(said).items():
        counts = Counter(one.outcome for one in answers)
        valid = sum(map(is_valid, answers))
        f1 = [one.f1 for one in answers]
        effects.append(
            (key[0], "yes" if key[1] else "no", "yes" if key[2] else "no", len(answers),
             "{:.1%} ({:.1%} to {:.1%})".format(valid / len(answers), *wilson(valid, len(answers))),
             f"{counts[OUTCOMES[3]] / len(answers):.1%}",
             "{:.3f} ({:.3f} to {:.3f})".format(float(np.mean(f1)), *bootstrap(f1)),
             f"{np.mean([one.tokens for one in answers]):.1f}")
        )  # fmt: skip
    pairs = []
    for model in dict.fromkeys(one.model for one in said):
        for masked in (False, True):
            values = gaps(said, model, masked)
            better, worse = sum(value > 0 for value in values), sum(value < 0 for value in values)
            pairs.append((model, "yes" if masked else "no", better, worse, len(values) - better - worse,
                          f"{sign_test(better, worse):.1e}"))  # fmt: skip
    return f"""# What do descriptions cost, and what do they do?

{len(found)} schemas of MaskBench (one in {EVERY}), in tokens of Llama 3. The schema stands in a prompt as JSON:
indented by two, as most libraries print it, on one line, or without white space.

{verdicts(claims)}

## Tokens, by those of the schema

Medians with 95 % intervals. Of {examples} schemas that frisket compiles there is an example.

{table(("style", *LAYOUTS), rows)}

Titles and descriptions are {np.median(words):.0%} of a schema's tokens on one line (median): TypeScript keeps the
descriptions. What else stands in its way there is a name with its type on a line of its own, which takes about five
tokens of the nine that JSON takes. So it depends on the layout whether 60 % are saved.

That nothing is lost is counted on both sides, by readers that share no code with the writer
([reading.py](reading.py)): every name of a property with whether it is optional, every type, every member of an enum,
every bound, pattern and format must occur in the type as often as in the schema.

## Effects

Greedy answers to held-out inputs of the worked systems. *Described*: the prompt has the schema as TypeScript; otherwise
it has the names of the properties. F1 is that of the fields of the first JSON object in the text, so that a free answer
may stand in a sentence or a code block; *valid* is said of the whole text.

{table(("model", "described", "masked", "inputs", "valid", "right", "F1 of fields", "tokens"), effects)}

Described against not, input by input: more fields right, fewer, as many, and the p-value of the sign test.

{table(("model", "masked", "better", "worse", "same", "p"), pairs)}

![Costs and effects](describe.png)

{ran} Nothing is drawn; intervals are made with seed 0.

## What this does not show

* What descriptions do to models of a usable size. The embedded model was trained on prompts that name the properties,
  so any other prompt is strange to it. SmolLM2 has 135 million parameters, and few inputs were tried: its
  intervals are wide.
* Which style is best: one style was tried, since each multiplies the time.
* That models read this notation as well as JSON Schema.
"""


def _arms(said: Sequence[Answer]) -> dict[tuple[str, bool, bool], list[Answer]]:
    found: dict[tuple[str, bool, bool], list[Answer]] = {}
    for one in said:
        found.setdefault((one.model, one.described, one.masked), []).append(one)
    return found


def plot(found: Sequence[Cost], said: Sequence[Answer], path: Path) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot: pip install matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4))
    for number, style in enumerate(STYLES):
        values = np.sort(shares(found, style, "indented"))
        left.plot(100 * values, 100 * np.arange(1, len(values) + 1) / len(values), color=f"C{number}", label=style)
    left.axvline(40, color="black", linestyle=":")
    left.set(xlim=(0, 120), xlabel="% of the tokens of the indented schema", ylabel="% of schemas at most so many")
    left.legend(fontsize=8)
    arms = _arms(said)
    means = [float(np.mean([one.f1 for one in answers])) for answers in arms.values()]
    bounds = [bootstrap([one.f1 for one in answers]) for answers in arms.values()]
    names = [
        f"{model}, {'masked' if masked else 'free'}, {'described' if described else 'names'}"
        for model, described, masked in arms
    ]
    spread = [[mean - low for mean, (low, _) in zip(means, bounds, strict=True)],
              [high - mean for mean, (_, high) in zip(means, bounds, strict=True)]]  # fmt: skip
    right.barh(names, means, xerr=np.maximum(spread, 0), color="C0", capsize=2)
    right.set(xlim=(0, 1), xlabel="F1 of fields")
    right.tick_params(labelsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
