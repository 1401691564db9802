"""Odd inputs into every entry point: errors of ours or those of misuse, and each kind of call comes up."""

from __future__ import annotations

import random

import pytest

from tests.fuzz import odd


@pytest.mark.parametrize("kind", odd.CALLS)
def test_what_is_odd_ends_in_an_error_that_says_so(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd, "CALLS", {kind: odd.CALLS[kind]})
    for seed in range(120 if kind in ("schema", "text") else 40):
        assert odd.call(random.Random(seed)) == (kind, ""), seed


def test_an_error_of_another_kind_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def act() -> None:
        "\ud800".encode()

    monkeypatch.setattr(odd, "CALLS", {"encode": lambda _: (act, False)})
    assert "UnicodeEncodeError" in odd.call(random.Random(0))[1]
