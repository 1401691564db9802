"""Chance → a sum of products with its steps: `3*8+6*2` is 24, 12, 36."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from experiments.trained_model.text import Texts

#: The most products of a sum.
MOST = 3
WORDS = ('{"reason": "', '{"answer": ', '", "answer": ', ', "reason": "', '"}', "input: ", "\noutput: ", ", ")
REASON = {"type": "string", "maxLength": 40}
ANSWER = {"type": "integer", "minimum": 0, "maximum": 999}


@dataclass(frozen=True)
class Sum:
    """Products of two factors from 2 to 9."""

    products: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        return "+".join(f"{left}*{right}" for left, right in self.products)

    @property
    def answer(self) -> int:
        return sum(left * right for left, right in self.products)

    @property
    def reason(self) -> str:
        """The first product; then each further one, and the sum so far."""
        steps = [total := self.products[0][0] * self.products[0][1]]
        for left, right in self.products[1:]:
            total += left * right
            steps += [left * right, total]
        return ", ".join(map(str, steps))

    @property
    def is_held_out(self) -> bool:
        """One sum in eight. Training sees all single products: there are 64."""
        return len(self.products) > 1 and zlib.crc32(self.text.encode()) % 8 == 0

    def document(self, keys: Sequence[str]) -> str:
        """The JSON of these properties, in this order."""
        return json.dumps({key: getattr(self, key) for key in keys})


def schema(keys: Sequence[str]) -> dict[str, Any]:
    """Objects of these properties, in this order."""
    parts = {"reason": REASON, "answer": ANSWER}
    return {
        "type": "object",
        "properties": {key: parts[key] for key in keys},
        "required": list(keys),
        "additionalProperties": False,
    }


def draw(rng: random.Random, products: int) -> Sum:
    return Sum(tuple((rng.randint(2, 9), rng.randint(2, 9)) for _ in range(products)))


def training(rng: random.Random) -> Sum:
    """A sum of one to three products that is not held out; long ones are more frequent."""
    while (found := draw(rng, rng.choice((1, 2, 2, 3, 3)))).is_held_out:
        pass
    return found


def held_out(products: int, count: int, seed: int) -> list[Sum]:
    """Different sums that training never shows, as far as there are any."""
    rng, found = random.Random(f"held out {products} {seed}"), dict[Sum, None]()
    while len(found) < count:
        one = draw(rng, products)
        if one.is_held_out or products == 1:
            found[one] = None
    return list(found)


def texts(*words: str) -> Texts:
    """The tokens of sums, and those of a task's own words."""
    return Texts([*WORDS, *words])
