"""Cart × catalogue in SQLite → SKUs and prices."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from .cart import Cart, Drink

TABLES = Path(__file__).with_name("catalogue.sql")


class NotSold(LookupError):
    """A line that the catalogue does not have: the cart is well formed, and nobody can make it."""


@dataclass(frozen=True)
class Priced:
    """One line as it is sold; a unit with its milk costs `cents`."""

    sku: str
    milk: str
    quantity: int
    cents: int


@dataclass(frozen=True)
class Quote:
    """A cart as it is sold. Prices come from here alone: no model is asked for them."""

    lines: tuple[Priced, ...]

    @property
    def cents(self) -> int:
        return sum(line.quantity * line.cents for line in self.lines)

    @property
    def skus(self) -> list[str]:
        return sorted(line.sku for line in self.lines)


class Catalogue:
    """What is sold today. Used by one thread at a time."""

    def __init__(self, path: Path | str = ":memory:") -> None:
        self._database = sqlite3.connect(path, check_same_thread=False)
        if not self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._database.executescript(TABLES.read_text(encoding="utf-8"))

    def quote(self, cart: Cart) -> Quote:
        """The cart with its prices; NotSold names what is not in the catalogue."""
        lines = []
        for line in cart.items:
            size, milk = (line.size, line.milk) if isinstance(line, Drink) else (None, "none")
            row = self._database.execute(
                "SELECT sku, product.cents + milk.cents FROM product, milk WHERE item = ? AND size IS ? AND name = ?",
                (line.item, size, milk),
            ).fetchone()
            if row is None:
                raise NotSold(f"{line.item} in {size}" if size else line.item)
            lines.append(Priced(row[0], milk, line.quantity, row[1]))
        return Quote(tuple(lines))

    def withdraw(self, sku: str) -> None:
        """Sell it no longer."""
        with self._database:
            self._database.execute("DELETE FROM product WHERE sku = ?", (sku,))

    def wait(self, said: str, reason: str) -> int:
        """Put an order into the queue of a person; its number there."""
        with self._database:
            number = self._database.execute(
                "INSERT INTO waiting (said, reason) VALUES (?, ?)", (said, reason)
            ).lastrowid
        assert number is not None
        return number

    def waiting(self) -> list[tuple[int, str, str]]:
        """(number, what was said, why it waits), the oldest first."""
        return list(self._database.execute("SELECT id, said, reason FROM waiting ORDER BY id"))
