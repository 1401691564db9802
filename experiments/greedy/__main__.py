"""`python -m experiments.greedy` → results.md: what masks cost where they fight a model, and what greedy misses.

`--quick` asks a few inputs and writes no page.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from experiments.exact.case import cases
from experiments.greedy.level import FORMS, SYSTEMS, WORKED, measure, measure_own
from experiments.greedy.report import DRAWN, GREEDY, Figures, judged, page, plot
from experiments.greedy.trap import listed, random_grammars
from experiments.page import provenance
from experiments.trained_model import run_each


@dataclass(frozen=True)
class Size:
    models: int
    """Random models, each with seven grammars."""
    cases: int
    """Listed grammars of `experiments.exact`."""
    inputs: int
    """Held-out inputs of each system, in each form."""
    worked: int
    """Held-out inputs of each system as it is."""
    places: int
    """The most that the search for the likeliest answer looks at."""
    workers: int = 2
    forms: tuple[str, ...] = tuple(FORMS)


FULL, QUICK = Size(200, 6, 40, 200, 100), Size(2, 1, 1, 2, 20, 1, ("own", "everything"))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m experiments.greedy", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    size = QUICK if parser.parse_args(arguments).quick else FULL
    began = time.perf_counter()
    traps = random_grammars(size.models)
    exact = listed(cases()[: size.cases])
    jobs = [(system, form, size.inputs, size.places) for system in SYSTEMS for form in size.forms]
    found = [one for answers in run_each(measure, jobs, size.workers) for one in answers]
    own = [(system, form, size.worked, form == DRAWN) for system in WORKED for form in (GREEDY, DRAWN)]
    worked = [one for answers in run_each(measure_own, own, size.workers) for one in answers]
    figures = Figures(traps, exact, found, worked)
    claims = judged(figures)
    text = page(figures, claims, provenance(time.perf_counter() - began, "python -m experiments.greedy"))
    if size is FULL:
        folder = Path(__file__).parent
        (folder / "results.md").write_text(text, encoding="utf-8")
        plot(figures, folder / "pressure.png")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
