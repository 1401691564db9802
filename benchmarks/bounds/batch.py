"""Many matchers and two threads → masks a second, who waits for whom."""

from __future__ import annotations

import gc
import os
import threading
import time
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..corpus import Case, Tokenizer
from . import apart
from .bound import Row

PART = "Batches and threads"
BATCH = 256


def rows(tokenizer: Tokenizer, cases: Sequence[Case]) -> Iterator[Row]:
    outcome = apart.run(batch, tokenizer, list(cases), seconds=300)
    found = outcome.value or {}
    name = f"fill_masks, {BATCH} matchers"
    yield Row(PART, name, "one mask, warm", found.get("warm"), 2, "µs", note=outcome.error)
    yield Row(PART, name, "masks a second", found.get("rate"), 500_000, "", at_least=True)
    yield Row(
        PART, name, "one mask, along documents", found.get("along"), 4, "µs", note="masks as they come, advances apart"
    )
    yield Row(PART, name, "times as fast as one by one", found.get("gain"), None, "×")
    yield Row(
        PART,
        name,
        "a Python thread beside it",
        found.get("counter"),
        25,
        "% of its speed alone",
        at_least=True,
        note="a held GIL would leave it near 0",
    )
    outcome = apart.run(stall, tokenizer, list(cases), seconds=300)
    found = outcome.value or {}
    for what in ("alone", "while schemas compile", "while an enum of 20,000 compiles"):
        for quantity in ("p50", "p99", "max"):
            bound = None if what == "alone" or quantity == "p50" else 300 if quantity == "p99" else 10_000
            yield Row(PART, f"masks {what}", quantity, found.get(f"{what} {quantity}"), bound, "µs", note=outcome.error)
    outcome = apart.run(unknown, tokenizer, list(cases), seconds=300)
    found = outcome.value or {}
    for what in ("alone", "beside a Python thread"):
        for quantity, most in (("p50", None), ("p99", 300), ("max", 10_000)):
            bound = None if what == "alone" else most
            name = f"new schemas' masks {what}"
            yield Row(PART, name, quantity, found.get(f"{what} {quantity}"), bound, "µs", note=outcome.error)


def _compiled(tokenizer: Tokenizer, cases: Sequence[Case]) -> tuple[Any, list[tuple[Any, tuple[int, ...]]]]:
    import frisket

    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    found = []
    for case in cases:
        tokens = max((item.tokens for item in case.instances if item.valid), key=len, default=())
        try:
            compiled = frisket.Grammar.from_json_schema(case.schema).compile(vocabulary)
            if len(tokens) >= 20 and compiled.matcher().validate(tokens) == len(tokens):
                found.append((compiled, tokens))
        except frisket.FrisketError:
            continue
    return vocabulary, found


def batch(tokenizer: Tokenizer, cases: list[Case]) -> dict[str, float]:
    import frisket

    _, found = _compiled(tokenizer, cases)
    bitmask = np.zeros((BATCH, tokenizer.mask_words), dtype=np.uint32)
    pairs = [found[number % len(found)] for number in range(BATCH)]
    matchers = [compiled.matcher() for compiled, _ in pairs]
    places = [number // len(found) * 3 % len(tokens) for number, (_, tokens) in enumerate(pairs)]
    for matcher, (_, tokens), place in zip(matchers, pairs, places, strict=True):
        for token in tokens[:place]:
            matcher.advance(token)
    along = []
    for _ in range(60):
        began = time.perf_counter()
        frisket.fill_masks(matchers, bitmask)
        along.append(time.perf_counter() - began)
        for number, (_, tokens) in enumerate(pairs):
            if places[number] == len(tokens):
                matchers[number].reset()
                places[number] = 0
            matchers[number].advance(tokens[places[number]])
            places[number] += 1

    def together(seconds: float = 1.0) -> float:
        done, until, began = 0, time.perf_counter() + seconds, time.perf_counter()
        while time.perf_counter() < until:
            frisket.fill_masks(matchers, bitmask)
            done += BATCH
        return done / (time.perf_counter() - began)

    def single(seconds: float = 1.0) -> float:
        done, until, began = 0, time.perf_counter() + seconds, time.perf_counter()
        while time.perf_counter() < until:
            for row, matcher in enumerate(matchers):
                matcher.fill_mask(bitmask, row)
            done += BATCH
        return done / (time.perf_counter() - began)

    together(0.2)
    rate = max(together() for _ in range(3))
    one = max(single() for _ in range(3))
    alone, _ = _counting(lambda: time.sleep(1.0))
    beside, _ = _counting(lambda: together(1.0))
    return {
        "warm": 1e6 / rate,
        "rate": rate,
        "along": float(np.mean(along)) / BATCH * 1e6,
        "gain": rate / one,
        "counter": beside / alone * 100,
    }


def _counting(act: Any) -> tuple[float, Any]:
    """How often a second a Python thread counts while `act` runs."""
    count, stop = 0, False

    def counter() -> None:
        nonlocal count
        while not stop:
            count += 1

    thread = threading.Thread(target=counter)
    began = time.perf_counter()
    thread.start()
    result = act()
    counted, took = count, time.perf_counter() - began
    stop = True
    thread.join()
    return counted / took, result


def stall(tokenizer: Tokenizer, cases: list[Case]) -> dict[str, float]:
    """Masks and advances along documents in this thread, compilations in another; two cores, or it measures those."""
    import frisket
    from frisket.compiled_schema import compiled_lately

    if hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) < 2:
        raise RuntimeError("one core cannot do two things")
    vocabulary, found = _compiled(tokenizer, cases)
    # Python's collector holds the GIL while it walks all that this program has imported and read, for longer than any
    # compilation does. What the compilations leave to it is still its work.
    gc.collect()
    gc.freeze()
    bitmask = np.zeros(tokenizer.mask_words, dtype=np.uint32)

    def masks(seconds: float) -> array[float]:
        # No list: the collector would walk these millions of numbers, with the GIL held, for fifty milliseconds.
        times, until = array("d"), time.perf_counter() + seconds
        while time.perf_counter() < until:
            for compiled, tokens in found:
                matcher = compiled.matcher()
                for token in tokens[:60]:
                    began = time.perf_counter()
                    matcher.fill_mask(bitmask)
                    times.append((time.perf_counter() - began) * 1e6)
                    matcher.advance(token)
        return times

    words = {"enum": [f"{number * 7919 % 99991:05}" for number in range(20_000)]}
    beside = {
        "alone": None,
        "while schemas compile": [case.schema for case in cases],
        "while an enum of 20,000 compiles": [words],
    }
    masks(1.0)
    result = {}
    for what, work in beside.items():
        stop = False

        def compile_all(schemas: Any = work) -> None:
            while not stop:  # noqa: B023
                for schema in schemas:
                    if stop:  # noqa: B023
                        return
                    try:
                        compiled_lately.clear()
                        frisket.Grammar.from_json_schema(schema).compile(vocabulary)
                    except frisket.FrisketError:
                        continue

        thread = threading.Thread(target=compile_all) if work else None
        if thread is not None:
            thread.start()
        times = masks(3.0)
        stop = True
        if thread is not None:
            thread.join()
        for name, value in (("p50", 50), ("p99", 99), ("max", 100)):
            result[f"{what} {name}"] = float(np.percentile(times, value))
    return result


def unknown(tokenizer: Tokenizer, cases: list[Case]) -> dict[str, float]:
    """Masks that nobody knows yet, alone and beside a thread that computes in Python.

    The GIL, once given away, is gone for five milliseconds.
    """
    import frisket

    bitmask = np.zeros(tokenizer.mask_words, dtype=np.uint32)

    def masks(vocabulary: Any) -> array[float]:
        times = array("d")
        for case in cases:
            try:
                compiled = frisket.Grammar.from_json_schema(case.schema).compile(vocabulary)
            except frisket.FrisketError:
                continue
            for instance in case.instances:
                matcher = compiled.matcher()
                for token in instance.tokens[:60]:
                    began = time.perf_counter()
                    matcher.fill_mask(bitmask)
                    times.append((time.perf_counter() - began) * 1e6)
                    if not matcher.try_advance(token):
                        break
        return times

    def fresh() -> Any:
        return frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])

    gc.collect()
    gc.freeze()
    alone, other = masks(fresh()), fresh()
    _, beside = _counting(lambda: masks(other))
    return {
        f"{what} {name}": float(np.percentile(times, value))
        for what, times in (("alone", alone), ("beside a Python thread", beside))
        for name, value in (("p50", 50), ("p99", 99), ("max", 100))
    }
