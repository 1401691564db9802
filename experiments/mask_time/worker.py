"""Cases × one engine in a process of its own → processor times of each token.

Processor time is the thread's own. A busy machine makes it longer through its caches, and hardly by waiting. (The
process's clock is as coarse as the system's tick once its time is limited.)
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from benchmarks.corpus import Tokenizer, encoder
from benchmarks.engine import load
from experiments.mask_time.case import Case
from frisket.decoding.sampler import Sampler

#: Seconds of processor time for one case; whoever takes more is stopped.
MOST_SECONDS = 120
#: Bytes of address space that an engine may take.
MOST_BYTES = 14 << 30
#: The first is over masks that nobody has asked for.
PASSES = 4


@dataclass
class Times:
    """Microseconds of processor time, token by token: of the first pass, and the least of later passes."""

    compile: float = 0.0
    first: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    sample: list[float] = field(default_factory=list)
    """To take the allowed tokens off the mask, and to draw one."""
    commit: list[float] = field(default_factory=list)
    allowed: list[int] = field(default_factory=list)
    refused: str = ""


def serve(name: str, tokenizer: Tokenizer, connection: Connection) -> None:
    """The body of the process: answers cases until the pipe closes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    engine = load(name, tokenizer)
    encode = encoder(tokenizer)
    logits = wishes(tokenizer.size)
    with contextlib.suppress(EOFError):
        while True:
            connection.send(measure(engine, encode, logits, connection.recv()))


def wishes(size: int) -> np.ndarray:
    """Logits of no model: their values cost nothing, their number does."""
    return np.random.default_rng(0).normal(0, 3, size).astype(np.float32)


def measure(engine: Any, encode: Any, logits: np.ndarray, case: Case) -> Times:
    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + MOST_SECONDS, resource.RLIM_INFINITY))
    clock, found = time.thread_time_ns, Times()
    overhead = _overhead()
    try:
        began = time.process_time()
        compiled = engine.compile(case.schema, json.dumps(case.schema))
        found.compile = (time.process_time() - began) * 1e6
    except Exception as error:
        found.refused = f"{type(error).__name__}: {error}"[:200]
        return found
    documents = [list(encode(text)) for text in case.documents]
    words, sampler, rng = engine.bitmask.reshape(-1), Sampler(), np.random.default_rng(0)
    passes: list[dict[str, list[float]]] = []
    gc.collect()
    for _ in range(PASSES):
        times: dict[str, list[float]] = {"mask": [], "sample": [], "commit": []}
        for document in documents:
            session = engine.start(compiled)
            for token in document:
                began_at = clock()
                session.mask()
                masked = clock()
                if not int(words[token >> 5]) >> (token & 31) & 1:
                    found.refused = "the mask forbids a token of a valid document"
                    return found
                left = clock()
                ids = allowed(words)
                sampler.choose(logits[ids], rng)
                chosen = clock()
                session.commit(token)
                committed = clock()
                if not passes:
                    found.allowed.append(len(ids))
                for name, spent in zip(times, (masked - began_at, chosen - left, committed - chosen), strict=True):
                    times[name].append(max(spent - overhead, 0) / 1000)
        passes.append(times)
    found.first = passes[0]["mask"]
    found.warm = _least(passes, "mask")
    found.sample = _least(passes, "sample")
    found.commit = _least(passes, "commit")
    return found


def _least(passes: list[dict[str, list[float]]], name: str) -> list[float]:
    """Of each token the shortest time of the passes after the first."""
    return [min(times) for times in zip(*(one[name] for one in passes[1:]), strict=True)]


def allowed(words: np.ndarray) -> np.ndarray:
    """The ids of the allowed tokens, ascending: where a word is 0, nothing is unpacked.

    >>> allowed(np.array([0, 5, -2147483648], dtype=np.int32)).tolist()
    [32, 34, 95]
    """
    some = np.flatnonzero(words)
    bits = np.unpackbits(words[some].view(np.uint8).reshape(-1, 4), axis=1, bitorder="little")
    rows, columns = np.nonzero(bits)
    return some[rows] * 32 + columns


def unmasked(size: int, rounds: int = 60) -> dict[str, list[float]]:
    """Microseconds of the sampler alone, over all logits: a draw, and the likeliest token."""
    logits, rng, clock = wishes(size), np.random.default_rng(0), time.thread_time_ns
    found: dict[str, list[float]] = {"a draw": [], "the likeliest": []}
    for _ in range(rounds):
        for name, sampler in (("a draw", Sampler()), ("the likeliest", Sampler(temperature=0.0))):
            began = clock()
            sampler.choose(logits, rng)
            found[name].append((clock() - began) / 1000)
    return found


def _overhead() -> float:
    """Nanoseconds between two looks at the clock."""
    clock = time.thread_time_ns
    return float(np.median([-clock() + clock() for _ in range(2000)]))
