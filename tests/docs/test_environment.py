"""Environment variables that the sources read → the rows of their page, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "environment.md"


def read_by_sources() -> Iterator[str]:
    for path in (ROOT / "src").rglob("*.py"):
        yield from re.findall(r"\"(FRISKET_[A-Z_]+)\"", path.read_text(encoding="utf-8"))
    for path in (ROOT / "crates").glob("*/src/**/*.rs"):
        # `env!` reads when the crate is built, and not when it runs.
        yield from re.findall(r"(?<!env!\()\"(FRISKET_[A-Z_]+)\"", path.read_text(encoding="utf-8"))


def test_page_has_a_row_for_each_variable() -> None:
    rows = re.findall(r"^\| `(FRISKET_[A-Z_]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(set(read_by_sources()))
