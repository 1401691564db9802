"""Steps, memory, time → Limits; another thread → Cancellation; work of a call in Python → Meter.

Limits and Cancellation are native classes under their public names.
"""

from __future__ import annotations

from frisket._core import Cancellation, GrammarBuilder, Limits

__all__ = ["Cancellation", "Limits", "Meter"]

#: More steps than any limit has; native counts have 64 bits.
_ENDLESS = 2**62


class Meter:
    """Keeps one call that is made in Python within limits: its loops announce what they are about to take.

    `limits` are those for the native calls that it makes; their time began with the meter.

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
        """Take steps, and bytes that are kept until the call ends; LimitExceededError if too few are left."""
        self._builder.check(min(steps, _ENDLESS), min(memory_bytes, _ENDLESS))
