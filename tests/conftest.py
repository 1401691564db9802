"""What every test may use."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

# Tests import their own modules as `tests.…`, whichever way pytest was started.
ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tests.data import data_dir as _data_dir  # noqa: E402


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use the data, and those of the folders that a newcomer does not change as slow."""
    for item in items:
        if "data_dir" in getattr(item, "fixturenames", ()):
            item.add_marker("data")
        if {"benchmarks", "experiments"} & {folder.name for folder in item.path.parents}:
            item.add_marker("slow")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real tokenizers and schemas; the test is skipped without it."""
    return _data_dir()


@pytest.fixture
def drafts_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts are sought for even where they do not pay, which depends on the machine."""
    monkeypatch.setattr("frisket.decoding.pace.TOLERANCE", float("inf"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write one line on all skipped tests, by reason: a run without data skips hundreds."""
    reports = [report for report in terminalreporter.getreports("skipped") if isinstance(report.longrepr, tuple)]
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
    if reasons:
        shown = "; ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
        terminalreporter.write_line(f"skipped: {shown}")
