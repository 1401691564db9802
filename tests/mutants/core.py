"""The core's sources × a seed → mutants by cargo-mutants, each held against `cargo test`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.data import ROOT

from .verdict import Verdict

#: What masks, objects, counts and positions are made by.
SOURCES = (
    "mask", "composer", "local", "name", "name/seen", "look", "clip", "object", "object/feasible", "matcher",
    "automaton", "machine", "rules", "rules/trim", "verify",
)  # fmt: skip


def run(sample: int, seed: int, jobs: int) -> Iterator[Verdict]:
    """The verdicts of about so many: every n-th mutant of the list, from the seed's on."""
    if shutil.which("cargo-mutants") is None:
        sys.exit("cargo-mutants is missing: cargo install cargo-mutants --locked")
    files = [f"--file=crates/core/src/{name}.rs" for name in SOURCES]
    command = ["cargo", "mutants", "--package=frisket-core", *files]
    listed = subprocess.run([*command, "--list"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    every = max(1, len(listed.splitlines()) // sample)
    print(f"1 in {every} of {len(listed.splitlines()):,} mutants of the core, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        shard = [
            f"--shard={seed % every}/{every}",
            f"--jobs={jobs}",
            f"--output={folder}",
            "--no-times",
            "--colors=never",
        ]
        subprocess.run([*command, *shard, "--baseline=skip", "--timeout=300"], cwd=ROOT, check=False)
        outcomes = json.loads((Path(folder) / "mutants.out" / "outcomes.json").read_text(encoding="utf-8"))
    for outcome in outcomes["outcomes"]:
        if outcome["scenario"] == "Baseline":
            continue
        mutant = outcome["scenario"]["Mutant"]
        start = mutant["span"]["start"]["line"]
        change = f"{mutant['function']['function_name']}: {mutant['name'].split(': ', 1)[-1]}"
        kind = {"CaughtMutant": "killed", "Timeout": "killed", "MissedMutant": "survived"}.get(outcome["summary"])
        yield Verdict(f"{mutant['file']}:{start}", change, kind or "unviable")  # type: ignore[arg-type]
