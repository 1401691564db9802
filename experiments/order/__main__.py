"""`python -m experiments.order` → results.md: the reason before the answer, or behind it.

Two orders × three seeds of small models are trained, each on one order; each is then masked in either. `--quick` trains
for seconds and writes no page.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from experiments.order.report import judged, page, plot
from experiments.order.run import FULL, ORDERS, QUICK, SEEDS, measure
from experiments.page import provenance
from experiments.trained_model import run_each


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m experiments.order", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    size = QUICK if parser.parse_args(arguments).quick else FULL
    began = time.perf_counter()
    seeds = SEEDS if size is FULL else SEEDS[:1]
    runs = run_each(measure, [(order, seed, size) for seed in seeds for order in ORDERS], size.workers)
    claims = judged(runs)
    text = page(runs, claims, provenance(time.perf_counter() - began, "python -m experiments.order"))
    if size is FULL:
        folder = Path(__file__).parent
        (folder / "results.md").write_text(text, encoding="utf-8")
        plot(runs, folder / "accuracy.png")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
