"""`python -m experiments.thought` → results.md: sums of two steps, answered at once, with reasons, after drafts.

Three seeds of small models are trained; every arm has the same number of tokens. `--quick` trains for seconds and
writes no page.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from experiments.page import provenance
from experiments.thought.report import judged, page, plot
from experiments.thought.run import FULL, QUICK, SEEDS, measure
from experiments.trained_model import run_each


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m experiments.thought", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    size = QUICK if parser.parse_args(arguments).quick else FULL
    began = time.perf_counter()
    runs = run_each(measure, [(seed, size) for seed in (SEEDS if size is FULL else SEEDS[:1])], size.workers)
    text = page(runs, judged(runs), provenance(time.perf_counter() - began, "python -m experiments.thought"))
    if size is FULL:
        folder = Path(__file__).parent
        (folder / "results.md").write_text(text, encoding="utf-8")
        plot(runs, folder / "accuracy.png")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
