"""`python -m benchmarks.compile` → compile and first mask of fresh schemas, beside llguidance.

Each engine has a process of its own, as in `python -m benchmarks`, but they take turns by blocks of schemas: all see
the same minutes of the machine, and each compiles one schema after another, with its code in the processor's caches, as
a service does. frisket is timed twice: from a dict, and from JSON text. In each round every schema has another title,
so that nobody compiled it before. Freeing is not timed, nor is what Linux says the thread waited for a processor.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import report
from .corpus import Case, cases, load_tokenizer, maskbench
from .engine import Engine, version
from .run import Limit, Process
from .waiting import waiting
from .worker import Timing

ENGINES = ("frisket", "frisket_text", "llguidance")
SHARES = {"p50": 50, "p90": 90, "p95": 95, "p99": 99, "max": 100}
#: What the issue of the native front end demands, in µs; and how many times as long llguidance is to take.
BOUNDS = {"p50": 100.0, "p95": 600.0, "p99": 2_000.0, "max": 20_000.0}
RATIOS = {"p50": 12.0, "p99": 15.0}


def main(arguments: list[str] | None = None) -> int:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.compile", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--schemas", type=int, default=520, help="how many of MaskBench (default: 520)")
    asked.add_argument("--rounds", type=int, default=5, help="of all schemas (default: 5)")
    asked.add_argument("--block", type=int, default=40, help="schemas that an engine compiles in turn (default: 40)")
    asked.add_argument("--seed", type=int, default=1, help="of the sample")
    asked.add_argument("--out", type=Path, help="folder to write the page to (default: the screen alone)")
    chosen = asked.parse_args(arguments)
    tokenizer = load_tokenizer("llama3")
    sample = cases(tokenizer, maskbench(), count=chosen.schemas, seed=chosen.seed)
    began, commit = os.getloadavg()[1], report.commit()
    processes = {name: Process(name, tokenizer, Limit(600), answer=times) for name in ENGINES}
    try:
        found = rounds(processes, sample, chosen.rounds, chosen.block)
    finally:
        for process in processes.values():
            process.stop()
    page = written(found, chosen, commit, began)
    print(page)
    if chosen.out is not None:
        path = chosen.out / f"compile-{datetime.date.today()}-{commit}.md"
        path.write_text(page + "\n", encoding="utf-8")
        print(path)
    return 0


#: Of the only thread of an engine's process.
own_waiting = cache(waiting)


def times(engine: Engine, block: list[Case]) -> list[float]:
    """The answer of an engine's process: nanoseconds of each schema, not a number where it is refused."""
    clock, waited = time.perf_counter_ns, own_waiting()
    found: list[float] = []
    gc.collect()
    gc.disable()
    try:
        for case in block:
            # The clock is read first and last: who waits between two readings was counted by both.
            began = clock()
            before = waited()
            try:
                compiled = engine.compile(case.schema, case.text)
                session = engine.start(compiled)
                session.mask()
            except Exception:
                found.append(np.nan)
                continue
            wait = (waited() - before) * 1e9
            found.append(clock() - began - wait)
            del compiled, session
    finally:
        gc.enable()
    return found


def rounds(processes: dict[str, Process], sample: list[Case], count: int, size: int) -> dict[str, NDArray[np.float64]]:
    """Microseconds by engine, round and schema. The first block is compiled once before any counts."""
    found = {name: np.full((count, len(sample)), np.nan) for name in processes}
    names = list(processes)
    for process in processes.values():
        process.ask([fresh(case, "before all") for case in sample[:size]])
    for number in range(count):
        for turn, start in enumerate(range(0, len(sample), size)):
            block = [fresh(case, f"round {number}") for case in sample[start : start + size]]
            first = (turn + number) % len(names)
            for name in names[first:] + names[:first]:
                answer = processes[name].ask(block)
                if isinstance(answer, Timing):
                    raise RuntimeError(f"{name}: {answer.status}: {answer.detail}")
                found[name][number, start : start + size] = np.array(answer) / 1e3
            print(f"\rround {number + 1}, {start + len(block)} schemas", end="", file=sys.stderr)
    print(file=sys.stderr)
    return found


def fresh(case: Case, title: str) -> Case:
    """The case under another title, which asks nothing."""
    schema = {**case.schema, "title": title}
    return Case(case.name, schema, json.dumps(schema), ())


def written(found: dict[str, NDArray[np.float64]], chosen: argparse.Namespace, commit: str, load: float) -> str:
    """The page."""
    machine = report.machine()
    versions = ", ".join(f"{name} {version(name)}" for name in ("frisket-llm", "llguidance"))
    lines = [
        f"# Compile and first mask of fresh schemas, {datetime.date.today()}",
        "",
        f"{chosen.schemas} schemas of MaskBench (seed {chosen.seed}), Llama 3's vocabulary, every call from Python. "
        f"Engines take turns by blocks of {chosen.block} schemas, {chosen.rounds} rounds. Commit {commit}; {versions}.",
        "",
        f"{machine['cpu']}, {machine['cores']} cores, load {load:.2f} at the beginning and {machine['load']} at the "
        f"end; Python {machine['python']}. `python -m benchmarks.compile --schemas {chosen.schemas} "
        f"--rounds {chosen.rounds} --block {chosen.block} --seed {chosen.seed}`.",
    ]
    kept = {"smallest": np.min, "median": np.median}
    for title, of_rounds in kept.items():
        best = {name: of_rounds(all_times, axis=0) for name, all_times in found.items()}
        lines += ["", f"## The {title} of each schema's times", "", *_table(best)]
    return "\n".join(lines)


def _table(best: dict[str, NDArray[np.float64]]) -> list[str]:
    both = ~np.isnan(best["frisket"]) & ~np.isnan(best["llguidance"])
    lines = ["| µs | schemas | mean | " + " | ".join(SHARES) + " |", "|---|--:|--:|" + "--:|" * len(SHARES)]

    def row(name: str, times: NDArray[np.float64], form: str = "{:,.0f}") -> None:
        values = (times.mean(), *(np.percentile(times, share) for share in SHARES.values()))
        lines.append(f"| {name} | {len(times)} | " + " | ".join(form.format(value) for value in values) + " |")

    def share(name: str, key: str) -> float:
        return float(np.percentile(best[name][both], SHARES[key]))

    for name, times in best.items():
        row(f"{name}, all that it compiles", times[~np.isnan(times)])
    for name, times in best.items():
        row(f"{name}, what both compile", times[both])
    ratios: dict[str, Any] = {key: share("llguidance", key) / share("frisket", key) for key in SHARES}
    mean = best["llguidance"][both].mean() / best["frisket"][both].mean()
    shown = " | ".join(f"{ratio:.1f}" for ratio in ratios.values())
    lines.append(f"| llguidance, times as long as frisket | {both.sum()} | {mean:.1f} | {shown} |")
    whole = best["frisket"][~np.isnan(best["frisket"])]
    verdicts = [
        f"{key} {np.percentile(whole, SHARES[key]):,.0f} ≤ {bound:,.0f}: "
        + ("holds" if np.percentile(whole, SHARES[key]) <= bound else "**missed**")
        for key, bound in BOUNDS.items()
    ]
    verdicts += [
        f"{key} {ratios[key]:.1f} ≥ {bound:g} times: " + ("holds" if ratios[key] >= bound else "**missed**")
        for key, bound in RATIOS.items()
    ]
    text = best["frisket_text"][both].mean() / best["frisket"][both].mean()
    verdicts.append(f"from text {text:.2f} of the time from a dict (mean): " + ("holds" if text <= 1 else "**missed**"))
    return [*lines, "", *(f"* {verdict}" for verdict in verdicts)]


if __name__ == "__main__":
    sys.exit(main())
