"""An experiment's findings → results.md, with where and of what it was measured."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import frisket


def provenance(seconds: float, command: str) -> str:
    """Machine, versions, commit and time of a run, as a line of Markdown."""
    here = Path(__file__).parent
    commit = subprocess.run(["git", "rev-parse", "--short=9", "HEAD"], cwd=here, capture_output=True, text=True)
    changed = subprocess.run(["git", "status", "--porcelain", "../src"], cwd=here, capture_output=True, text=True)
    state = commit.stdout.strip() or "unknown"
    return (
        f"`{command}` took {seconds:.0f} s on {_processor()} ({os.cpu_count()} cores, {platform.system()}), Python "
        f"{sys.version.split()[0]}, numpy {np.__version__}, frisket {frisket.__version__}, commit {state}"
        f"{' with changes' if changed.stdout.strip() else ''}, {time.strftime('%Y-%m-%d')}."
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def verdicts(claims: Sequence[tuple[str, str, bool]]) -> str:
    """Claim, figure, whether it holds."""
    return table(
        ("claim", "measured", "holds"),
        [(claim, figure, "yes" if holds else "**no**") for claim, figure, holds in claims],
    )


def findings(claims: Sequence[tuple[str, str, bool]]) -> str:
    """What others found, what was measured here, and whether it came out as they say."""
    return table(
        ("claim", "here", "verdict"),
        [(claim, figure, "reproduced" if same else "**not reproduced**") for claim, figure, same in claims],
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
