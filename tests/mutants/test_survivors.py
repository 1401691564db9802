"""The reasons of mutants that survive: each names code that is there, and says why no test notices the change."""

from __future__ import annotations

import pytest

from tests.data import ROOT
from tests.mutants.verdict import known


@pytest.mark.parametrize("key", known())
def test_a_reason_is_of_code_that_is_there(key: str) -> None:
    file, _, change = key.partition(": ")
    path = ROOT / file
    assert path.exists(), f"{file} is no more: leave the reason out, or name the file that it became"
    assert change and len(known()[key]) > 10
    before = change.partition(" in ")[2]
    assert file.startswith("crates/") or before in path.read_text(encoding="utf-8"), "the line is no more"
