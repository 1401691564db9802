"""JSON Pointers: what a path is written as, and what stands there."""

from __future__ import annotations

from typing import Any

import pytest

from frisket.json_pointer import find, follow, to_pointer, to_steps

DOCUMENT: dict[str, Any] = {"a/b": [{"~": 1}, 2], "": {"0": None}, "~1": "text"}


@pytest.mark.parametrize(
    ("path", "text"),
    [((), ""), (("a",), "/a"), (("a/b", 0, "~"), "/a~1b/0/~0"), (("",), "/"), (("~1",), "/~01")],
    ids=repr,
)
def test_a_pointer_escapes_what_it_has_to(path: tuple[str | int, ...], text: str) -> None:
    assert to_pointer(path) == text
    assert to_steps(text) == [str(step) for step in path]


@pytest.mark.parametrize(
    ("pointer", "value"), [("", DOCUMENT), ("/a~1b/0/~0", 1), ("/a~1b/1", 2), ("//0", None), ("/~01", "text")]
)
def test_a_pointer_leads_to_a_value(pointer: str, value: Any) -> None:
    assert follow(DOCUMENT, pointer) == find(DOCUMENT, pointer) == value


@pytest.mark.parametrize(
    "pointer", ["/c", "/a~1b/2", "/a~1b/-1", "/a~1b/x", "/~01/0", "/a~1b/1/0", f"/a~1b/{'9' * 5_000}"]
)
def test_a_pointer_may_lead_nowhere(pointer: str) -> None:
    assert find(DOCUMENT, pointer) is None
    with pytest.raises(LookupError):
        follow(DOCUMENT, pointer)
