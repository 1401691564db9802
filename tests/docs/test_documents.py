"""README, ARCHITECTURE, CONTRIBUTING, docs/ → every block runs and prints what it shows: see page.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .document import ROOT, documents


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_runs(path: Path) -> None:
    command = [sys.executable, "-m", "tests.docs.page", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, encoding="utf-8")
    assert run.returncode == 0, f"{run.stdout}{run.stderr}"


def test_the_documents_are_there() -> None:
    assert {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"} <= {path.name for path in documents()}
