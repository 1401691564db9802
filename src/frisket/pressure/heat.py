"""Steps of an answer → stretches of its text, each with its pressure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frisket.pressure.pressure import Pressure

if TYPE_CHECKING:
    from frisket.pressure.report import StepPressure

#: Thresholds of α; the level, from 0, is the number of thresholds above α.
LEVELS = (0.9, 0.5, 0.1, 0.01, 0.0001)


@dataclass(frozen=True)
class Stretch:
    """Text that became certain with the last of some steps; one character may need several steps."""

    text: str
    steps: tuple[StepPressure, ...]

    @property
    def pressure(self) -> Pressure:
        """The total pressure of the stretch's steps."""
        return Pressure.of_all(self.steps)

    @property
    def level(self) -> int | None:
        """The level of pressure, 0 to 5; None if no α of the steps is known."""
        return level(self.pressure)


def stretches(steps: Iterable[StepPressure]) -> Iterator[Stretch]:
    """The text of an answer in order. Steps without text belong to the next text, and at the end to none."""
    waiting: list[StepPressure] = []
    for step in steps:
        waiting.append(step)
        if step.text:
            yield Stretch(step.text, tuple(waiting))
            waiting = []
    if waiting:
        yield Stretch("", tuple(waiting))


def level(pressure: Pressure) -> int | None:
    """The number of thresholds in LEVELS above the weight of some steps; None if no α is known."""
    if not pressure.known:
        return None
    return sum(pressure.nats > -math.log(bound) for bound in LEVELS)


def alpha(step: StepPressure) -> str:
    """The feasible mass of a step, as text for a person."""
    return percent(Pressure.of(step.log_feasible).weight)


def percent(share: float) -> str:
    """A percentage as text; 0 and 100 % only if exact.

    >>> percent(0.5), percent(3e-9), percent(0.99999), percent(1.0)
    ('50.0%', '<0.01%', '>99.9%', '100%')
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    if share < 0.0001:
        return "<0.01%"
    if share < 0.01:
        return f"{share:.2%}"
    return ">99.9%" if share >= 0.9995 else f"{share:.1%}"
