"""`python -m tests.mutants` → what share of small changes to our own code the fast tests notice.

    python -m tests.mutants front --sample 100 --seed 1     what reads schemas, patterns and notations
    python -m tests.mutants core --sample 100 --seed 1      the core's masks, objects and positions
    python -m tests.mutants core --again                    those that survived the last run alone

Mutants of Rust are those of cargo-mutants (`cargo install cargo-mutants --locked`).

A mutant that no test notices survives: it is listed, and either a test is missing or the change makes no difference.
Those that make none are equivalent mutants: they stand in `survivors.toml`, each with its reason, and count neither way
(Jia and Harman, 2011, "An Analysis and Survey of the Development of Mutation Testing").
A sample is the same for the same seed: a change of the code replaces only the mutants that it touches.
"""

from __future__ import annotations

import argparse
import sys

from . import core, front
from .verdict import report, survivors


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Which small changes tests notice")
    parser.add_argument("part", choices=("core", "front"))
    parser.add_argument("--sample", type=int, default=100, help="mutants, about so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    parser.add_argument("--again", action="store_true", help="only those that survived the last run")
    chosen = parser.parse_args(arguments)
    again = survivors(chosen.part) if chosen.again else frozenset()
    if chosen.again and not again:
        print(f"nothing survived the last run of {chosen.part}")
        return 0
    part = core if chosen.part == "core" else front
    return report(part.run(chosen.sample, chosen.seed, chosen.jobs, again), chosen.part)


if __name__ == "__main__":
    sys.exit(main())
