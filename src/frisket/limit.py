"""Steps, memory, time → Limits; another thread → Cancellation; what a call in Python takes of both → Meter.

The engine's own classes under their public names.
"""

from __future__ import annotations

from frisket._core import Cancellation, GrammarBuilder, Limits

__all__ = ["Cancellation", "Limits", "Meter"]

#: More steps than any limit has; the engine's counts are 64 bits wide.
_ENDLESS = 2**62


class Meter:
    """Holds one call that is made in Python to limits: its loops say what they are about to take.

    `limits` are those of the calls of the engine that it makes: their time began with the meter.

    >>> meter = Meter(Limits(steps=10))
    >>> meter.spend(10)
    >>> meter.spend(1)
    Traceback (most recent call last):
    frisket.errors.LimitExceededError: the limit on steps of a whole build (10) was reached
    hint: say less (shorter lists, fewer alternatives, patterns that begin with ^), or give Limits more steps
    """

    __slots__ = ("_builder", "limits")

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = (limits or Limits()).started()
        self._builder = GrammarBuilder(limits=self.limits)

    def spend(self, steps: int, memory_bytes: int = 0) -> None:
        """Take steps, and bytes that are kept until the call is over; LimitExceededError where there are too few."""
        self._builder.check(min(steps, _ENDLESS), min(memory_bytes, _ENDLESS))
