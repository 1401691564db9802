"""_core (compiled) × _core/*.pyi → the two say the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_extension_is_what_its_stub_says(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason='stubtest comes with mypy: pip install ".[dev]"')
    # A configuration of its own: stubtest looks for the stub beside the installed module, not in this checkout's src.
    settings = tmp_path / "mypy.ini"
    settings.write_text(f"[mypy]\nmypy_path = {ROOT / 'src'}\nfollow_imports = silent\n")
    run = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "frisket._core", "--mypy-config-file", str(settings)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stdout + run.stderr
