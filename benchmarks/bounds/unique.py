"""Arrays of different items → what a mask and a commit take, and how memory grows with the items."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..corpus import Tokenizer
from .bound import Row

PART = "Different items"
COUNTS = (60, 1_000)

PAIR = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
    "required": ["id", "name"],
    "additionalProperties": False,
}


HOLDING = (
    "strings among values of any kind",
    "values of any kind",
    "arrays of different strings",
    "open objects with arrays of different strings",
)
STRINGS = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}


def kinds(count: int, rng: random.Random) -> dict[str, tuple[Any, list[Any]]]:
    """By name the schema of an item, and so many different items."""
    numbers = rng.sample(range(1_000_000), count)
    names = [f"value {number}" for number in range(2 * count)]
    return {
        "integers": ({"type": "integer"}, numbers),
        "bounded integers": (
            {"type": "integer", "minimum": 0, "maximum": 2 * count - 1},
            rng.sample(range(2 * count), count),
        ),
        "numbers": ({"type": "number"}, [number / 100 for number in numbers]),
        "strings": ({"type": "string"}, [f"item {number} in {rng.choice(('red', 'green'))}" for number in numbers]),
        "values of an enum": ({"enum": names}, rng.sample(names, count)),
        "small objects": (PAIR, [{"id": number, "name": f"n{number % 97}"} for number in numbers]),
        "strings among values of any kind": (True, [f"item {number}" for number in numbers]),
        "values of any kind": (True, [rng.choice((n, str(n), [n], {"id": n}, {"b": str(n)})) for n in numbers]),
        "arrays of different strings": (STRINGS, [[f"{number} {part}" for part in "ab"] for number in numbers]),
        "open objects with arrays of different strings": (
            {"type": "object", "properties": {"tags": STRINGS}},
            [{"tags": [f"{number} {part}" for part in "ab"], "id": number} for number in numbers],
        ),
    }


def rows(tokenizer: Tokenizer) -> Iterator[Row]:
    import tokenizers

    import frisket

    encoder = tokenizers.Tokenizer.from_file(str(tokenizer.folder / "tokenizer.json"))
    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    single = {token[0]: number for number, token in enumerate(tokenizer.tokens) if token and len(token) == 1}
    spellings: dict[str, Callable[[str], list[int]]] = {
        "by tokens": lambda text: list(encoder.encode(text, add_special_tokens=False).ids),
        "byte by byte": lambda text: [single[byte] for byte in text.encode()],
    }
    bitmask = np.zeros(tokenizer.mask_words, dtype=np.uint32)
    for count in COUNTS:
        for name, (items, values) in kinds(count, random.Random(1)).items():
            for way, encode in spellings.items():
                grammar = frisket.Grammar.from_json_schema({"type": "array", "items": items, "uniqueItems": True})
                compiled = grammar.compile(vocabulary)
                matcher, tokens = compiled.matcher(), encode(json.dumps(values))
                before, taken = compiled.memory_bytes, []
                for token in tokens:
                    began = time.perf_counter()
                    matcher.fill_mask(bitmask)
                    matcher.advance(token)
                    taken.append((time.perf_counter() - began) * 1e6)
                what = f"{count:,} {name}, {way}"
                worst = f"longest {max(taken):,.0f} µs"
                each = (compiled.memory_bytes - before) / count / 1e3
                # Items that hold arrays or objects of any kind have bounds of our own.
                holds_more = name in HOLDING
                mean, p99, source = (200, 1_000, "chosen") if holds_more else (20, 300, "issue")
                yield Row(PART, what, "mask + advance mean", float(np.mean(taken)), mean, "µs", source, note=worst)
                yield Row(PART, what, "mask + advance p99", float(np.percentile(taken, 99)), p99, "µs", source)
                yield Row(PART, what, "memory for each item", each, 100, "kB")
