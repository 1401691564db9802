"""`python -m benchmarks` → a table on the screen, and benchmarks/results/<date>-<commit>.{json,md,png}."""

from __future__ import annotations

import argparse
import datetime
import itertools
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import report
from .corpus import Case, cases, load_tokenizer, maskbench
from .engine import ENGINES, version
from .run import Limit, run
from .worker import Timing


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="frisket and its rivals, side by side")
    parser.add_argument(
        "--engines", default=",".join(ENGINES), help="which, by comma (default: all that are installed)"
    )
    parser.add_argument("--corpus", type=Path, help="schemas and instances of your own, in MaskBench's form")
    parser.add_argument("--schemas", type=int, default=100, help="how many of the corpus's schemas (default: 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument(
        "--tokenizer", default="llama3", help="llama3, qwen, o200k, tekken, or a path; several by comma are compared"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="limit per schema and engine")
    parser.add_argument("--megabytes", type=int, default=8192, help="limit of an engine's process")
    parser.add_argument("--rounds", type=int, default=1, help="repeat all, keep the smallest time of each call")
    parser.add_argument(
        "--minutes", type=float, default=35.0, help="pace: engines that hold it up see fewer schemas (default: 35)"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="folder of the results")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a time-out gets what there is, as an interruption does

    versions = {name: version(name) for name in options.engines.split(",")}
    engines = [name for name, found in versions.items() if found is not None]
    for name in versions.keys() - set(engines):
        print(f"{name} is not installed: left out", file=sys.stderr)
    if not engines:
        parser.error('no engine is installed: pip install ".[bench]"')

    results = {}
    for name in options.tokenizer.split(","):
        results[name] = measure(engines, name, options, {engine: versions[engine] for engine in engines})
    if len(results) > 1:
        page = report.compared(results)
        print(page)
        first = next(iter(results.values()))
        path = options.out / f"tokenizers-{first['settings']['date']}-{first['commit']}.md"
        path.write_text(page, encoding="utf-8")
        print(path)


def measure(
    engines: list[str], name: str, options: argparse.Namespace, versions: dict[str, str | None]
) -> dict[str, Any]:
    """One run: its page on the screen, its files written."""
    tokenizer = load_tokenizer(name)
    sample = cases(tokenizer, options.corpus or maskbench(), count=options.schemas, seed=options.seed)
    commit = report.commit()  # now: the sources may change while this runs, the loaded engines do not
    limit = Limit(options.seconds, options.megabytes)
    began = time.monotonic()
    runs = run(
        engines,
        tokenizer,
        sample,
        limit=limit,
        rounds=options.rounds,
        minutes=options.minutes,
        progress=_show(len(sample) * options.rounds, began),
    )
    settings = {
        "date": datetime.date.today().isoformat(),
        "corpus": options.corpus.name if options.corpus else "MaskBench",
        "schemas": max(len(run.timings) for run in runs),
        "asked": len(sample),
        "minutes": round((time.monotonic() - began) / 60, 1),
        "seed": options.seed,
        "tokenizer": tokenizer.name,
        "vocabulary": tokenizer.size,
        "seconds": options.seconds,
        "megabytes": options.megabytes,
        "rounds": options.rounds,
    }
    result = report.document(runs, settings, versions, commit)
    paths = report.write(result, runs, options.out)
    print(report.markdown(result))
    print("\n".join(str(path) for path in paths))
    return result


def _show(total: int, began: float) -> Callable[[int, Case, dict[str, Timing]], None]:
    """A bar on a terminal, a line for every tenth schema in a log."""
    terminal = sys.stderr.isatty()
    calls = itertools.count(1)

    def show(place: int, case: Case, timings: dict[str, Timing]) -> None:
        done = next(calls)
        passed = time.monotonic() - began
        left = passed / done * (total - done)
        bar = "█" * (30 * done // total) + "░" * (30 - 30 * done // total)
        row = "  ".join(
            f"{name} {timing.status if timing.status != 'right' else f'{timing.first / 1e3:,.0f} µs'}"
            for name, timing in sorted(timings.items())
        )
        line = f"{bar} {done}/{total} {passed / 60:.1f} min, {left / 60:.1f} left: {row}"
        if terminal:
            print(f"\r\x1b[K{line[:200]}", end="" if done < total else "\n", file=sys.stderr, flush=True)
        elif done % 10 == 0 or done == total:
            print(line, file=sys.stderr, flush=True)

    return show


if __name__ == "__main__":
    main()
