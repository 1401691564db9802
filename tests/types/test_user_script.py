"""A user's script: it runs, and type checkers in their strictest mode have nothing to say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("user_script.py")


def run(folder: Path, *command: str) -> None:
    """From a folder without configuration: what is checked is the package as it is installed."""
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_runs(tmp_path: Path) -> None:
    run(tmp_path, str(SCRIPT))


def test_mypy_accepts_it(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason='mypy is not installed: pip install ".[dev]"')
    run(tmp_path, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(SCRIPT))


def test_pyright_accepts_it(tmp_path: Path) -> None:
    pytest.importorskip("pyright", reason='pyright is not installed: pip install ".[dev]"')
    # It knows no strictness but a configuration's, and checks nothing outside of that folder.
    (tmp_path / "script.py").write_text(SCRIPT.read_text())
    (tmp_path / "pyrightconfig.json").write_text('{"include": ["script.py"], "typeCheckingMode": "strict"}')
    run(tmp_path, "-m", "pyright", "--warnings", "--pythonpath", sys.executable)
