"""Feasible masses of some steps → their pressure, which adds up over steps, paths and answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frisket.pressure.report import StepPressure


@dataclass(frozen=True)
class Pressure:
    """The effect of masks on a model's probabilities at some steps; pressures can be added.

    >>> calm, hard = Pressure.of(math.log(0.9)), Pressure.of(math.log(0.1), overruled=True)
    >>> both = calm + hard
    >>> round(both.weight, 3), round(both.nats, 3), both.overruled_share
    (0.09, 2.408, 0.5)

    α of a step is the probability that the model gave to all allowed tokens together.
    """

    steps: int = 0
    unknown: int = 0
    """Steps whose logits were not computed: their α is unknown, and they are left out of the sums."""
    overruled: int = 0
    """Steps at which the mask forbade the model's likeliest token."""
    forced: int = 0
    """Steps at which only one token was allowed."""
    nats: float = 0.0
    """Σ −log α over the steps whose α is known, in nats; 0 if the model wanted what the grammar allows."""

    @classmethod
    def of(cls, log_feasible: float | None, *, overruled: bool = False, forced: bool = False) -> Pressure:
        """The pressure of one step; None if its logits are unknown."""
        # 0.0 rather than −0.0, which JSON would show.
        nats = 0.0 if log_feasible is None else 0.0 - log_feasible
        return cls(1, int(log_feasible is None), int(overruled), int(forced), nats)

    @classmethod
    def of_all(cls, steps: Sequence[StepPressure]) -> Pressure:
        """The pressure of many steps, computed faster than by additions."""
        known = [step.log_feasible for step in steps if step.log_feasible is not None]
        overruled, forced = sum(step.overruled for step in steps), sum(step.forced for step in steps)
        return cls(len(steps), len(steps) - len(known), overruled, forced, 0.0 - sum(known))

    def __add__(self, other: Pressure) -> Pressure:
        return Pressure(
            self.steps + other.steps,
            self.unknown + other.unknown,
            self.overruled + other.overruled,
            self.forced + other.forced,
            self.nats + other.nats,
        )

    @property
    def known(self) -> int:
        """The number of steps whose α is known."""
        return self.steps - self.unknown

    @property
    def weight(self) -> float:
        """w = Π α over the steps whose α is known: the probability that free draws of the model stay within each mask
        along this answer. 0 if it is too small for a float; its logarithm is `-nats`."""
        return math.exp(-self.nats)

    @property
    def nats_per_step(self) -> float:
        """The mean of −log α; 0 if no α is known."""
        return self.nats / self.known if self.known else 0.0

    @property
    def overruled_share(self) -> float:
        """The share of overruled steps among those whose α is known."""
        return self.overruled / self.known if self.known else 0.0

    @property
    def forced_share(self) -> float:
        """The share of forced steps among all steps."""
        return self.forced / self.steps if self.steps else 0.0

    def as_dict(self) -> dict[str, Any]:
        """All fields and shares as JSON values."""
        names = ("steps", "unknown", "overruled", "forced", "nats", "weight", "overruled_share", "forced_share")
        return {name: getattr(self, name) for name in names}
