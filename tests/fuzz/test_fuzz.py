"""A few of the fuzzer's cases in every run of the tests; `python -m tests.fuzz` is for the many."""

from __future__ import annotations

import pytest

from tests.fuzz import case
from tests.fuzz.session import Broken, Session, expect

START = 7 * 10**9


@pytest.mark.parametrize("share", range(8))
def test_nothing_breaks(share: int) -> None:
    for seed in range(START + 250 * share, START + 250 * (share + 1)):
        result = case.run(seed)
        assert not result.broken, f"python -m tests.fuzz --only {seed}: {result.broken}\n" + "\n".join(result.log)


def test_one_number_is_one_case() -> None:
    for seed in range(START, START + 30):
        first, again = case.run(seed), case.run(seed)
        assert (first.log, first.steps) == (again.log, again.steps)


def test_every_kind_comes_to_something() -> None:
    checked = {case.KINDS[seed % len(case.KINDS)] for seed in range(START, START + 200) if case.run(seed).steps}
    assert checked == set(case.KINDS)


def test_what_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that advances without telling its record breaks an invariant, and the case says so."""

    def forgetful(self: Session) -> None:
        allowed = self.matcher.allowed()
        if allowed:
            self.matcher.advance(allowed[0])

    monkeypatch.setattr(Session, "advance", forgetful)
    found = [case.run(seed).broken for seed in range(START, START + 40)]
    assert any(broken.startswith("broken:") for broken in found)
    with pytest.raises(Broken):
        expect(False, "this")
