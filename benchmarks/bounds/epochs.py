"""Grammars at their limit of memory → what a call costs there, of many matchers and of one long text."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..corpus import Tokenizer
from ..corpus import encoder as encoder_of
from . import apart
from .bound import Row

PART = "At the limit of memory"
MATCHERS, STEPS = 1_500, 1_200
LONG, MEBIBYTES = 60_000, 8


def rows(tokenizer: Tokenizer) -> Iterator[Row]:
    outcome = apart.run(many, tokenizer, seconds=600)
    found, name = outcome.value or {}, f"{MATCHERS:,} matchers x {STEPS:,} tokens, an open object each"
    yield Row(PART, name, "a step, mean", found.get("mean"), 15, "µs", note=outcome.error or "keys of their own")
    yield Row(PART, name, "a step, mean of the last 300", found.get("late"), 15, "µs")
    yield Row(PART, name, "a step, p99", found.get("p99"), 100, "µs")
    yield Row(PART, name, "a step, p99.9", found.get("again"), 2000, "µs", note="one in 250 takes a window again")
    yield Row(PART, name, "a step, max where no epoch begins", found.get("max"), None, "ms")
    yield Row(PART, name, "a step, max where one begins", found.get("begins"), 500, "ms", note="copies what lives")
    yield Row(PART, name, "memory", found.get("megabytes"), 1.3 * 256 * 1.048576, "MB", note="limit of 256 MiB")
    yield Row(PART, name, "epochs", found.get("epochs"), 2, "", at_least=True, note="the limit was reached")

    outcome = apart.run(one, tokenizer, seconds=600)
    found, name = outcome.value or {}, f"one open object of {LONG:,} tokens in {MEBIBYTES} MiB"
    yield Row(PART, name, "taken", found.get("taken"), LONG, "tokens", at_least=True, note=outcome.error)
    yield Row(PART, name, "mask + step, mean of the last 10,000", found.get("late"), 100, "µs")
    yield Row(PART, name, "mask + step, p99 of the last 10,000", found.get("late_p99"), 1000, "µs")
    yield Row(PART, name, "mask + step, max", found.get("max"), 50, "ms", note="an epoch begins")
    yield Row(PART, name, "epochs", found.get("epochs"), 2, "", at_least=True, note="the limit was reached")


def document(encode: Any, draw: random.Random, tokens: int) -> list[int]:
    """The tokens of an object that is not over: keys that nobody else has, and numbers."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    members = (f'"{"".join(draw.choices(letters, k=8))}": {draw.randrange(1_000)}' for _ in range(tokens // 4))
    return list(encode("{" + ", ".join(members)))[:tokens]


def many(tokenizer: Tokenizer) -> dict[str, float]:
    """Matchers by turns, each over a text of its own."""
    import frisket

    encode = encoder_of(tokenizer)
    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    texts = [document(encode, random.Random(number), STEPS) for number in range(MATCHERS)]
    compiled = frisket.Grammar.from_json_schema({"type": "object"}).compile(vocabulary)
    matchers = [compiled.matcher() for _ in texts]
    times, begins = np.zeros((STEPS, MATCHERS)), 0.0
    clock, largest, epoch = time.perf_counter_ns, 0, compiled.epoch
    for step in range(STEPS):
        for place, (matcher, text) in enumerate(zip(matchers, texts, strict=True)):
            began = clock()
            matcher.advance(text[step])
            took = clock() - began
            if compiled.epoch != epoch:
                epoch, begins, took = compiled.epoch, max(begins, took / 1e6), 0
            times[step, place] = took / 1e3
        largest = max(largest, compiled.memory_bytes)
    return {
        "mean": float(times.mean()),
        "late": float(times[-300:].mean()),
        "p99": float(np.percentile(times, 99)),
        "again": float(np.percentile(times, 99.9)),
        "max": float(times.max()) / 1e3,
        "begins": begins,
        "megabytes": largest / 1e6,
        "epochs": compiled.epoch,
    }


def one(tokenizer: Tokenizer) -> dict[str, float]:
    """One matcher in little memory; how far it came."""
    import frisket

    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    text = document(encoder_of(tokenizer), random.Random(1), LONG)
    limits = frisket.Limits(memory_bytes=MEBIBYTES << 20)
    compiled = frisket.Grammar.from_json_schema({"type": "object"}).compile(vocabulary, limits=limits)
    matcher, bitmask = compiled.matcher(), np.zeros(tokenizer.mask_words, dtype=np.uint32)
    times: list[float] = []
    try:
        for token in text:
            began = time.perf_counter_ns()
            matcher.fill_mask(bitmask)
            matcher.advance(token)
            times.append((time.perf_counter_ns() - began) / 1e3)
    except frisket.errors.LimitExceededError:
        pass
    late = times[-10_000:]
    return {
        "taken": len(times),
        "late": float(np.mean(late)),
        "late_p99": float(np.percentile(late, 99)),
        "max": max(times) / 1e3,
        "epochs": compiled.epoch,
    }
