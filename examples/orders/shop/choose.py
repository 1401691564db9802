"""Held-out orders of one half → the threshold below which a token is a guess; the other half judges it.

    python -m shop.choose

The threshold is the least of a grid at which the masked tier is right in 97 % of the orders that it takes. Every order
that it does not take costs a call of a hosted API, so a higher one is not better.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import frisket

from .cart import Cart
from .catalogue import Catalogue
from .counter import SURE, Counter
from .verdict import verdict

HELDOUT = Path(__file__).resolve().parents[1] / "heldout.jsonl"
GRID = tuple(number / 20 for number in range(20))
#: The share of what the masked tier takes that must be right.
RIGHT = 0.97

Taken = tuple[float, bool]


def halves() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The orders that choose, and those that judge: every other line."""
    cases = [json.loads(line) for line in HELDOUT.read_text(encoding="utf-8").splitlines()]
    return cases[::2], cases[1::2]


def answers(cases: Sequence[dict[str, Any]]) -> list[Taken]:
    """Of each order: the probability of the least likely token, and whether the cart is right."""
    catalogue, found = Catalogue(), []
    counter = Counter(frisket.models.embedded(), catalogue)
    for case in cases:
        cart, least = counter.written(case["input"])
        right = verdict(cart.model_copy, Cart.model_validate(case["answer"]), catalogue)
        found.append((least, right == "right"))
    return found


def rate(found: Sequence[Taken], sure: float) -> tuple[int, int]:
    """How many orders are taken at a threshold, and how many of those are right."""
    taken = [right for least, right in found if least >= sure]
    return len(taken), sum(taken)


def choose(found: Sequence[Taken], grid: Sequence[float] = GRID, right: float = RIGHT) -> float:
    """The least threshold at which what is taken is right often enough; the last one where none is."""
    for sure in grid:
        taken, good = rate(found, sure)
        if good >= right * taken:
            return sure
    return grid[-1]


def main() -> None:
    choosing, judging = map(answers, halves())
    sure = choose(choosing)
    for place, found in (("chosen on", choosing), ("judged on", judging)):
        for at in sorted({0.0, sure, SURE}):
            taken, good = rate(found, at)
            print(f"{place} {len(found)} orders, threshold {at:.0%}: {taken} taken, {good} of those right")


if __name__ == "__main__":
    main()
