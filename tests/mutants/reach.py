"""Mutants behind switches → the tests that ask for each, so that it is held against these, most telling first.

This file is also a plugin of pytest: it records what each test asks for, and runs chosen tests in their order.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.data import ROOT

from .python import COPY
from .rust import limit, on

#: Where the plugin writes what tests reach; where it reads which tests to run.
RECORD, CHOSEN = "FRISKET_MUTANTS_RECORD", "FRISKET_MUTANTS_CHOSEN"

#: Tests of a first run, which most mutants do not outlive: they come from few files.
FIRST = 40


@dataclass(frozen=True)
class Reached:
    """A test, its seconds of a processor, and the mutants that it asks for."""

    test: str
    seconds: float
    mutants: frozenset[int]

    @property
    def file(self) -> str:
        return self.test.partition("::")[0]


class Reach:
    """The tests by the mutants that they ask for, as recorded just now."""

    def __init__(self, files: Sequence[str]) -> None:
        """Each file in a process of its own: what an earlier one computed may be cached."""
        self._tests: list[Reached] = []
        for file in files:
            record = ROOT / "target" / "mutants-reach.json"
            record.write_text("{}", encoding="utf-8")
            # Nothing is collected where all of a file is skipped.
            if _pytest([file], {RECORD: str(record)}) not in (0, 5):
                sys.exit(f"{file} fails without a mutant: nothing can be judged")
            told = json.loads(record.read_text(encoding="utf-8"))
            # What is asked for between tests, as by imports, every test of the file may see.
            between = told.pop("", (0, []))[1]
            self._tests += [
                Reached(test, spent, frozenset((*asked, *between))) for test, (spent, asked) in told.items()
            ]

    def passes(self, number: int, *, whole_files: bool) -> bool:
        """Whether the tests that ask for a mutant pass with it; `whole_files`: and all tests beside these."""
        found = [one for one in self._tests if number in one.mutants]
        if whole_files:
            files = {one.file for one in found}
            found = [one for one in self._tests if one.file in files]
        found.sort(key=lambda one: (number not in one.mutants, len(one.mutants), one.seconds))
        return all(_passes(part, number) for part in (found[:FIRST], found[FIRST:]) if part)

    def all_pass(self) -> bool:
        """Whether all tests pass, no mutant being on."""
        return _passes(self._tests, None)


def _passes(tests: Sequence[Reached], number: int | None) -> bool:
    chosen = ROOT / "target" / f"mutants-chosen-{number}.json"
    chosen.write_text(json.dumps([one.test for one in tests]), encoding="utf-8")
    seconds = 60 + 3 * round(sum(one.seconds for one in tests))
    files = list(dict.fromkeys(one.file for one in tests))
    return _pytest(files, {**on(number), CHOSEN: str(chosen)}, seconds) == 0


def _pytest(files: Sequence[str], variables: dict[str, str], seconds: int = 3600) -> int:
    """The status of pytest on the copy of the package."""
    path = os.pathsep.join((str(COPY), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", "-p", __name__, *files]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, preexec_fn=lambda: limit(seconds)
    ).returncode


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHOSEN in os.environ:
        ranks = {test: rank for rank, test in enumerate(json.loads(Path(os.environ[CHOSEN]).read_text("utf-8")))}
        items[:] = sorted((item for item in items if item.nodeid in ranks), key=lambda item: ranks[item.nodeid])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before, start = _asked(), time.process_time()
    result = yield
    _write("", 0, before)
    _write(item.nodeid, time.process_time() - start, _asked())
    return result


def _asked() -> list[int]:
    """The mutants asked for since this was last called."""
    if RECORD not in os.environ:
        return []
    asked: list[int] = __import__("frisket_mutants").reached()
    return asked


_told: dict[str, tuple[float, list[int]]] = {}


def _write(test: str, seconds: float, asked: list[int]) -> None:
    if RECORD in os.environ:
        _told[test] = (seconds, sorted({*asked, *_told.get(test, (0, []))[1]}))


def pytest_sessionfinish() -> None:
    if RECORD in os.environ:
        Path(os.environ[RECORD]).write_text(json.dumps(_told), encoding="utf-8")
