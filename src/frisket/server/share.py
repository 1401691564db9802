"""A supply of slots or bytes × clients → each client's share; heavy users leave some for others.

A client may hold at most `RATIO` times the unused supply (the dynamic threshold of Choudhury and Hahne, *Dynamic queue
length thresholds for shared-memory packet switches*, 1998). A single client gets about three quarters of the supply, a
second one three quarters of the rest. Part of the supply may be reserved for clients that hold nothing yet. Without
it, a few clients that hold much leave too little for many that need one slot each.
"""

from __future__ import annotations

from collections import Counter

#: Most that a client may hold, as a multiple of the unused supply.
RATIO = 3


class Share:
    """The supply. Not thread-safe.

    >>> slots = Share(8)
    >>> [slots.take("a") for _ in range(8)], slots.take("b")
    ([True, True, True, True, True, True, True, False], True)
    """

    def __init__(self, most: int, *, reserved: int = 0) -> None:
        self._most, self._reserved = most, reserved
        self._held: Counter[str] = Counter()
        self.total = 0
        """The amount that all clients hold together."""

    def held(self, client: str) -> int:
        """The amount that one client holds."""
        return self._held[client]

    def has(self, client: str, amount: int = 1) -> bool:
        """Whether a client may take `amount`."""
        left, held = self._most - self.total - amount, self._held[client]
        free = left - self._reserved if held else left
        return left >= 0 and held + amount - 1 <= RATIO * (free + 1)

    def take(self, client: str, amount: int = 1) -> bool:
        """Take `amount` if the client may; return whether it did."""
        may = self.has(client, amount)
        if may:
            self._held[client] += amount
            self.total += amount
        return may

    def give_back(self, client: str, amount: int = 1) -> None:
        """Return an amount to the supply. A client that holds nothing is forgotten."""
        self.total -= amount
        self._held[client] -= amount
        if not self._held[client]:
            del self._held[client]
