"""One run of the fast tests → which of them run a line, so that a mutant is held against these alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from coverage import CoverageData

from tests.data import ROOT

#: What the last recording found, and the sources that it ran.
DATA, SOURCES = ROOT / "target" / "mutants-reach", ROOT / "target" / "mutants-reach-sources"


class Reach:
    """The tests by the lines that they run, as recorded."""

    def __init__(self) -> None:
        self._data = CoverageData(str(DATA))
        self._data.read()

    @cached_property
    def _sizes(self) -> Counter[str]:
        """How many lines each test runs: what runs few of them says most about each."""
        sizes: Counter[str] = Counter()
        for file in self._data.measured_files():
            for contexts in self._data.contexts_by_lineno(file).values():
                sizes.update(contexts)
        return sizes

    def tests(self, path: Path, first: int, last: int) -> list[str] | None:
        """The tests that run one of these lines, specific ones first; None where that is not known.

        Lines that run when the module is imported, and modules that have changed since, are not known.
        """
        known = SOURCES / path.relative_to(ROOT)
        if not known.exists() or known.read_bytes() != path.read_bytes():
            return None
        by_line = self._data.contexts_by_lineno(str(path))
        found = {context for line in range(first, last + 1) for context in by_line.get(line, ())}
        if "" in found:
            return None
        phases = sorted(found, key=lambda context: (self._sizes[context], context))
        return list(dict.fromkeys(context.rpartition("|")[0] for context in phases))


def record(tests: Sequence[str]) -> None:
    """Run the tests once, and note which lines each of them runs."""
    shutil.rmtree(SOURCES, ignore_errors=True)
    shutil.copytree(ROOT / "src", SOURCES / "src", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests]
    covered = ["--cov=src/frisket", "--cov-context=test", "--cov-report="]
    environment = {**os.environ, "COVERAGE_FILE": str(DATA)}
    if subprocess.run([*command, *covered], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL).returncode:
        sys.exit("the tests fail without a mutant: nothing can be judged")
