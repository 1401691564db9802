"""A supply of slots or bytes × clients → who may take how much: whoever holds much leaves some to the others.

A client may hold at most `RATIO` times what nobody holds (the dynamic threshold of Choudhury and Hahne, *Dynamic queue
length thresholds for shared-memory packet switches*, 1998). One client alone gets about three quarters of the supply,
a second one three quarters of the rest.
"""

from __future__ import annotations

from collections import Counter

#: A client's part of the supply in relation to what is left.
RATIO = 3


class Share:
    """The supply. Not thread-safe.

    >>> slots = Share(8)
    >>> [slots.take("a") for _ in range(8)], slots.take("b")
    ([True, True, True, True, True, True, True, False], True)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: Counter[str] = Counter()
        self.total = 0
        """How much all clients hold."""

    def held(self, client: str) -> int:
        """How much one client holds."""
        return self._held[client]

    def has(self, client: str, amount: int = 1) -> bool:
        """Whether a client may take so much."""
        left = self._most - self.total - amount
        return left >= 0 and self._held[client] + amount - 1 <= RATIO * (left + 1)

    def take(self, client: str, amount: int = 1) -> bool:
        """Take so much if the client may; whether it did."""
        may = self.has(client, amount)
        if may:
            self._held[client] += amount
            self.total += amount
        return may

    def give_back(self, client: str, amount: int = 1) -> None:
        """Let others have it. A client that holds nothing is forgotten."""
        self.total -= amount
        self._held[client] -= amount
        if not self._held[client]:
            del self._held[client]
