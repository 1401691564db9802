"""The tables of `docs/how-to/coming-from.md` → each row's call of ours runs, after the page's first block."""

from __future__ import annotations

import re
from typing import Any

import pytest

from .document import ROOT, blocks

PAGE = ROOT / "docs" / "how-to" / "coming-from.md"
ROWS = re.findall(r"^\| .*`.* \| `([^`]+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_row_has_a_call() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    heads = [line for line in rows if line.endswith("| frisket |")]
    assert len(heads) == 9 and len(rows) == len(heads) + len(ROWS)


@pytest.mark.parametrize("call", sorted(set(ROWS)))
def test_the_call_runs(call: str) -> None:
    pytest.importorskip("pydantic")
    (setting,) = [block for block in blocks(PAGE) if block.language == "python"]
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(setting.text, setting.place, "exec", dont_inherit=True), space)
    if "rollback" in call:
        space["matcher"].advance(space["token"])
    eval(call, space)
