"""The tree of sources: files that one reader takes in at once."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from tests.data import ROOT

LONGEST, MEDIAN = 500, 200
#: Files that may be longer, each with its reason.
LONGER = {
    "src/frisket/reference.py": "the whole idea in one file, read from top to bottom",
}
#: Modules of the core that hold tests, or what tests share.
TEST_MODULES = {"tests", "fixture"}


@pytest.fixture
def lengths() -> dict[str, int]:
    """The lines of every source file, by its path."""
    if not (ROOT / "Cargo.toml").exists():
        pytest.skip("the tests run on an installed package alone")
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n")
        for folder in ("src", "crates", "tests", "benchmarks", "examples", "training")
        for ending in ("py", "pyi", "rs")
        for path in (ROOT / folder).rglob(f"*.{ending}")
        if "target" not in path.parts
    }


def test_no_file_is_long_without_a_reason(lengths: dict[str, int]) -> None:
    long = {name: lines for name, lines in lengths.items() if lines > LONGEST}
    assert not {name: lines for name, lines in long.items() if name not in LONGER}
    assert LONGER.keys() <= long.keys(), "a file that needs its exception no more"


def test_every_module_of_the_core_has_tests_of_its_own(lengths: dict[str, int]) -> None:
    modules = [name for name in lengths if name.startswith("crates/core/src/") and Path(name).stem not in TEST_MODULES]
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in modules}
    # A module that only lists others has nothing to test.
    without = [name for name, text in texts.items() if "fn " in text and "mod tests" not in text]
    assert modules and not without


def test_half_of_the_files_are_short(lengths: dict[str, int]) -> None:
    assert median(lengths.values()) <= MEDIAN
