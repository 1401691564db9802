"""An experiment's findings → results.md, with where and of what it was measured."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

import frisket
from experiments.statistic import wilson


class Judged(Protocol):
    """An answer that is right or not."""

    @property
    def right(self) -> bool: ...


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


def share(found: Sequence[Judged]) -> str:
    """The share of right answers, as 0.123."""
    return f"{sum(one.right for one in found) / len(found):.3f}"


def interval(found: Sequence[Judged]) -> str:
    """The percentage of right answers, with its 95 % interval."""
    return percentage(sum(one.right for one in found), len(found))


def percentage(hits: int, count: int) -> str:
    """So many of so many in percent, with the 95 % interval; a dash of none.

    >>> percentage(190, 200)
    '95.0 (91.0 to 97.3)'
    """
    if not count:
        return "–"
    low, high = wilson(hits, count)
    return f"{100 * hits / count:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def points(difference: tuple[float, float, float, float]) -> str:
    """(Mean, low, high, p) of a difference in percentage points."""
    middle, low, high, p = difference
    return f"{middle:+.1f} points ({low:+.1f} to {high:+.1f}; p {p:.1e})"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
