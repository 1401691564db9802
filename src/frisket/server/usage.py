"""Clients × CPU seconds of their calls → each client's recent use; heavy clients share half of the threads.

Without this limit a handful of clients, each within its own limits, fill all threads together. A client with an easy
request then waits for a hostile client's call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

#: Half-life of recorded CPU time, in seconds.
HALF_LIFE = 10.0
#: Recent CPU seconds that make a client heavy: some two hundred easy requests, or a few hostile ones.
HEAVY = 0.3
#: Most clients remembered; beyond that, those with almost no recent use are forgotten.
MOST = 1_000


class Usage:
    """CPU seconds by client, decaying exponentially. Not thread-safe.

    >>> now = [0.0]
    >>> usage = Usage(clock=lambda: now[0])
    >>> usage.add("a", 4.0)
    >>> now[0] = 2 * HALF_LIFE
    >>> usage.of("a"), usage.of("b"), usage.is_heavy("a")
    (1.0, 0.0, True)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._used: dict[str, tuple[float, float]] = {}
        """By client: recent CPU seconds, and the time at which they were computed."""

    def add(self, client: str, seconds: float) -> None:
        """Add the CPU seconds of a call."""
        if not seconds:
            return
        self._used[client] = (self.of(client) + seconds, self._clock())
        if len(self._used) > MOST:
            self._used = {one: used for one, used in self._used.items() if self.of(one) > 0.01 * HEAVY}

    def of(self, client: str) -> float:
        """The recent CPU seconds of a client."""
        seconds, when = self._used.get(client, (0.0, 0.0))
        return float(seconds * 0.5 ** ((self._clock() - when) / HALF_LIFE)) if seconds else 0.0

    def is_heavy(self, client: str) -> bool:
        return self.of(client) > HEAVY

    def may_run(self, client: str, running: Iterable[str], threads: int) -> bool:
        """Whether a call of the client may begin beside those of `running`: heavy clients share half of the threads."""
        return not self.is_heavy(client) or sum(map(self.is_heavy, running)) < threads // 2
