"""The front ends' sources × a seed → mutants, each held against its crate's tests and the fast tests in Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from tests.data import ROOT

from . import python, rust
from .mutant import Mutant, Verdict
from .reach import Reach
from .sample import sampled
from .schemata import MODULE

#: What reads schemas, patterns and notations.
RUST = ("crates/schema/src", "crates/regex/src", "crates/core/src/production", "crates/frisket/src/notation")

#: Folders of src/frisket.
PYTHON = ("json_schema", "notations", "decoding", "logits")

#: Cargo's options for the extension.
EXTENSION = ("--package=frisket-python", "--features=pyo3/extension-module")

#: The fast tests that read what these make: files, and folders of them.
TESTS = (
    "tests/spec", "tests/golden", "tests/property", "tests/conformance/test_conformance.py", "tests/unit/_core",
    "tests/unit/json_schema", "tests/unit/notations", "tests/unit/decoding", "tests/unit/events", "tests/unit/logits",
    "tests/unit/models", "tests/unit/parts",
    *(f"tests/unit/test_{name}.py" for name in (
        "builder", "data_class", "errors", "grammar", "hostile", "misuse", "origin", "python_type", "tree",
    )),
)  # fmt: skip


def run(sample: int, seed: int, jobs: int, again: frozenset[str]) -> Iterator[Verdict]:
    """The verdicts of a sample; of the mutants with the keys `again` alone, if there are any."""
    files = test_files()
    everything = [*rust.mutants(RUST), *python.mutants(PYTHON)]
    chosen = dict(enumerate(sampled(everything, sample, seed, again)))
    print(f"{len(chosen)} of {len(everything):,} mutants of the front ends, seed {seed}", flush=True)
    compiled = {number: one for number, one in chosen.items() if one.file.startswith("crates/")}
    interpreted = {number: one for number, one in chosen.items() if number not in compiled}
    build = rust.Build(EXTENSION, {"crates/python/src/lib.rs": MODULE})
    held, alone = build.hold_most(compiled)
    hold_package(interpreted)
    tests = cache(rust.CrateTests)
    for package in {package_of(compiled[number]) for number in held} - {None}:
        if not tests(package).pass_with(None):
            sys.exit(f"the tests of {package} fail without a mutant: nothing can be judged")
    reach = Reach(files)

    def passes(number: int) -> bool:
        package = package_of(chosen[number]) if number in held else None
        # A survivor is judged again by all tests beside: some need what an earlier one imported or computed.
        wholes = (True,) if again else (False, True)
        return (package is None or tests(package).pass_with(number)) and all(
            reach.passes(number, whole_files=whole) for whole in wholes
        )

    judged = sorted(held | interpreted.keys())
    with ThreadPoolExecutor(jobs) as pool:
        for number, passed in zip(judged, pool.map(passes, judged), strict=True):
            yield Verdict(chosen[number], "survived" if passed else "killed")
    for number in sorted(compiled.keys() - held - alone):
        yield Verdict(chosen[number], "unviable")
    for number in sorted(alone):
        build.hold({number: chosen[number]}, always=True)
        hold_package({})
        package = package_of(chosen[number])
        passed = (package is None or rust.CrateTests(package).pass_with(None)) and reach.all_pass()
        yield Verdict(chosen[number], "survived" if passed else "killed")


def hold_package(interpreted: Mapping[int, Mutant]) -> None:
    """Build the extension, and write the package with it and with these mutants."""
    if not rust.cargo("build", *EXTENSION)[-1].get("success"):
        sys.exit("the extension does not build")
    python.hold(interpreted, rust.COPY / "target" / "mutants" / "lib_core.so")


def package_of(mutant: Mutant) -> str | None:
    """The crate whose own tests judge a mutant. The extension has none, and the core's own know no notation."""
    package: str = mutant.made["package"]
    return package if package in ("frisket-schema", "frisket-regex") else None


def test_files() -> list[str]:
    """The files of tests."""
    missing = [name for name in TESTS if not (ROOT / name).exists()]
    if missing:
        # pytest would fail for want of them, and every mutant seem to be noticed.
        sys.exit(f"tests/mutants/front.py names tests that are no more: {', '.join(missing)}")
    paths = [path for name in TESTS for path in [ROOT / name, *sorted((ROOT / name).rglob("test_*.py"))]]
    return [str(path.relative_to(ROOT)) for path in paths if path.is_file()]
