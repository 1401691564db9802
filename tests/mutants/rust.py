"""Rust sources × mutants of cargo-mutants' list → one build of a copy, with each mutant behind a switch."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.data import ROOT

from .mutant import Mutant
from .schemata import FUNCTION, VARIABLE, switch, switched

#: The copy of the sources, built in its own folder.
COPY = ROOT / "target" / "mutants-copy"

#: What the crates' tests read: sources, cases, and the page that measures every accelerator.
READ = ("Cargo.toml", "Cargo.lock", "crates", "tests/spec", "benchmarks/ablation.py")

#: The root of the crate that all others use: the function that switches ask stands there.
ROOT_FILE = "crates/core/src/lib.rs"

#: Seconds of a processor. A mutant that loops is noticed, too: the slowest binary of tests takes a third of it.
SECONDS = 120

#: Bytes of address space: a mutant that grows without end is noticed before the machine feels it.
MEMORY = 12 << 30


def mutants(sources: Iterable[str]) -> list[Mutant]:
    """Every possible mutant of these files and folders, as cargo-mutants describes it."""
    if shutil.which("cargo-mutants") is None:
        sys.exit("cargo-mutants is missing: cargo install cargo-mutants --locked")
    missing = [name for name in sources if not (ROOT / name).exists()]
    if missing:
        sys.exit(f"tests/mutants names sources that are no more: {', '.join(missing)}")
    paths = [path for name in sources for path in [ROOT / name, *sorted((ROOT / name).rglob("*.rs"))]]
    files = [f"--file={path.relative_to(ROOT)}" for path in paths if path.is_file()]
    command = ["cargo", "mutants", "--workspace", "--colors=never", "--no-times", "--list", "--json", *files]
    listed = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    return [_mutant(one) for one in listed]


def _mutant(made: dict[str, Any]) -> Mutant:
    function = made["function"]["function_name"] if made["function"] else "outside of functions"
    change = made["name"].split(": ", 1)[-1]
    return Mutant(made["file"], made["span"]["start"]["line"], f"{function}: {change}", made)


class Build:
    """A copy of the sources in which mutants stand, and what is built of it."""

    def __init__(self, check: tuple[str, ...], roots: Mapping[str, str]) -> None:
        """`check` are cargo's options for all that mutants touch; `roots` what is added to the end of files."""
        self.check, self.roots = check, {ROOT_FILE: FUNCTION, **roots}

    def hold(self, chosen: Mapping[int, Mutant], *, always: bool = False) -> frozenset[int]:
        """Write the mutants behind switches, by their numbers; `always`: on for good. Those that build."""
        sources = {file: (ROOT / file).read_text(encoding="utf-8") for file in {one.file for one in chosen.values()}}
        made = {number: self._switch(sources[one.file], one, number, always) for number, one in chosen.items()}
        left = {number: one for number, one in made.items() if one is not None}
        while True:
            written, places = {}, {}
            for file, source in sources.items():
                here = [one for number, one in left.items() if chosen[number].file == file]
                written[file], places[file] = switched(source, here)
            for file, added in self.roots.items():
                written[file] = written.get(file, (ROOT / file).read_text(encoding="utf-8")) + added
            _copied(written)
            broken = set()
            for file, at in self._errors():
                within = places.get(file, {}).items()
                around = [(end - start, number) for number, (start, end) in within if start <= at < end]
                if not around:
                    sys.exit(f"{COPY / file} does not build, and no mutant stands at byte {at}")
                broken.add(min(around)[1])
            if not broken:
                return frozenset(left)
            left = {number: one for number, one in left.items() if number not in broken}

    def hold_most(self, chosen: Mapping[int, Mutant]) -> tuple[frozenset[int], frozenset[int]]:
        """Hold what can stand behind a switch. The numbers of these, and of those that build by themselves alone."""
        held = self.hold(chosen)
        alone = self.hold({number: one for number, one in chosen.items() if number not in held}, always=True)
        self.hold({number: chosen[number] for number in held})
        print(f"{len(held)} of them in one build, {len(alone)} built alone", flush=True)
        return held, alone

    def _switch(self, source: str, mutant: Mutant, number: int, always: bool) -> Any:
        crate = "crate" if mutant.file.startswith("crates/core/") else "frisket_core"
        return switch(source, mutant.made, number, "true" if always else f"{crate}::mutant_is_on({number})")

    def _errors(self) -> Iterator[tuple[str, int]]:
        """(file, byte) of every error of the compiler."""
        for message in cargo("check", "--lib", *self.check):
            told = message.get("message", {})
            if message["reason"] == "compiler-message" and told["level"] == "error":
                for span in told["spans"]:
                    if span["is_primary"]:
                        yield span["file_name"], span["byte_start"]


class CrateTests:
    """The binaries of a crate's own tests."""

    def __init__(self, package: str) -> None:
        messages = [one for one in cargo("test", "--lib", "--tests", "--no-run", f"--package={package}")]
        found = {one["target"]["name"]: one for one in messages if one.get("executable")}
        if not found:
            sys.exit(f"the tests of {package} do not build")
        # The quick ones first.
        self._binaries = [
            Path(found[name]["executable"]) for name in sorted(found, key=lambda name: (name == "spec", name))
        ]
        self._folder = Path(next(iter(found.values()))["manifest_path"]).parent

    def pass_with(self, number: int | None) -> bool:
        """Whether all pass with the mutant of this number on."""
        environment = {**os.environ, **on(number), "FRISKET_TEST_SEEDS": "100", "RUST_BACKTRACE": "0"}
        return all(
            subprocess.run(
                [binary, "-q"],
                cwd=self._folder,
                env=environment,
                capture_output=True,
                preexec_fn=lambda: limit(SECONDS),
            ).returncode
            == 0
            for binary in self._binaries
        )


def on(number: int | None) -> dict[str, str]:
    """The environment in which the mutant of this number is on."""
    return {} if number is None else {VARIABLE: str(number)}


def limit(seconds: int) -> None:
    """Let this process take no more of a processor and of memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def cargo(*command: str) -> list[dict[str, Any]]:
    """What cargo says about the copy."""
    told = subprocess.run(
        ["cargo", *command, "--profile=mutants", "--message-format=json"],
        cwd=COPY,
        env={**os.environ, "CARGO_TARGET_DIR": str(COPY / "target")},
        check=False,
        capture_output=True,
        text=True,
    )
    return [json.loads(line) for line in told.stdout.splitlines()]


def _copied(instead: dict[str, str]) -> None:
    """What the crates and their tests read, some files with another text. What was built before stays."""
    kept = set()
    for name in READ:
        for source in (path for path in (ROOT / name, *(ROOT / name).rglob("*")) if path.is_file()):
            target = COPY / source.relative_to(ROOT)
            text = instead.get(str(source.relative_to(ROOT)))
            content = source.read_bytes() if text is None else text.encode()
            kept.add(target)
            if not target.exists() or target.read_bytes() != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
    for target in (COPY / "crates").rglob("*"):
        if target.is_file() and target not in kept:
            target.unlink()
