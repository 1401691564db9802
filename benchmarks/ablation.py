"""`python -m benchmarks.ablation` → what each accelerator gains; benchmarks/results/ablation-<date>-<commit>.md.

Every accelerator of crates/core/src/mask/accelerate can be switched off by an environment variable. One process per
switch replays the same schemas, interleaved in rotating order, beside a process with all accelerators on.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from . import report
from .bounds.bound import figure
from .corpus import Case, Tokenizer, cases, load_tokenizer, maskbench
from .run import Limit, Process, least
from .worker import Timing

#: The environment variable that names accelerators to switch off, and the names that the core knows.
VARIABLE = "FRISKET_ACCELERATORS_OFF"
ACCELERATORS = (
    "counter_loop",
    "region_scan",
    "exclusion",
    "literals",
    "trie_path",
    "remainder",
    "listing",
    "sweep",
)
#: The row of the process with all accelerators on.
ALL_ON = "all on"
#: An accelerator that gains less than this part of both the mean and the 99th percentile is to leave.
WORTHWHILE = 0.03

Timings = dict[str, dict[str, Timing]]


def measure(
    names: Sequence[str],
    tokenizer: Tokenizer,
    sample: Sequence[Case],
    rounds: int = 1,
    progress: Callable[[int], None] = lambda place: None,
) -> Timings:
    """The timings of every schema, by the accelerator that was off. Of several rounds the smallest time is kept."""
    timings: Timings = {name: {} for name in (ALL_ON, *names)}
    for _ in range(rounds):
        processes = {
            name: Process("frisket", tokenizer, Limit(), {VARIABLE: "" if name == ALL_ON else name}) for name in timings
        }
        try:
            for process in processes.values():
                process.start()
            for place, case in enumerate(sample):
                turn = place % len(processes)
                order = [*timings][turn:] + [*timings][:turn]
                for name in order:
                    timing = processes[name].measure(case)
                    before = timings[name].get(case.name)
                    timings[name][case.name] = timing if before is None else least(before, timing)
                progress(place + 1)
        finally:
            for process in processes.values():
                process.stop()
    return timings


def compared(timings: Timings) -> list[str]:
    """The schemas that every process compiled. An error if a schema's outcome depends on an accelerator."""
    found = []
    for case, timing in timings[ALL_ON].items():
        for name in timings:
            other = timings[name][case]
            if (other.status, len(other.masks)) != (timing.status, len(timing.masks)):
                raise SystemExit(f"{case}: {timing.status}, but {other.status} ({other.detail}) without {name}")
        if timing.status in report.COMPILED:
            found.append(case)
    return found


def table(timings: Timings) -> str:
    """One row per accelerator: times in µs, and by how much they are longer than with all accelerators on."""
    schemas = compared(timings)
    if not schemas:
        raise SystemExit("no schema was compiled")

    def times(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rows = [timings[name][case] for case in schemas]
        return np.concatenate([row.masks for row in rows]) / 1e3, np.array([row.first for row in rows]) / 1e3

    def figures(name: str) -> tuple[float, float, float]:
        masks, first = times(name)
        return float(masks.mean()), float(np.percentile(masks, 99)), float(np.median(first))

    base = figures(ALL_ON)
    lines = [
        "| off | mask mean, µs | change | mask p99, µs | change | compile + first mask p50, µs | change | worthwhile |",
        "| --- | --: | --: | --: | --: | --: | --: | --- |",
    ]
    for name in timings:
        cells = [name if name == ALL_ON else f"`{name}`"]
        changes = [value / of - 1 for value, of in zip(figures(name), base, strict=True)]
        for value, change in zip(figures(name), changes, strict=True):
            cells += [figure(value), "" if name == ALL_ON else f"{change:+.1%}"]
        cells.append("" if name == ALL_ON else "yes" if max(changes[:2]) >= WORTHWHILE else "no")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description="What each accelerator gains")
    parser.add_argument("--every", type=int, default=4, help="of MaskBench's schemas every n-th (default: 4)")
    parser.add_argument("--tokenizer", default="llama3", help="a folder of the data's tokenizers, or any path")
    parser.add_argument("--rounds", type=int, default=1, help="repeat all, keep the smallest time of each call")
    parser.add_argument("--off", default=",".join(ACCELERATORS), help="which accelerators, by comma (default: each)")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="folder of the results")
    options = parser.parse_args()
    names = options.off.split(",")
    if unknown := set(names) - set(ACCELERATORS):
        parser.error(f"no accelerator is called {', '.join(sorted(unknown))}")
    tokenizer = load_tokenizer(options.tokenizer)
    sample = cases(tokenizer, maskbench(), every=options.every)
    commit, machine = report.commit(), report.machine()

    def progress(place: int) -> None:
        if place % 20 == 0 or place == len(sample):
            print(f"{place}/{len(sample)} schemas", file=sys.stderr, flush=True)

    found = table(measure(names, tokenizer, sample, options.rounds, progress))
    today = datetime.date.today().isoformat()
    page = (
        f"# Accelerators, {today}\n\n"
        f"`python -m benchmarks.ablation --every {options.every} --rounds {options.rounds}`, commit {commit}, "
        f"{len(sample)} schemas of MaskBench, tokenizer {tokenizer.name} ({tokenizer.size:,} tokens); "
        f"{machine['cpu']}, "
        f"{machine['cores']} cores, Python {machine['python']}. Each row is a process of its own with one accelerator "
        "off; masks are those of the first replay. A change is relative to the process with all accelerators on. "
        f"Worthwhile: the mean or the 99th percentile of masks grows by at least {WORTHWHILE:.0%} without it.\n\n"
        f"{found}"
    )
    print(page)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"ablation-{today}-{commit}.md"
    path.write_text(page, encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
