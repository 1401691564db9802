"""`python -m benchmarks.ablation` → what each accelerator gains; benchmarks/results/ablation-<date>-<commit>.md.

Every accelerator of crates/core/src/mask/accelerate can be switched off by an environment variable. One process per
row replays the same schemas, interleaved in rotating order, beside a process with all accelerators on.
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
    "remainder",
    "listing",
    "sweep",
)
#: The rows of the processes with all accelerators on, and with none.
ALL_ON, ALL_OFF = "all on", "all off"
#: An accelerator stays if one of these figures grows by so many microseconds without it. A compile includes the first
#: mask. A bar in percent would keep what nobody feels.
BAR = {"mask mean": 0.5, "mask p99": 10.0, "compile p50": 10.0, "compile p99": 500.0}

Timings = dict[str, dict[str, Timing]]


def measure(
    names: Sequence[str],
    tokenizer: Tokenizer,
    sample: Sequence[Case],
    rounds: int = 1,
    progress: Callable[[int], None] = lambda place: None,
) -> Timings:
    """The timings of every schema, by the accelerators that were off. Of several rounds the smallest time is kept."""
    timings: Timings = {name: {} for name in (ALL_ON, *names)}
    for _ in range(rounds):
        processes = {name: Process("frisket", tokenizer, Limit(), {VARIABLE: switched(name)}) for name in timings}
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


def switched(name: str) -> str:
    """The value of the environment variable for a row: the accelerators that are off, by comma."""
    return {ALL_ON: "", ALL_OFF: ",".join(ACCELERATORS)}.get(name, name.replace("+", ","))


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


def figures(timings: Timings, name: str, schemas: Sequence[str]) -> dict[str, float]:
    """The figures of the bar for one row, in microseconds."""
    rows = [timings[name][case] for case in schemas]
    masks: NDArray[np.float64] = np.concatenate([row.masks for row in rows]) / 1e3
    first: NDArray[np.float64] = np.array([row.first for row in rows]) / 1e3
    values = masks.mean(), np.percentile(masks, 99), np.median(first), np.percentile(first, 99)
    return dict(zip(BAR, map(float, values), strict=True))


def table(timings: Timings) -> str:
    """One row per process: its times in µs, how much longer they are than with all on, and what that passes."""
    schemas = compared(timings)
    if not schemas:
        raise SystemExit("no schema was compiled")
    base = figures(timings, ALL_ON, schemas)
    lines = [
        "| off | " + " | ".join(f"{name}, µs | +" for name in BAR) + " | passes the bar by |",
        "| --- |" + " --: | --: |" * len(BAR) + " --- |",
    ]
    for name in timings:
        cells = [name if name in (ALL_ON, ALL_OFF) else f"`{name}`"]
        passed = []
        for what, value in figures(timings, name, schemas).items():
            change = value - base[what]
            cells += [figure(value), "" if name == ALL_ON else f"{change:+,.2f}"]
            passed += [what] if change >= BAR[what] else []
        lines.append("| " + " | ".join([*cells, "" if name == ALL_ON else ", ".join(passed) or "nothing"]) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description="What each accelerator gains")
    parser.add_argument("--every", type=int, default=4, help="of MaskBench's schemas every n-th (default: 4)")
    parser.add_argument("--tokenizer", default="llama3", help="a folder of the data's tokenizers, or any path")
    parser.add_argument("--rounds", type=int, default=1, help="repeat all, keep the smallest time of each call")
    parser.add_argument("--off", default=",".join(ACCELERATORS), help="rows, by comma; a+b: both off (default: each)")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="folder of the results")
    options = parser.parse_args()
    names = options.off.split(",")
    if unknown := {part for name in names for part in name.split("+")} - set(ACCELERATORS):
        parser.error(f"no accelerator is called {', '.join(sorted(unknown))}")
    tokenizer = load_tokenizer(options.tokenizer)
    sample = cases(tokenizer, maskbench(), every=options.every)
    commit, machine = report.commit(), report.machine()

    def progress(place: int) -> None:
        if place % 20 == 0 or place == len(sample):
            print(f"{place}/{len(sample)} schemas", file=sys.stderr, flush=True)

    found = table(measure([*names, ALL_OFF], tokenizer, sample, options.rounds, progress))
    today = datetime.date.today().isoformat()
    page = (
        f"# Accelerators, {today}\n\n"
        f"`python -m benchmarks.ablation --every {options.every} --rounds {options.rounds}`, commit {commit}, "
        f"{len(sample)} schemas of MaskBench, tokenizer {tokenizer.name} ({tokenizer.size:,} tokens); "
        f"{machine['cpu']}, {machine['cores']} cores, load {machine['load']} at the end, Python {machine['python']}. "
        "Each row is a process of its own with some accelerators off; masks are those of the first replay, a compile "
        "includes the first mask. +: microseconds more than with all accelerators on. An accelerator stays if "
        + ", ".join(f"{name} grows by {bar:g} µs" for name, bar in BAR.items())
        + ", or if a promised bound (`python -m benchmarks.bounds`) breaks by more than twice.\n\n"
        f"{found}"
    )
    print(page)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"ablation-{today}-{commit}.md"
    path.write_text(page, encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
