"""`python -m tests.mutants` → what share of small changes to our own code the fast tests notice.

    python -m tests.mutants front --sample 100 --seed 1     the Python front end
    python -m tests.mutants core --sample 100 --seed 1      the Rust core (`cargo install cargo-mutants`)

A mutant that no test notices survives: it is listed, and either a test is missing or the change makes no difference.
Survivors whose reason is known stand in `survivors.toml`. The sample is the same for the same seed and the same code.
"""

from __future__ import annotations

import argparse
import sys

from . import core, front
from .verdict import report


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Which small changes tests notice")
    parser.add_argument("part", choices=("core", "front"))
    parser.add_argument("--sample", type=int, default=100, help="mutants, about so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    chosen = parser.parse_args(arguments)
    part = core if chosen.part == "core" else front
    return report(part.run(chosen.sample, chosen.seed, chosen.jobs))


if __name__ == "__main__":
    sys.exit(main())
