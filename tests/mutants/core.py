"""The core's sources × a seed → mutants of cargo-mutants' list in one build, each held against `cargo test`."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.data import ROOT

from .sample import sampled
from .schemata import FUNCTION, VARIABLE, switch, switched
from .verdict import Verdict

#: What masks, objects, counts and positions are made by: folders and files of crates/core/src.
SOURCES = ("mask", "matcher", "json/object", "grammar/rules", "automaton/machine.rs", "regular/saturate.rs")

#: What the core's tests read: sources, cases, and the page that measures every accelerator.
READ = ("Cargo.toml", "Cargo.lock", "crates", "tests/spec", "benchmarks/ablation.py")

#: The root of the crate: the function that switches ask stands there.
ROOT_FILE = "crates/core/src/lib.rs"

LISTED = ("cargo", "mutants", "--package=frisket-core", "--colors=never", "--no-times")

#: Seconds of a processor. A mutant that loops is noticed, too: all tests of a binary together take a tenth of it.
SECONDS = 30

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
        chosen = sampled(range(len(everything)), lambda place: verdict(everything[place], "survived").key, sample, seed)
    print(f"{len(chosen)} of {len(everything):,} mutants of the core, seed {seed}", flush=True)
    copy = ROOT / "target" / "mutants"
    switches, tests = built(copy, {place: everything[place] for place in chosen})
    if not passes(copy, tests, None):
        sys.exit("the tests fail without a mutant: nothing can be judged")
    print(f"{len(switches)} of them in one build, {len(chosen) - len(switches)} built alone", flush=True)

    def judged(place: int) -> Verdict:
        if place in switches:
            return verdict(everything[place], "survived" if passes(copy, tests, place) else "CaughtMutant")
        return alone(everything[place], place, len(everything))

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(judged, chosen)


def built(copy: Path, chosen: dict[int, dict[str, Any]]) -> tuple[frozenset[int], list[Path]]:
    """The core's tests with the chosen mutants behind switches: those that could be, and the tests' binaries."""
    sources = {file: (ROOT / file).read_text(encoding="utf-8") for file in {one["file"] for one in chosen.values()}}
    switches = {place: switch(sources[one["file"]], one, place) for place, one in chosen.items()}
    left = {place: made for place, made in switches.items() if made is not None}
    while True:
        written, places = {ROOT_FILE: (ROOT / ROOT_FILE).read_text(encoding="utf-8") + FUNCTION}, {}
        for file, source in sources.items():
            here = [made for place, made in left.items() if chosen[place]["file"] == file]
            written[file], places[file] = switched(source, here)
        copied(copy, written)
        broken = set()
        for file, at in errors(copy):
            around = [(end - start, place) for place, (start, end) in places.get(file, {}).items() if start <= at < end]
            if not around:
                sys.exit(f"{copy / file} does not build, and no mutant stands at byte {at}")
            broken.add(min(around)[1])
        if not broken:
            return frozenset(left), binaries(copy)
        left = {place: made for place, made in left.items() if place not in broken}


def errors(copy: Path) -> Iterator[tuple[str, int]]:
    """(file, byte) of every error of the compiler."""
    for message in cargo(copy, "check", "--lib"):
        told = message.get("message", {})
        if message["reason"] == "compiler-message" and told["level"] == "error":
            for span in told["spans"]:
                if span["is_primary"]:
                    yield span["file_name"], span["byte_start"]


def binaries(copy: Path) -> list[Path]:
    """The binaries of the tests, the quick ones first."""
    messages = [one for one in cargo(copy, "test", "--tests", "--no-run") if one.get("executable")]
    found = {one["target"]["name"]: Path(one["executable"]) for one in messages}
    if not found:
        sys.exit("the tests do not build")
    return [found[name] for name in sorted(found, key=lambda name: (name == "spec", name))]


def cargo(copy: Path, *command: str) -> list[dict[str, Any]]:
    """What cargo says about the core in a copy of the sources."""
    told = subprocess.run(
        ["cargo", *command, "--profile=mutants", "--package=frisket-core", "--message-format=json"],
        cwd=copy,
        env={**os.environ, "CARGO_TARGET_DIR": str(copy / "target")},
        check=False,
        capture_output=True,
        text=True,
    )
    return [json.loads(line) for line in told.stdout.splitlines()]


def passes(copy: Path, tests: list[Path], place: int | None) -> bool:
    """Whether all tests pass with the mutant of this number on."""
    environment = {**os.environ, "FRISKET_TEST_SEEDS": "100", "RUST_BACKTRACE": "0"}
    if place is not None:
        environment[VARIABLE] = str(place)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    return all(
        subprocess.run(
            [test, "-q"], cwd=copy / "crates" / "core", env=environment, capture_output=True, preexec_fn=limit
        ).returncode
        == 0
        for test in tests
    )


def copied(folder: Path, instead: dict[str, str]) -> None:
    """What the core's tests read, in a folder of its own, some files with another text. What was built there stays."""
    kept = set()
    for name in READ:
        for source in (path for path in (ROOT / name, *(ROOT / name).rglob("*")) if path.is_file()):
            target = folder / source.relative_to(ROOT)
            text = instead.get(str(source.relative_to(ROOT)))
            content = source.read_bytes() if text is None else text.encode()
            kept.add(target)
            if not target.exists() or target.read_bytes() != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
    for target in (folder / "crates").rglob("*"):
        if target.is_file() and target not in kept:
            target.unlink()


def alone(mutant: dict[str, Any], place: int, count: int) -> Verdict:
    """Whether the core's tests notice a mutant that no switch can hold: most of these do not build at all."""
    copy = ROOT / "target" / "mutants-alone"
    copied(copy, {})
    how = ("--profile=mutants", "--baseline=skip", f"--timeout={10 * SECONDS}", "--in-place", f"--output={copy}")
    subprocess.run(
        [*LISTED, *files(), *how, "--cargo-test-arg=--tests", "--sharding=round-robin", f"--shard={place}/{count}"],
        cwd=copy,
        env={**os.environ, "CARGO_TARGET_DIR": str(copy / "target"), "FRISKET_TEST_SEEDS": "100"},
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
