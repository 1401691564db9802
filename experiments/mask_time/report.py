"""Times → claims, the page and the plot."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from experiments.mask_time.worker import Times
from experiments.page import table, verdicts
from experiments.statistic import bootstrap

Found = Mapping[tuple[str, str], Times]
Alone = Mapping[str, Sequence[float]]
#: Milliseconds between two readings of a process's clock: a tick of Linux, at 250 a second.
TICK = 4


def token_time(times: Times) -> float:
    """Microseconds of a token with its mask: mask, draw and commit, means of warm passes."""
    return float(np.mean(times.warm) + np.mean(times.sample) + np.mean(times.commit))


def judged(found: Found, alone: Alone, tokens: Mapping[str, Sequence[tuple[int, int]]]) -> list[tuple[str, str, bool]]:
    ours = {case: times for (case, name), times in found.items() if name == "frisket"}
    rivals = {key: times for key, times in found.items() if key[1] != "frisket" and not times.refused}
    draw = float(np.median(alone["a draw"]))
    first = {case: float(np.mean(times.first)) for case, times in ours.items() if not times.refused}
    slowest = max(rivals.items(), key=lambda item: token_time(item[1]), default=None)
    claims = [
        ("a mask takes tens of µs: ≤ 50 µs a token in the first pass, in every case (mean)",
         f"{min(first.values()):.1f} to {max(first.values()):.1f} µs",
         len(first) == len(ours) and max(first.values()) <= 50),
        ("a token with its mask takes no longer than a draw from all logits, in every case",
         f"{min(map(token_time, ours.values())) / draw:.2f} to {max(map(token_time, ours.values())) / draw:.2f} times "
         f"{draw:.0f} µs", max(map(token_time, ours.values())) <= draw),
    ]  # fmt: skip
    if slowest is not None:
        (case, name), times = slowest
        times_worse = token_time(times) / draw
        claims.append(
            ("a CPU mask takes a token from 1.66 to 85 ms, 51 times as long: some engine of today still does",
             f"at most {times_worse:.1f} times ({name}, {case})", times_worse >= 51)
        )  # fmt: skip
    ratios = [masked / free for pairs in tokens.values() for free, masked in pairs]
    low, high = bootstrap(ratios)
    claims.append(
        ("masks do not make answers longer: tokens masked / free, 95 % within 2 %",
         f"{np.mean(ratios):.3f} ({low:.3f} to {high:.3f})", low >= 0.98 and high <= 1.02)
    )  # fmt: skip
    return claims


def _told(values: Sequence[float], unit: float = 1.0) -> str:
    low, high = bootstrap(values, rounds=1000)
    return f"{np.mean(values) / unit:.1f} ({low / unit:.1f} to {high / unit:.1f})"


def _compile(milliseconds: float) -> str:
    return f"{milliseconds:.1f}" if milliseconds >= TICK else f"< {TICK}"


def page(
    found: Found,
    alone: Alone,
    tokens: Mapping[str, Sequence[tuple[int, int]]],
    versions: Mapping[str, str],
    claims: list[tuple[str, str, bool]],
    ran: str,
) -> str:
    draw = float(np.median(alone["a draw"]))
    rows, refused = [], []
    cases = list(dict.fromkeys(case for case, _ in found))
    for (case, name), times in sorted(found.items(), key=lambda item: (cases.index(item[0][0]), item[0][1])):
        if times.refused:
            refused.append((case, name, times.refused.replace("|", "\\|").replace("\n", " ")))
            continue
        rows.append(
            (case, name, _compile(times.compile / 1000), _told(times.first), f"{np.max(times.first):.0f}",
             _told(times.warm), f"{np.median(times.allowed):.0f}", _told(times.sample), _told(times.commit),
             f"{token_time(times) / draw:.2f}")
        )  # fmt: skip
    heads = (
        "case", "engine", "compile, ms", "mask, first pass", "its maximum", "mask, again", "tokens allowed (median)",
        "draw", "commit", "token / unmasked draw",
    )  # fmt: skip
    rest = table(("case", "engine", "why"), refused) if refused else "Every engine takes every case."
    lengths = [
        (name, f"{np.mean([free for free, _ in pairs]):.1f}", f"{np.mean([masked for _, masked in pairs]):.1f}",
         sum(free != masked for free, masked in pairs), len(pairs))
        for name, pairs in tokens.items()
    ]  # fmt: skip
    engines = ", ".join(f"{name} {number}" for name, number in versions.items())
    return f"""# What does a mask add to a token's time?

Llama 3's 128,256 tokens. An engine gives the mask of each token of a valid document; the allowed tokens are read off
it, one of them is drawn (temperature 1), and the document's own token is committed. All engines go through the same
code but for their masks and commits. Times are microseconds of processor time a token, means and 95 % intervals: the
machine is shared, so its clock on the wall says nothing, and caches of others make every figure larger. The engines
take turns case by case. {engines}.

{verdicts(claims)}

## Time per token

Without a mask, a draw from all logits takes {draw:.0f} µs, and to find the likeliest token takes
{np.median(alone["the likeliest"]):.0f} µs (medians). A mask leaves fewer tokens to draw from, so a draw under it is
cheaper. *First pass*: each document as it comes, the grammar just compiled. *Again*, *draw* and *commit*: the same
documents three times more, of each token the shortest. *Compile* is the time of all threads, of which the system's
clock tells no less than {TICK} ms.

{table(heads, rows)}

{rest}

![Time per token](time.png)

## Tokens

Greedy answers of the embedded model to held-out inputs, without a mask and with it: mean tokens, and how many differ.

{table(("system", "free", "masked", "differ", "of"), lengths)}

So what a mask costs is time per token, and not more tokens. Masks that forbid a model's habits of white space or of
tokens make answers longer: these do not.

{ran} Seeds: fixed in [case.py](case.py).

## What this does not show

* The network's time, which is most of a token's on any machine. A mask can be made while the network runs.
* The times of an idle machine: see [benchmarks](../../docs/benchmarks.md), whose runs have the machine to themselves.
* Batches and several threads.
* Other vocabularies, and the first use of a vocabulary in a process.
"""


def plot(found: Found, alone: Alone, path: Path) -> None:
    try:
        import matplotlib
    except ImportError:
        print("no plot: pip install matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = list(dict.fromkeys(case for case, _ in found))
    figure, axes = pyplot.subplots(figsize=(8, 4))
    for number, engine in enumerate(dict.fromkeys(name for _, name in found)):
        places = [place for place, case in enumerate(names) if not found[case, engine].refused]
        for style, which in (("o-", "first"), ("o:", "warm")):
            means = [max(float(np.mean(getattr(found[names[place], engine], which))), 0.1) for place in places]
            axes.plot(places, means, style, color=f"C{number}", label=engine if which == "first" else None)
    axes.axhline(float(np.median(alone["a draw"])), color="black", linestyle="--", label="draw without a mask")
    axes.set(yscale="log", ylabel="µs of processor time a mask", xticks=range(len(names)))
    axes.set_xticklabels(names, rotation=20)
    axes.set_title("solid: first pass; dotted: again", fontsize=9)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
