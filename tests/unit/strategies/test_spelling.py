"""How a command line spells strategies."""

from __future__ import annotations

import pytest

from frisket.strategies import Beams, Best, Draft, Exact, Particles
from frisket.strategies.spelling import read_strategy
from frisket.strategies.strategy import Strategy


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        ("exact", Exact()),
        ("asap", Exact(method="asap")),
        ("particles", Particles(16)),
        ("particles:3", Particles(3)),
        ("beams:2", Beams(2)),
        ("best", Best(4)),
        ("best:2/exact", Best(2, of=Exact())),
        ("draft:64", Draft(64)),
        ("best:4/draft:64/beams:4", Best(4, of=Draft(64, then=Beams(4)))),
    ],
)
def test_the_outermost_stands_first(text: str, strategy: Strategy) -> None:
    assert read_strategy(text) == strategy


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("best4", "no strategy is called 'best4': there are exact"),
        ("", "no strategy is called ''"),
        ("beams:two", "no whole number"),
        ("beams:-1", "no whole number"),
        ("exact:4", "takes no number"),
        ("beams:4/exact", "no other strategy within"),
        ("best:4/", "no strategy is called ''"),
        ("beams:0", "at least 1 beam"),
    ],
)
def test_what_is_no_strategy(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_strategy(text)
