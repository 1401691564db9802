"""The core's sources × a seed → mutants by cargo-mutants, each held against `cargo test`."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any

from tests.data import ROOT

from .verdict import Verdict

#: What masks, objects, counts and positions are made by: folders and files of crates/core/src.
SOURCES = ("mask", "matcher", "json/object", "grammar/rules", "automaton/machine.rs", "regular/saturate.rs")

LISTED = ("cargo", "mutants", "--package=frisket-core", "--colors=never", "--no-times")

#: Seconds. A mutant that loops is noticed, too: all tests together take a tenth of it.
SECONDS = 180

#: Bytes of address space: a mutant that grows without end is noticed before the machine feels it.
MEMORY = 12 << 30


def run(sample: int, seed: int, jobs: int, again: frozenset[str]) -> Iterator[Verdict]:
    """The verdicts of a sample; of the mutants with the keys `again` alone, if there are any."""
    if shutil.which("cargo-mutants") is None:
        sys.exit("cargo-mutants is missing: cargo install cargo-mutants --locked")
    everything = mutants()
    if again:
        chosen = [place for place, mutant in enumerate(everything) if verdict(mutant, "survived").key in again]
    else:
        chosen = random.Random(seed).sample(range(len(everything)), min(sample, len(everything)))
    print(f"{len(chosen)} of {len(everything):,} mutants of the core, seed {seed}", flush=True)
    copies: Queue[Path] = Queue()
    for number in range(jobs):
        copies.put(copied(ROOT / "target" / f"mutants-{number}"))

    def judged(place: int) -> Verdict:
        copy = copies.get()
        try:
            return judge(copy, everything[place], place, len(everything))
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(judged, chosen)


def copied(folder: Path) -> Path:
    """The sources in a folder of their own. What was built there stays, so that a mutant is one file built anew."""
    for name in ("Cargo.toml", "Cargo.lock", "crates", "tests/spec"):
        for source in (path for path in (ROOT / name, *(ROOT / name).rglob("*")) if path.is_file()):
            target = folder / source.relative_to(ROOT)
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
    for target in (folder / "crates").rglob("*"):
        if target.is_file() and not (ROOT / target.relative_to(folder)).exists():
            target.unlink()
    return folder


def judge(copy: Path, mutant: dict[str, Any], place: int, count: int) -> Verdict:
    """Whether the core's tests notice a mutant, made in a copy of the sources."""
    how = (
        "--profile=mutants",
        "--baseline=skip",
        f"--timeout={SECONDS}",
        "--in-place",
        f"--output={copy}",
        "--cargo-test-arg=--tests",
    )
    environment = {**os.environ, "CARGO_TARGET_DIR": str(copy / "target"), "FRISKET_TEST_SEEDS": "100"}
    subprocess.run(
        [*LISTED, *files(), *how, "--sharding=round-robin", f"--shard={place}/{count}"],
        cwd=copy,
        env=environment,
        check=False,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    told = json.loads((copy / "mutants.out" / "outcomes.json").read_text(encoding="utf-8"))
    (outcome,) = told["outcomes"]
    if outcome["scenario"]["Mutant"]["name"] != mutant["name"]:
        raise RuntimeError(f"{outcome['scenario']['Mutant']['name']} was judged, not {mutant['name']}")
    return verdict(mutant, outcome["summary"])


def files() -> list[str]:
    """The files whose mutants are sampled."""
    folder = ROOT / "crates" / "core" / "src"
    missing = [name for name in SOURCES if not (folder / name).exists()]
    if missing:
        sys.exit(f"tests/mutants/core.py names sources that are no more: {', '.join(missing)}")
    paths = [path for name in SOURCES for path in [folder / name, *sorted((folder / name).rglob("*.rs"))]]
    return [f"--file={path.relative_to(ROOT)}" for path in paths if path.is_file()]


def mutants() -> list[dict[str, Any]]:
    """Every possible mutant, as cargo-mutants describes it."""
    command = [*LISTED, *files(), "--list", "--json"]
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
