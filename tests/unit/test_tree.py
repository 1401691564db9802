"""The tree of sources: files that one reader takes in at once."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

import pytest

from tests.data import ROOT

LONGEST, MEDIAN = 500, 200
#: Files that may be longer, each with its reason.
LONGER = {
    "src/frisket/reference.py": "the whole idea in one file, read from top to bottom",
}
#: Beginnings of a comment that leaves its subject to the reader.
SUBJECTLESS = re.compile(r"(What|Of|Those|So|As|The same)\b")
#: Comments that begin so, by folder: no more of them.
MOST_SUBJECTLESS = {
    "crates/core/src": 70,
    "crates/schema/src": 6,
    "crates/regex/src": 30,
    "crates/python/src": 30,
    "src": 10,
}
_COMMENT = re.compile(r"\s*(?://[/!]?|#:?) ?(.*)")
_DOCSTRING = re.compile(r'''^ *"""(.*)''', re.MULTILINE)


@pytest.fixture
def lengths() -> dict[str, int]:
    """The lines of every source file, by its path; those of a module's own tests do not count."""
    if not (ROOT / "Cargo.toml").exists():
        pytest.skip("the tests run on an installed package alone")
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        .partition("\n#[cfg(test)]\nmod tests {")[0]
        .count("\n")
        for folder in ("src", "crates", "tests", "benchmarks", "examples", "training")
        for ending in ("py", "pyi", "rs")
        for path in (ROOT / folder).rglob(f"*.{ending}")
        if "target" not in path.parts
    }


def test_no_file_is_long_without_a_reason(lengths: dict[str, int]) -> None:
    long = {name: lines for name, lines in lengths.items() if lines > LONGEST}
    assert not {name: lines for name, lines in long.items() if name not in LONGER}
    assert LONGER.keys() <= long.keys(), "a file that needs its exception no more"


def test_every_folder_of_the_core_has_tests_of_its_own(lengths: dict[str, int]) -> None:
    # Which line of code no test notices is what `python -m tests.mutants core` says.
    modules = [name for name in lengths if name.startswith("crates/core/src/")]
    tested = {Path(name).parent for name in modules if "#[test]" in (ROOT / name).read_text(encoding="utf-8")}
    assert modules and not {Path(name).parent for name in modules} - tested


def test_half_of_the_files_are_short(lengths: dict[str, int]) -> None:
    assert median(lengths.values()) <= MEDIAN


@pytest.mark.parametrize("folder", MOST_SUBJECTLESS)
def test_comments_begin_with_their_subject(folder: str, lengths: dict[str, int]) -> None:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in lengths if name.startswith(f"{folder}/")]
    found = [comment for text in texts for comment in comments(text) if SUBJECTLESS.match(comment)]
    assert len(found) <= MOST_SUBJECTLESS[folder], found


def comments(text: str) -> list[str]:
    """The first line of each comment, and of each paragraph in one."""
    lines = [_COMMENT.match(line) for line in text.splitlines()]
    first = [line[1] for above, line in zip([None, *lines], lines, strict=False) if line and not (above and above[1])]
    return [*first, *_DOCSTRING.findall(text)]


def test_a_comment_without_subject_is_found() -> None:
    text = '//! So it is.\n//! So what.\n\nfn f() {}\n    #: Of all.\n    """What it is."""\n    x = "# As"\n'
    assert list(filter(SUBJECTLESS.match, comments(text))) == ["So it is.", "Of all.", 'What it is."""']
