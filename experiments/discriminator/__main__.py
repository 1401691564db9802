"""`python -m experiments.discriminator` → results.md: the name of the kind first or last, in a tagged union.

Three seeds of small models are trained on both orders; the embedded model is asked beside them. `--quick` trains for
seconds and writes no page.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from experiments.discriminator.report import judged, page, plot
from experiments.discriminator.run import FULL, QUICK, SEEDS, measure, measure_embedded
from experiments.page import provenance
from experiments.trained_model import run_each


def main(arguments: list[str] | None = None) -> int:
    name = "python -m experiments.discriminator"
    parser = argparse.ArgumentParser(prog=name, description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    size = QUICK if parser.parse_args(arguments).quick else FULL
    began = time.perf_counter()
    runs = run_each(measure, [(seed, size) for seed in (SEEDS if size is FULL else SEEDS[:1])], size.workers)
    runs.append(measure_embedded(size))
    text = page(runs, judged(runs), provenance(time.perf_counter() - began, name))
    if size is FULL:
        folder = Path(__file__).parent
        (folder / "results.md").write_text(text, encoding="utf-8")
        plot(runs, folder / "accuracy.png")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
