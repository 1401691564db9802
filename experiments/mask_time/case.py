"""Names → schemas and documents: a record, an order, free texts, and enums of up to 100,000 values."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

import frisket
from experiments.system import System

SEED = 20260106
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
ENUMS = (100, 1_000, 10_000, 100_000)


@dataclass(frozen=True)
class Case:
    name: str
    schema: dict[str, Any]
    documents: tuple[str, ...]


def cases(*, quick: bool = False) -> list[Case]:
    rng = random.Random(SEED)
    orders = [json.dumps(one.answer, ensure_ascii=False) for one in System("orders").heldout(4 if quick else 20)]
    found = [Case("orders", frisket.examples.load("orders"), tuple(orders))]
    if not quick:
        found.append(_texts(rng))
    for count in ENUMS[:1] if quick else ENUMS:
        found.append(_enum(rng, count, 4 if quick else 20))
    return found


def _texts(rng: random.Random) -> Case:
    """Two bounded texts and a number."""
    schema = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "maxLength": 120},
            "summary": {"type": "string", "maxLength": 2000},
            "score": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["title", "summary", "score"],
        "additionalProperties": False,
    }
    documents = [
        {
            "title": " ".join(name(rng) for _ in range(4)),
            "summary": " ".join(name(rng) for _ in range(40)),
            "score": round(rng.random(), 3),
        }
        for _ in range(10)
    ]
    return Case("texts", schema, tuple(json.dumps(one) for one in documents))


def _enum(rng: random.Random, count: int, documents: int) -> Case:
    """A record that names one of so many entities."""
    values: dict[str, None] = {}
    while len(values) < count:
        values[f"{name(rng)} {name(rng)}"] = None
    names = list(values)
    schema = {
        "type": "object",
        "properties": {"entity": {"enum": names}, "count": {"type": "integer", "minimum": 1, "maximum": 99}},
        "required": ["entity", "count"],
        "additionalProperties": False,
    }
    chosen = [{"entity": rng.choice(names), "count": rng.randint(1, 99)} for _ in range(documents)]
    return Case(f"enum of {count:,}", schema, tuple(json.dumps(one) for one in chosen))


def name(rng: random.Random) -> str:
    """A made-up word of two to four syllables."""
    return "".join(rng.choice(CONSONANTS) + rng.choice(VOWELS) for _ in range(rng.randint(2, 4))).capitalize()
