"""Figures of `python -m experiments.exact` → verdicts, the page and the plot."""

from __future__ import annotations

import sys
from pathlib import Path

from experiments.page import table, verdicts
from experiments.statistic import wilson

#: Answers of one call of `sample`, whose calls of the network are counted.
FEW = (1, 10, 100, 1000)


def judged(found: list[dict], beams: dict[str, int]) -> list[tuple[str, str, bool]]:
    ps = [one["p"][0] for one in found]
    ratios = [one["tv"] / one["iid"][0] for one in found]
    failed = sum(one["masked"] < 1e-6 for one in found)
    cheaper = [one["calls"] / one["plain"] for one in found]
    early, late = (sum(one["asap"][n][0] for one in found) / len(found) for n in (10, 200))
    joint = sum(one["evidence"][2] for one in found) / len(found) ** 0.5
    halved = sum(one <= 0.5 for one in cheaper)
    rate = beams["beams_tokens"] / beams["count"]
    return [
        ("exact draws pass Pearson's test (p ≥ 0.001) on all 6", f"least p {min(ps):.3f}", min(ps) >= 0.001),
        ("TV ≤ 1.25 × that of independent draws on all 6", f"most {max(ratios):.2f} ×", max(ratios) <= 1.25),
        ("the test can fail: plain masks have p < 1e-6 on ≥ 4", f"{failed} of {len(found)}", failed >= 4),
        ("calls per answer ≤ plain rejection's on all 6", f"most {max(cheaper):.3f} ×", max(cheaper) <= 1),
        ("… and ≤ half on ≥ 4", f"{halved} of {len(found)}", halved >= 4),
        ("ASAp's divergence, mean of the 6, falls ≥ 5 × from 10 to 200", f"{early / late:.1f} ×", early / late >= 5),
        ("evidence of 16 particles: the 6 together within 2 standard errors", f"{joint:+.2f}", abs(joint) <= 2),
        ("`Beams(4)` finds the likeliest tokenisation in ≥ 95 % of 200", f"{rate:.1%}", rate >= 0.95),
    ]  # fmt: skip


def page(found: list[dict], beams: dict[str, int], claims: list[tuple[str, str, bool]], ran: str, seed: int) -> str:
    count = beams["count"]
    rate = {name: beams[name] / count for name in ("beams", "greedy", "beams_tokens", "greedy_tokens")}
    interval = {name: "{:.1%} to {:.1%}".format(*wilson(beams[name], count)) for name in rate}
    exact = table(
        ("grammar", "tokenisations", "mass", "p", "TV", "TV of independent draws", "masks: p", "masks: TV"),
        [
            (one["case"].name, one["outcomes"], f"{one['mass']:.3g}", f"{one['p'][0]:.3f}", f"{one['tv']:.4f}",
             "{:.4f} ({:.4f} to {:.4f})".format(*one["iid"]), f"{one['masked']:.1e}", f"{one['masked_tv']:.3f}")
            for one in found
        ],
    )  # fmt: skip
    calls = table(
        ("grammar", "plain rejection", *(f"CARS, {n:,}" for n in FEW), "CARS, 20,000"),
        [
            (one["case"].name, f"{one['plain']:,.2f}",
             *("{:,.2f} ({:,.2f} to {:,.2f})".format(*one["few"][n]) for n in FEW), f"{one['calls']:.3f}")
            for one in found
        ],
    )  # fmt: skip
    asaps = table(
        ("grammar", "masks alone", "after 10", "after 50", "after 200", "10 / 200"),
        [
            (one["case"].name, f"{one['asap'][0][0]:.4f}",
             *("{:.2e} ({:.2e} to {:.2e})".format(*one["asap"][n]) for n in (10, 50, 200)),
             f"{one['asap'][10][0] / max(one['asap'][200][0], 1e-300):.1f}")
            for one in found
        ],
    )  # fmt: skip
    evidence = table(
        ("grammar", "exact", "mean of 16 particles", "standard error", "difference in standard errors"),
        [
            (one["case"].name, f"{one['mass']:.5g}", "{:.5g}".format(one["evidence"][0]),
             "{:.2g}".format(one["evidence"][1]), "{:+.2f}".format(one["evidence"][2]))
            for one in found
        ],
    )  # fmt: skip
    searches = table(
        ("", "`Beams(4)`", "greedy under the mask"),
        [
            (f"likeliest {what}", *(f"{rate[name + end]:.1%} ({interval[name + end]})" for name in ("beams", "greedy")))
            for what, end in (("text", ""), ("tokenisation", "_tokens"))
        ],
    )
    about = "\n".join(f"* **{one['case'].name}**: {one['case'].about}" for one in found)
    return f"""# Do strategies draw from the model's own distribution?

Six grammars whose texts can be listed, with every tokenisation within the budget. So the model's own distribution,
given the grammar, is known exactly: it is listed by trying every token everywhere
([hand_model.py](../../tests/hand_model.py)), without a strategy's code.

{about}

{verdicts(claims)}

{ran} Seeds: {seed} and those derived from it in [__main__.py](__main__.py).

## Exact draws

20,000 answers of `frisket.sample(…, strategy=Exact())`, and as many of plain masks. p: Pearson's test over
tokenisations, rare ones joined until 5 are expected. TV: total variation from the exact distribution; beside it that of
independent draws, mean and 95 % of 200 times 20,000.

{exact}

## Calls of the network for each answer

A call reads one token; the prompt's is not counted. Plain rejection draws freely and gives up at the first token that
leaves the grammar: its figure is exact. CARS by how many answers share one call of `sample`, with 95 % intervals over
seeds: the first answers cost most. Paths that were drawn before are drawn again without the network.

{calls}

![Calls by answers](calls.png)

## ASAp

The divergence of the next answer's distribution from the exact one, in nats, after so many answers; mean and 95 %
interval over seeds. Where few texts carry the probability, 10 answers have found them already; the rest comes slowly.

{asaps}

## Particles

`log_evidence` estimates the mass of the grammar. The mean of its exponential over 1,000 independent runs, with random
numbers of its own for each grammar. The claim is about the sum of the six differences, divided by √6: of six single
ones, one in four pages would show one beyond 2 by chance.

{evidence}

## Beams

How many of {count} random models over six tokens and five grammars, with 95 % intervals. Beams compare tokenisations.
The probability of a text is the sum over all of its tokenisations, which no beam sees; these models give them all their
share, where a trained model prefers one.

{searches}

## What this does not show

* That answers are better. Exact draws are what the model would say; if the model is wrong, so are they.
* What a large grammar costs. Where a schema has millions of likely texts, paths are seldom drawn twice, and CARS saves
  the forbidden tokens alone.
* Anything about large models. Three of the models are numbers, random or written by hand; the embedded model knows four
  tasks, and is flattened here so that more than one text has probability.
* What the model would write behind the end. Where nothing but the end may follow, the text counts as whole.
* That `Beams(4)` finds the likeliest of long texts. These have at most eight tokens.
"""


def plot(found: list[dict], path: Path) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot: pip install matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for number, one in enumerate(found):
        counts = [*FEW, 20_000]
        means = [*(one["few"][n][0] for n in FEW), one["calls"]]
        axes.plot(
            counts, [mean / one["plain"] for mean in means], marker="o", color=f"C{number}", label=one["case"].name
        )
    axes.axhline(1, color="black", linestyle=":", label="plain rejection")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="answers of one call of sample",
        ylabel="calls per answer / plain rejection's",
    )
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
