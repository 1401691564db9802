"""One engine in one process: cases in, timings out."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .corpus import Case, Tokenizer
from .engine import Engine, Session, load


@dataclass
class Timing:
    """What one engine did with one case. Nanoseconds, in the order of the tokens."""

    status: str
    """right; over (a valid instance refused); under (an invalid one accepted); refused, time, memory, crash."""
    detail: str = ""
    first: int = 0
    """Compile, start, first mask."""
    masks: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    commits: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    tokens: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Mask and commit of each token together; of a rejected one the mask."""
    warm_masks: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    warm_commits: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    warm_tokens: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


def serve(
    name: str, tokenizer: Tokenizer, connection: Connection, answer: Callable[[Engine, Any], Any] | None = None
) -> None:
    """The body of the process: says how long the vocabulary took, then answers cases until the pipe closes.

    `answer` stands in place of `run`, where something else than a case is asked.
    """
    answer = answer or run
    # Some engines talk on stdout; nobody listens.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if "FRISKET_BENCH_VERBOSE" not in os.environ:
        os.dup2(1, 2)
    began = time.perf_counter_ns()
    engine = load(name, tokenizer)
    _warm_up(engine)
    connection.send(time.perf_counter_ns() - began)
    gc.collect()
    gc.freeze()
    with contextlib.suppress(EOFError):
        while True:
            connection.send(answer(engine, connection.recv()))


def _warm_up(engine: Engine) -> None:
    """Import what is imported late and build what is built once per vocabulary, before any schema counts."""
    schema = {"type": "object", "properties": {"warm": {"type": "boolean"}}}
    with contextlib.suppress(Exception):
        engine.start(engine.compile(schema, json.dumps(schema))).mask()


def run(engine: Engine, case: Case) -> Timing:
    """Compile the case, replay its instances twice: cold, and warm on the same compiled grammar."""
    gc.collect()
    gc.disable()
    clock = time.perf_counter_ns
    try:
        began = clock()
        rules = case.rules
        compiled = engine.compile(case.schema, case.text) if rules is None else engine.compile_rules(rules)
        session = engine.start(compiled)
        session.mask()
        first = clock() - began
    except Exception as error:
        return Timing("refused", f"{type(error).__name__}: {error}"[:300])
    finally:
        gc.enable()
    try:
        cold, status, detail = replay(engine, compiled, case)
        warm, _, _ = replay(engine, compiled, case)
    except Exception as error:
        return Timing("crash", f"{type(error).__name__}: {error}"[:300], first)
    return Timing(status, detail, first, *cold, *warm)


def replay(engine: Engine, compiled: Any, case: Case) -> tuple[tuple[NDArray[np.int64], ...], str, str]:
    """Take all instances → (masks, commits, both together for each token), status, detail."""
    inside = getattr(engine, "replay", None)
    masks: list[int] = []
    commits: list[int] = []
    together: list[int] = []
    status, detail = "right", ""
    gc.disable()
    try:
        for number, instance in enumerate(case.instances):
            if inside is not None:
                times, steps, can_end = inside(compiled, instance.tokens)
                taken, disagreed = len(steps) + (can_end and len(steps) == len(instance.tokens)), False
            else:
                times, steps = [], []
                taken, disagreed = follow(engine, engine.start(compiled), instance.tokens, times, steps)
            masks += times
            commits += steps
            together += map(sum, zip_longest(times, steps, fillvalue=0))
            if disagreed:
                raise RuntimeError(f"instance {number}, token {taken}: mask and commit disagree")
            accepted = taken > len(instance.tokens)
            if accepted and not instance.valid:
                status, detail = "under", f"instance {number} is invalid and was accepted"
            elif instance.valid and not accepted and status == "right":
                status, detail = "over", f"instance {number} is valid and was refused at token {taken}"
    finally:
        gc.enable()
    return tuple(np.array(times, np.int64) for times in (masks, commits, together)), status, detail


def follow(
    engine: Engine, session: Session, tokens: tuple[int, ...], masks: list[int], commits: list[int]
) -> tuple[int, bool]:
    """Take the tokens → how many were taken (one more if the text may end there), whether mask and commit disagreed."""
    clock = time.perf_counter_ns
    words = engine.bitmask.reshape(-1)
    mask, commit = session.mask, session.commit
    for place, token in enumerate(tokens):
        began = clock()
        given = mask()
        masked = clock()
        row = given if isinstance(given, np.ndarray) else words
        allowed = bool(int(row[token >> 5]) >> (token & 31) & 1)
        if not allowed:
            # The mask has spoken; some engines cannot be asked again after a rejected token.
            masks.append(masked - began)
            return place, False
        resumed = clock()
        taken = commit(token)
        commits.append(clock() - resumed)
        masks.append(masked - began)
        if not taken:
            return place, True
    return len(tokens) + bool(session.can_end()), False
