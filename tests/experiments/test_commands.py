"""Every experiment runs in a quick size, prints its page and leaves the committed one alone."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.index import claims

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path.parent.name for path in (ROOT / "experiments").glob("*/__main__.py"))
PAGES = sorted(path.parent.name for path in (ROOT / "experiments").glob("*/results.md"))
#: Those of which `main` takes `--quick`, and whether they train a model.
QUICK = {"discriminator": True, "greedy": False, "order": True, "thought": True}


@pytest.mark.parametrize("name", sorted(QUICK))
def test_a_quick_run_prints_a_page_and_writes_none(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if QUICK[name]:
        pytest.importorskip("torch", reason="torch is not installed", minversion="2.9")
    folder = ROOT / "experiments" / name
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert importlib.import_module(f"experiments.{name}.__main__").main(["--quick"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("# ") and "## What this does not show" in page and f"python -m experiments.{name}" in page
    assert "nan" not in page.lower().split("## the models")[0].split()
    after = {path.name: path.stat().st_mtime_ns for path in folder.iterdir() if path.name != "__pycache__"}
    assert after == {key: value for key, value in before.items() if key != "__pycache__"}


@pytest.mark.parametrize("name", PAGES)
def test_a_committed_page_says_what_it_does_not_show(name: str) -> None:
    page = (ROOT / "experiments" / name / "results.md").read_text(encoding="utf-8")
    assert "## What this does not show" in page and f"`python -m experiments.{name}" in page


def test_the_command_lists_every_folder() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "experiments", "--list"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == FOLDERS
    wrong = subprocess.run([sys.executable, "-m", "experiments", "nothing"], cwd=ROOT, capture_output=True, text=True)
    assert wrong.returncode == 2 and "nothing" in wrong.stderr


def test_the_table_of_the_documentation_says_what_the_pages_say() -> None:
    """No row may say what its page does not. `python -m experiments --index` writes the table."""
    known = {(one.text, one.measured, one.verdict) for one in claims()}
    lines = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8").splitlines()
    rows = [tuple(line.strip("|").strip().split(" | ")) for line in lines if line.startswith("| ")][2:]
    assert len(rows) >= 10
    for row in rows:
        assert row[:3] in known, f"no page says so: {row}"
