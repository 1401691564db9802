"""`python -m benchmarks.stalls` → how long masks wait for other threads that compile schemas, and how compiling scales.

A thread of its own asks for the masks of a grammar that was compiled before, one document after another. Beside it four
threads sleep, or compile schemas of MaskBench that nobody compiled before, or run plain Python. A mask's time is that
from one mask to the next, less what Linux says the thread waited for a processor (`/proc/thread-self/schedstat`): five
threads on two processors wait for each other in any language. What is left is the mask and the wait for Python's lock.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.corpus import cases, encoder, load_tokenizer, maskbench
from benchmarks.engine import version
from benchmarks.report import commit
from benchmarks.waiting import waiting
from frisket import Grammar, Vocabulary
from frisket.errors import FrisketError

#: Threads beside the one whose masks are timed.
THREADS = 4
#: The grammar whose masks are timed, and a document of it.
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "tags": {"type": "array"}},
    "required": ["name", "age"],
}
DOCUMENT = '{"name": "Ada Lovelace", "age": 36, "tags": ["first", {"of": "all"}, 1843]}'


def main(arguments: list[str] | None = None) -> int:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.stalls", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--seconds", type=float, default=10.0, help="of each loop (default: 10)")
    asked.add_argument("--schemas", type=int, default=500, help="how many of MaskBench are compiled (default: 500)")
    asked.add_argument("--seed", type=int, default=1, help="of the sample")
    chosen = asked.parse_args(arguments)
    tokenizer = load_tokenizer("llama3")
    schemas = [case.schema for case in cases(tokenizer, maskbench(), count=chosen.schemas, seed=chosen.seed)]
    print(f"frisket {version('frisket')} at {commit()}, {os.cpu_count()} processors")
    print(f"{len(schemas)} schemas, {chosen.seconds:g} s a loop")
    print(f"masks beside {THREADS} threads:")
    for name, work in (("that sleep", None), ("that compile", fresh(schemas)), ("that run Python", python)):
        print(f"  {name:<16} {masks(work, chosen.seconds)}")
    one, two = (compiled(fresh(schemas), threads, chosen.seconds) for threads in (1, 2))
    print(f"schemas a second: one thread {one:,.0f}, two threads {two:,.0f}: {two / one:.2f} times as many")
    return 0


def fresh(schemas: list[dict[str, Any]]) -> Callable[[], None]:
    """A call that compiles one schema, which differs from all that came before by a title that asks nothing."""
    numbers = itertools.count()
    copies = [copy.copy(schema) for schema in schemas]

    def work() -> None:
        number = next(numbers)
        schema = {**copies[number % len(copies)], "title": f"schema {number}"}
        try:
            Grammar.from_json_schema(schema)
        except FrisketError:
            return  # a schema that is refused takes its time, too

    return work


def python() -> None:
    """What other threads of a server do: a millisecond of plain Python."""
    sum(number * number for number in range(20_000))


def masks(work: Callable[[], None] | None, seconds: float) -> str:
    """The times of masks beside threads that repeat `work`."""
    over = threading.Event()
    with_work = [threading.Thread(target=repeat, args=(work, over), daemon=True) for _ in range(THREADS)]
    for thread in with_work:
        thread.start()
    times: list[float] = []
    timed = threading.Thread(target=lambda: times.extend(time_masks(seconds)))
    timed.start()
    timed.join()
    over.set()
    for thread in with_work:
        thread.join()
    times.sort()
    at = {share: times[int(len(times) * share)] * 1e6 for share in (0.5, 0.99, 0.999)}
    shown = ", ".join(f"p{100 * share:g} {value:.1f}" for share, value in at.items())
    return f"{len(times):>9,} masks: {shown}, max {times[-1] * 1e6:,.0f} µs"


def repeat(work: Callable[[], None] | None, over: threading.Event) -> None:
    if work is None:
        over.wait()
    else:
        while not over.is_set():
            work()


def time_masks(seconds: float) -> list[float]:
    """Seconds from one mask to the next, without those in which the thread was ready and had no processor."""
    tokenizer = load_tokenizer("llama3")
    vocabulary = Vocabulary.from_huggingface(tokenizer.folder)
    grammar = Grammar.from_json_schema(PERSON).compile(vocabulary)
    tokens = encoder(tokenizer)(DOCUMENT)
    bitmask = np.zeros(vocabulary.mask_words, dtype=np.uint32)
    waited = waiting()
    times: list[float] = []
    until = time.perf_counter() + seconds
    is_warm = False
    while time.perf_counter() < until:
        matcher = grammar.matcher()
        before = time.perf_counter() - waited()
        for token in tokens:
            matcher.fill_mask(bitmask)
            matcher.advance(token)
            after = time.perf_counter() - waited()
            if is_warm:
                times.append(max(0.0, after - before))
            before = after
        is_warm = True
    return times


def compiled(work: Callable[[], None], threads: int, seconds: float) -> float:
    """Calls of `work` a second by so many threads together."""
    counts = [0] * threads
    until = time.perf_counter() + seconds

    def run(place: int) -> None:
        while time.perf_counter() < until:
            work()
            counts[place] += 1

    began = time.perf_counter()
    all_threads = [threading.Thread(target=run, args=(place,)) for place in range(threads)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - began)


if __name__ == "__main__":
    sys.exit(main())
