"""What all streams are made of: samples, names, slips of the hand, and which combinations are held out."""

from __future__ import annotations

import json
import random
import zlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from frisket.models.prompt import property_names

SCHEMAS = Path(__file__).resolve().parents[2] / "src" / "frisket" / "examples"
HELD_OUT = 12  # one combination in so many


class Sample(NamedTuple):
    task: str
    keys: tuple[str, ...]
    text: str
    answer: Any
    held_out: bool


@cache
def schema(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


@cache
def keys(name: str) -> tuple[str, ...]:
    return tuple(property_names(schema(name)))


def words(text: str) -> list[str]:
    """The parts of a list that is written as one text."""
    return text.split(", ")


def held_out(*parts: object) -> bool:
    """Whether a combination belongs to the evaluation; the same in every process."""
    return zlib.crc32(json.dumps(parts, sort_keys=True).encode()) % HELD_OUT == 0


NAMES = words(
    "Ada, Alan, Grace, Linus, Maria, John, Anna, Peter, Lena, Omar, Yuki, Chen, Priya, Carlos, Sofia, Ivan, "
    "Fatima, Noah, Emma, Lucas, Mia, Jonas, Clara, Hugo, Nina, Paul, Rosa, Tom, Zoe, Kofi, Amir, Elif, Sara, "
    "David, Laura, Marco, Ines, Oscar, Ruth, Sven"
)


def slip(rng: random.Random, text: str) -> str:
    """Now and then a typing mistake: two letters swapped, one dropped, or everything in lower case."""
    roll = rng.random()
    if roll > 0.12:
        return text
    if roll > 0.06:
        return text.lower()
    place = rng.randrange(len(text) - 1)
    if not (text[place].isalpha() and text[place + 1].isalpha()):
        return text
    return (
        text[:place] + text[place + 1] + text[place] + text[place + 2 :]
        if roll > 0.03
        else text[:place] + text[place + 1 :]
    )
