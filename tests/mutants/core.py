"""The core's sources × a seed → mutants by cargo-mutants, each held against `cargo test`."""

from __future__ import annotations

import json
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.data import ROOT

from .verdict import Verdict

#: What masks, objects, counts and positions are made by: the names of files, in whatever folder they stand.
SOURCES = frozenset((
    "mask", "composer", "local", "name", "seen", "look", "clip", "object", "feasible", "matcher",
    "automaton", "machine", "rules", "trim", "verify",
))  # fmt: skip

#: Seconds. A mutant that loops is noticed, too: all tests together take a tenth of it.
SECONDS = 300

#: Bytes of address space: a mutant that grows without end is noticed before the machine feels it.
MEMORY = 12 << 30


def run(sample: int, seed: int, jobs: int, again: frozenset[str]) -> Iterator[Verdict]:
    """The verdicts of a sample; of the mutants with the keys `again` alone, if there are any."""
    if shutil.which("cargo-mutants") is None:
        sys.exit("cargo-mutants is missing: cargo install cargo-mutants --locked")
    everything = mutants()
    if again:
        chosen = [mutant for mutant in everything if verdict(mutant, "survived").key in again]
    else:
        chosen = random.Random(seed).sample(everything, min(sample, len(everything)))
    print(f"{len(chosen)} of {len(everything):,} mutants of the core, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        names = [f"--re=^{re.escape(mutant['name'])}$" for mutant in chosen]
        how = ["--profile=mutants", "--baseline=skip", f"--timeout={SECONDS}", f"--jobs={jobs}", f"--output={folder}"]
        subprocess.run(
            ["cargo", "mutants", "--package=frisket-core", "--no-times", "--colors=never", *how, *names],
            cwd=ROOT,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
        outcomes = json.loads((Path(folder) / "mutants.out" / "outcomes.json").read_text(encoding="utf-8"))
    for outcome in outcomes["outcomes"]:
        if outcome["scenario"] != "Baseline":
            yield verdict(outcome["scenario"]["Mutant"], outcome["summary"])


def mutants() -> list[dict[str, Any]]:
    """Every possible mutant, as cargo-mutants describes it."""
    files = [path for path in sorted((ROOT / "crates" / "core" / "src").rglob("*.rs")) if path.stem in SOURCES]
    missing = SOURCES - {path.stem for path in files}
    if missing:
        sys.exit(f"tests/mutants/core.py names files that are no more: {', '.join(sorted(missing))}")
    named = [f"--file={path.relative_to(ROOT)}" for path in files]
    command = ["cargo", "mutants", "--package=frisket-core", "--list", "--json", *named]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found: list[dict[str, Any]] = json.loads(listed)
    return found


def verdict(mutant: dict[str, Any], summary: str) -> Verdict:
    """What became of a mutant."""
    function = mutant["function"]["function_name"] if mutant["function"] else "outside of functions"
    change = mutant["name"].split(": ", 1)[-1]
    outcome = {"CaughtMutant": "killed", "Timeout": "killed", "MissedMutant": "survived", "survived": "survived"}
    return Verdict(
        f"{mutant['file']}:{mutant['span']['start']['line']}",
        f"{function}: {change}",
        outcome.get(summary, "unviable"),  # type: ignore[arg-type]
    )
