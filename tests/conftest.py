"""What every test may use."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# Tests import their own modules as `tests.…`, whichever way pytest was started.
ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tests.data import data_dir as _data_dir  # noqa: E402


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real tokenizers and schemas; the test is skipped without it."""
    return _data_dir()
