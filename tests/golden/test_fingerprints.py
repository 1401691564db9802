"""What the front end makes of many grammars is what it made; `python -m tests.golden` writes the fingerprints anew."""

from __future__ import annotations

import unicodedata

import pytest

from tests.golden.fingerprints import EVERY, FINGERPRINTS

KEPT = dict(line.split("\t") for line in FINGERPRINTS.read_text(encoding="utf-8").splitlines())
#: A test is of so many grammars: it ends at the first of them that differs.
BLOCK = 8
NAMES = list(EVERY)


@pytest.mark.skipif(KEPT["unicode"] != unicodedata.unidata_version, reason="written with other classes of characters")
@pytest.mark.parametrize("first", range(0, len(NAMES), BLOCK), ids=lambda first: NAMES[first])
def test_what_is_made_is_what_was_made(first: int) -> None:
    names = NAMES[first : first + BLOCK]
    made = {name: EVERY[name]() for name in names}
    assert made == {name: KEPT[name] for name in names}, "if this change is meant: python -m tests.golden"


def test_nothing_else_is_kept() -> None:
    assert KEPT.keys() == {"unicode", *EVERY}
