"""`python -m benchmarks` → a table on the screen, and benchmarks/results/<date>-<commit>.{json,md,png}."""

from __future__ import annotations

import argparse
import datetime
import math
import sys
from collections.abc import Callable
from pathlib import Path

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
    parser.add_argument("--tokenizer", default="llama3", help="a folder of the data's tokenizers, or any path")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit per schema and engine")
    parser.add_argument("--megabytes", type=int, default=8192, help="limit of an engine's process")
    parser.add_argument("--rounds", type=int, default=1, help="repeat all, keep the smallest time of each call")
    parser.add_argument("--minutes", type=float, default=math.inf, help="take no further schema after so long")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="folder of the results")
    options = parser.parse_args()

    versions = {name: version(name) for name in options.engines.split(",")}
    engines = [name for name, found in versions.items() if found is not None]
    for name in versions.keys() - set(engines):
        print(f"{name} is not installed: left out", file=sys.stderr)

    tokenizer = load_tokenizer(options.tokenizer)
    sample = cases(tokenizer, options.corpus or maskbench(), count=options.schemas, seed=options.seed)
    commit = report.commit()  # now: the sources may change while this runs, the loaded engines do not
    limit = Limit(options.seconds, options.megabytes)
    runs = run(
        engines,
        tokenizer,
        sample,
        limit=limit,
        rounds=options.rounds,
        minutes=options.minutes,
        progress=_show(len(sample)),
    )
    settings = {
        "date": datetime.date.today().isoformat(),
        "corpus": options.corpus.name if options.corpus else "MaskBench",
        "schemas": max(len(run.timings) for run in runs),
        "seed": options.seed,
        "tokenizer": tokenizer.folder.name,
        "vocabulary": tokenizer.size,
        "seconds": options.seconds,
        "megabytes": options.megabytes,
        "rounds": options.rounds,
    }
    result = report.document(runs, settings, {name: versions[name] for name in engines}, commit)
    paths = report.write(result, runs, options.out)
    print(report.markdown(result))
    print("\n".join(str(path) for path in paths))


def _show(total: int) -> Callable[[int, Case, dict[str, Timing]], None]:
    def show(place: int, case: Case, timings: dict[str, Timing]) -> None:
        row = "  ".join(f"{name} {timing.status} {timing.first / 1e3:.0f}" for name, timing in timings.items())
        print(f"{place + 1}/{total} {case.name}: {row}", file=sys.stderr)

    return show


if __name__ == "__main__":
    main()
