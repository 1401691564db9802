"""A stream of 1,000 new schemas with shared parts → what the later ones cost, and how much of it was there already."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..corpus import Tokenizer
from . import apart
from .bound import Row

PART = "A stream of schemas"
COUNT = 1000
FIRST = 20


def rows(tokenizer: Tokenizer) -> Iterator[Row]:
    outcome = apart.run(stream, tokenizer, seconds=600)
    found = outcome.value or {}
    name = f"{COUNT:,} schemas of 40 parts"
    later = f"from the {COUNT // 2 + 1}st on"
    yield Row(PART, name, f"compile + first mask p50, first {FIRST}", found.get("compile_early"), None, "µs")
    yield Row(
        PART, name, f"compile + first mask p50, {later}", found.get("compile_late"), 300, "µs", note=outcome.error
    )
    yield Row(PART, name, f"compile + first mask p99, {later}", found.get("compile_late_p99"), 8000, "µs")
    yield Row(PART, name, f"mask mean, first {FIRST}", found.get("mask_early"), None, "µs")
    yield Row(PART, name, f"mask mean, {later}", found.get("mask_late"), 4, "µs")
    yield Row(PART, name, f"mask p99, {later}", found.get("mask_late_p99"), 30, "µs")
    yield Row(PART, name, f"masks found, first {FIRST}", found.get("found_early"), None, "%")
    yield Row(PART, name, f"masks found, {later}", found.get("found_late"), 95, "%", at_least=True)
    yield Row(PART, name, "memory of the process, grown", found.get("grown"), 256, "MB", note="each schema dropped")
    yield Row(PART, "the same schema again", "compile + first mask p50", found.get("again"), 300, "µs")


def stream(tokenizer: Tokenizer) -> dict[str, float]:
    import tokenizers

    import frisket

    encoder = tokenizers.Tokenizer.from_file(str(tokenizer.folder / "tokenizer.json"))
    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    bitmask = np.zeros(tokenizer.mask_words, dtype=np.uint32)
    draw = random.Random(21)
    pool = parts(draw)
    made = [document(draw, pool, number) for number in range(COUNT)]
    tokens = [encoder.encode(json.dumps(data), add_special_tokens=False).ids for _, data in made]
    frisket.Grammar.from_json_schema({"properties": {"warm": {}}}).compile(vocabulary).matcher().fill_mask(bitmask)
    apart.trim()
    before = apart.resident()
    clock = time.perf_counter_ns
    compiles: list[float] = []
    masks: list[list[float]] = []
    composed: list[int] = []
    for (schema, _), ids in zip(made, tokens, strict=True):
        began = clock()
        compiled = frisket.Grammar.from_json_schema(schema).compile(vocabulary)
        compiled.matcher().fill_mask(bitmask)
        compiles.append((clock() - began) / 1e3)
        matcher, times = compiled.matcher(), []
        for token in ids:
            began = clock()
            matcher.fill_mask(bitmask)
            times.append((clock() - began) / 1e3)
            matcher.advance(token)
        masks.append(times)
        composed.append(compiled.masks_composed)
    del compiled, matcher
    apart.trim()
    grown = apart.resident() - before
    again = []
    for schema, _ in made[:50] * 2:
        began = clock()
        frisket.Grammar.from_json_schema(schema).compile(vocabulary).matcher().fill_mask(bitmask)
        again.append((clock() - began) / 1e3)

    first, last = slice(FIRST), slice(COUNT // 2, None)
    early, late = np.concatenate(masks[first]), np.concatenate(masks[last])
    return {
        "compile_early": float(np.median(compiles[first])),
        "compile_late": float(np.median(compiles[last])),
        "compile_late_p99": float(np.percentile(compiles[last], 99)),
        "mask_early": float(early.mean()),
        "mask_late": float(late.mean()),
        "mask_late_p99": float(np.percentile(late, 99)),
        # Found is what was not composed: the engine tells, so a loaded machine does not.
        "found_early": 100 - 100 * sum(composed[first]) / len(early),
        "found_late": 100 - 100 * sum(composed[last]) / len(late),
        "grown": grown,
        "again": float(np.median(again[50:])),
    }


def parts(draw: random.Random) -> list[tuple[str, Any, Any]]:
    """Property names, their schemas, a value of each: what an API's schemas repeat."""
    found: list[tuple[str, Any, Any]] = []
    makers = [
        lambda n: ({"type": "string", "maxLength": 40 + n}, "some text"),
        lambda n: ({"type": "integer", "minimum": 0, "maximum": 10**3 + n}, 17),
        lambda n: ({"enum": [f"value_{n}_{i}" for i in range(8)]}, f"value_{n}_3"),
        lambda n: ({"type": "string", "format": "date-time"}, "2026-02-03T04:05:06Z"),
        lambda n: ({"type": "string", "pattern": f"^[A-Z]{{2,{3 + n % 5}}}-[0-9]+$"}, "AB-1234"),
        lambda n: ({"type": "array", "items": {"type": "string"}, "maxItems": 5 + n}, ["a", "b c"]),
        lambda n: (
            {
                "type": "object",
                "properties": {"street": {"type": "string"}, f"zip_{n}": {"type": "string", "pattern": "^[0-9]{5}$"}},
                "required": ["street"],
                "additionalProperties": False,
            },
            {"street": "High St 1", f"zip_{n}": "01234"},
        ),
        lambda n: ({"type": ["number", "null"], "minimum": -n}, 1.5),
    ]
    words = ["id", "name", "size", "when", "code", "tags", "home", "rate"]
    for number in range(40):
        schema, value = makers[number % 8](number)
        found.append((f"{words[number % 8]}_{number // 8}", schema, value))
    return found


def document(draw: random.Random, pool: list[tuple[str, Any, Any]], number: int) -> tuple[Any, Any]:
    """A schema nobody has seen, of parts that somebody has, and a document of it."""
    chosen = sorted(draw.sample(range(len(pool)), draw.randint(4, 10)))
    own = f"own_{number}"
    properties = {pool[index][0]: pool[index][1] for index in chosen} | {own: {"type": "boolean"}}
    values = {pool[index][0]: pool[index][2] for index in chosen} | {own: True}
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return schema, values
