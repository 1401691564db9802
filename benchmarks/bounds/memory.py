"""Vocabularies and many schemas → bytes kept, and how long a vocabulary takes to load."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus import Case, Tokenizer
from . import apart
from .bound import Row

PART = "Memory and loading"


def rows(tokenizer: Tokenizer, cases: Sequence[Case], *, tries: int = 5) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        read = [apart.run(load, tokenizer.folder, folder, False) for _ in range(tries)]
        apart.run(load, tokenizer.folder, folder, True)
        cached = [apart.run(load, tokenizer.folder, folder, True) for _ in range(tries)]
    name = f"vocabulary of {tokenizer.size:,}"
    for what, found, bound in (("load, tokenizer.json", read, 500.0), ("load, cached", cached, 50.0)):
        times = [outcome.value["ms"] for outcome in found if outcome.value]
        note = f"median of {len(times)} processes" if times else found[0].error
        yield Row(PART, name, what, float(np.median(times)) if times else None, bound, "ms", "issue", note=note)
    kept = cached[0].value or {}
    yield Row(PART, name, "memory", kept.get("megabytes"), 40, "MB", "issue", note="as the engine counts it")
    yield Row(PART, name, "memory, process", kept.get("resident"), 40, "MB", "issue", note="growth of the process")

    outcome = apart.run(schemas, tokenizer, list(cases), seconds=600)
    found = outcome.value or {}
    title = f"{found.get('count', 0)} schemas, instances replayed"
    note = outcome.error or "as the engine counts it"
    yield Row(PART, title, "one schema, p50", found.get("p50"), 200, "KB", "issue", note=note)
    yield Row(PART, title, "one schema, p99", found.get("p99"), 5000, "KB", "issue")
    yield Row(PART, title, "process, each", found.get("each"), 200 * 4, "KB", note="growth while all are kept, mean")
    yield Row(PART, title, "left", found.get("left"), 256, "MB", note="growth when all are dropped: what is shared")


def load(folder: Path, cache: str, cached: bool) -> dict[str, float]:
    os.environ["FRISKET_CACHE_DIR"] = cache
    if not cached:
        os.environ["FRISKET_CACHE_BYTES"] = "0"
    import frisket

    frisket.Vocabulary.from_bytes([b"a"])  # a process imports once, whatever it loads
    apart.trim()
    before = apart.resident()
    began = time.perf_counter()
    vocabulary = frisket.Vocabulary.from_huggingface(folder)
    took = time.perf_counter() - began
    apart.trim()
    grown = apart.resident() - before
    return {"ms": took * 1e3, "megabytes": vocabulary.core.memory_bytes / 1e6, "resident": grown}


def schemas(tokenizer: Tokenizer, cases: list[Case]) -> dict[str, Any]:
    import frisket

    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    bitmask = np.zeros(tokenizer.mask_words, dtype=np.uint32)
    apart.trim()
    # Before the first schema: with it come modules, and the pages that are kept ready for the next ones.
    before = apart.resident()
    kept, sizes = [], []
    for case in cases:
        try:
            compiled = frisket.Grammar.from_json_schema(case.schema).compile(vocabulary)
            for instance in case.instances:
                matcher = compiled.matcher()
                for token in instance.tokens:
                    matcher.fill_mask(bitmask)
                    if not matcher.try_advance(token):
                        break
        except frisket.FrisketError:
            continue
        kept.append(compiled)
        sizes.append(compiled.memory_bytes / 1e3)
    del matcher
    apart.trim()
    each = (apart.resident() - before) * 1e3 / len(kept)
    count = len(kept)
    del kept, compiled
    apart.trim()
    left = apart.resident() - before
    return {
        "count": count,
        "p50": float(np.percentile(sizes, 50)),
        "p99": float(np.percentile(sizes, 99)),
        "each": each,
        "left": left,
    }
