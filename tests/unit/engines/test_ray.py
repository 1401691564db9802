"""The program of docs/engines/ray.md that needs no vLLM, in a process of its own: Ray leaves processes behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.document import ROOT, blocks


def test_models_answer_in_actors(tmp_path: Path) -> None:
    pytest.importorskip("ray.data", reason="ray[data] is not installed", exc_type=ImportError)
    if "FRISKET_RAY" not in os.environ:
        pytest.skip("Ray starts processes of its own, and waits for ever where they do not come up: set FRISKET_RAY=1")
    *_, program, expected = (
        one.text for one in blocks(ROOT / "docs" / "engines" / "ray.md") if one.language != "console"
    )
    script = tmp_path / "program.py"
    script.write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    if "timed out during startup" in done.stderr:
        pytest.skip("Ray did not start here: it gives its own processes 15 seconds, which a busy machine does not have")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1] == expected.strip()
