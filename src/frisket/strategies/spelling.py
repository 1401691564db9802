"""Text such as `best:4/draft:64/beams:4` → Strategy, as command lines write it."""

from __future__ import annotations

from collections.abc import Callable

from frisket.strategies.beams import Beams
from frisket.strategies.best import Best
from frisket.strategies.draft import Draft
from frisket.strategies.exact import Exact
from frisket.strategies.particles import Particles
from frisket.strategies.strategy import Strategy

#: Name → (the constructor, its default number, or None if it takes no number).
SIMPLE: dict[str, tuple[Callable[[int], Strategy], int | None]] = {
    "exact": (lambda _: Exact(), None),
    "asap": (lambda _: Exact(method="asap"), None),
    "particles": (Particles, 16),
    "beams": (Beams, 4),
}
#: Strategies that may contain another: (constructor, constructor with the inner strategy, default number).
NESTING: dict[str, tuple[Callable[[int], Strategy], Callable[[int, Strategy], Strategy], int]] = {
    "best": (Best, lambda n, of: Best(n, of=of), 4),
    "draft": (Draft, lambda tokens, then: Draft(tokens, then=then), 128),
}


def read_strategy(text: str) -> Strategy:
    """The strategy of a spelling, with the outermost first; ValueError for any other text.

    >>> read_strategy("particles:8")
    Particles(n=8, where=None, critic=None)
    >>> read_strategy("best:4/draft:64/beams") == Best(4, of=Draft(64, then=Beams(4)))
    True
    """
    outer, slash, inner = text.partition("/")
    name, _, number = outer.partition(":")
    if name not in SIMPLE and name not in NESTING:
        raise ValueError(f"no strategy is called {name!r}: there are {', '.join([*SIMPLE, *NESTING])}")
    if number and not (number.isascii() and number.isdigit()):
        raise ValueError(f"{name}:{number} has no whole number")
    if name in NESTING:
        alone, around, usual = NESTING[name]
        count = int(number or usual)
        return around(count, read_strategy(inner)) if slash else alone(count)
    if slash:
        raise ValueError(f"{name} has no other strategy within it, but {' and '.join(NESTING)} have")
    make, default = SIMPLE[name]
    if number and default is None:
        raise ValueError(f"{name} takes no number")
    return make(int(number or default or 0))
