"""The core's sources × a seed → mutants in one build, each held against `cargo test`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from .mutant import Verdict
from .rust import Build, CrateTests, mutants
from .sample import sampled

#: What masks, objects, counts and positions are made by: folders and files of crates/core/src.
SOURCES = ("mask", "matcher", "json/object", "grammar/rules", "automaton/machine.rs", "regular/saturate.rs")

PACKAGE = "frisket-core"


def run(sample: int, seed: int, jobs: int, again: frozenset[str]) -> Iterator[Verdict]:
    """The verdicts of a sample; of the mutants with the keys `again` alone, if there are any."""
    everything = mutants([f"crates/core/src/{name}" for name in SOURCES])
    chosen = dict(enumerate(sampled(everything, sample, seed, again)))
    print(f"{len(chosen)} of {len(everything):,} mutants of the core, seed {seed}", flush=True)
    build = Build((f"--package={PACKAGE}",), {})
    held, alone = build.hold_most(chosen)
    tests = CrateTests(PACKAGE)
    if not tests.pass_with(None):
        sys.exit("the tests fail without a mutant: nothing can be judged")
    with ThreadPoolExecutor(jobs) as pool:
        for number, passed in zip(held, pool.map(tests.pass_with, held), strict=True):
            yield Verdict(chosen[number], "survived" if passed else "killed")
    for number in chosen.keys() - held - alone:
        yield Verdict(chosen[number], "unviable")
    for number in alone:
        build.hold({number: chosen[number]}, always=True)
        yield Verdict(chosen[number], "survived" if CrateTests(PACKAGE).pass_with(None) else "killed")
