"""What is said of texts that are slightly wrong is what is kept; `python -m tests.golden` writes it anew."""

from __future__ import annotations

import pytest

from tests.golden.outcomes import FILES, OUTCOMES


@pytest.mark.parametrize("name", FILES)
def test_messages_are_those_that_are_kept(name: str) -> None:
    kept = (OUTCOMES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    said = FILES[name]().splitlines()
    assert said == kept, "if this change is meant: python -m tests.golden, and read the difference"


def test_nothing_else_is_kept() -> None:
    assert {path.stem for path in OUTCOMES.glob("*.txt")} == set(FILES)
