"""Cases × engines, interleaved → every timing of every engine.

One process per engine, one schema at a time: all engines see a schema within seconds of each other and in a rotating
order, so that a noisy minute of the machine hits all of them. Only one of them works at any moment. Where all engines
on all schemas would take longer than there is time, those that take most of it see fewer schemas, spread over the run.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np

from .corpus import Case, Tokenizer
from .engine import Engine
from .worker import Timing, serve


@dataclass(frozen=True)
class Limit:
    """What one engine may spend on one schema, compile and both replays together; then its process is killed."""

    seconds: float = 60.0
    megabytes: int = 8192


@dataclass
class Run:
    """All that was measured of one engine."""

    engine: str
    vocabulary_ns: int = 0
    peak_megabytes: int = 0
    idle_megabytes: int = 0
    timings: dict[str, Timing] = field(default_factory=dict)


class Process:
    """An engine's process, started again when it died or was killed."""

    def __init__(
        self,
        engine: str,
        tokenizer: Tokenizer,
        limit: Limit,
        environment: Mapping[str, str] | None = None,
        answer: Callable[[Engine, Any], Any] | None = None,
    ):
        self.answer = answer
        self.environment = environment or {}
        self.tokenizer = tokenizer
        self.limit = limit
        self.run = Run(engine)
        self.process: BaseProcess | None = None
        self.connection: Connection | None = None

    def measure(self, case: Case) -> Timing:
        found: Timing = self.ask(case)
        return found

    def ask(self, question: Any) -> Any:
        """What the process answers; a Timing where it gave no answer."""
        try:
            connection = self._alive()
            connection.send(question)
            return self._receive(connection)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self.stop()
            return Timing("crash", "the process died")

    def start(self) -> None:
        """So that the first schema is not charged for the vocabulary."""
        with suppress(EOFError, BrokenPipeError, ConnectionResetError):
            self._alive()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
        self.process = self.connection = None

    def _alive(self) -> Connection:
        if self.connection is None:
            context = multiprocessing.get_context("spawn")
            self.connection, other = context.Pipe()
            arguments = (self.run.engine, self.tokenizer, other, self.answer)
            self.process = context.Process(target=serve, args=arguments, daemon=True)
            with environment(self.environment):
                self.process.start()
            other.close()
            if not self.connection.poll(300):
                raise EOFError
            self.run.vocabulary_ns = self.connection.recv()
            self.run.idle_megabytes = self._resident()
        return self.connection

    def _receive(self, connection: Connection) -> Any:
        deadline = time.monotonic() + self.limit.seconds
        while not connection.poll(0.25):
            if time.monotonic() > deadline:
                self.stop()
                return Timing("time", f"more than {self.limit.seconds:g} s")
            if self._resident() > self.limit.megabytes:
                self.stop()
                return Timing("memory", f"more than {self.limit.megabytes} MB")
        answer = connection.recv()
        self.run.peak_megabytes = max(self.run.peak_megabytes, self._most())
        return answer

    def _resident(self) -> int:
        if self.process is None:
            return 0
        with suppress(OSError), open(f"/proc/{self.process.pid}/statm") as statm:
            return int(statm.read().split()[1]) * 4096 // 1_000_000
        return 0

    def _most(self) -> int:
        """The most that the process ever had."""
        with suppress(OSError, StopIteration), open(f"/proc/{self.process and self.process.pid}/status") as lines:
            return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1000
        return self._resident()


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for a process that is started meanwhile."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run(
    engines: Sequence[str],
    tokenizer: Tokenizer,
    cases: Sequence[Case],
    *,
    limit: Limit,
    rounds: int = 1,
    minutes: float = math.inf,
    progress: Callable[[int, Case, dict[str, Timing]], None] = lambda place, case, timings: None,
) -> list[Run]:
    """Each round starts all processes anew; of several rounds the smallest time of each call is kept.

    `minutes` is the pace of a round: whenever it is behind, the engines that have used more than the mean leave out a
    schema (`skipped`). Interrupted, it returns what was measured.
    """
    runs = {name: Run(name) for name in engines}
    with suppress(KeyboardInterrupt):
        for number in range(rounds):
            processes = [Process(name, tokenizer, limit) for name in engines]
            try:
                _round(processes, cases, runs, minutes * 60, number == 0, progress)
            finally:
                for process in processes:
                    process.stop()
                    total = runs[process.run.engine]
                    total.vocabulary_ns = min(filter(None, (total.vocabulary_ns, process.run.vocabulary_ns)), default=0)
                    total.idle_megabytes = max(total.idle_megabytes, process.run.idle_megabytes)
                    total.peak_megabytes = max(total.peak_megabytes, process.run.peak_megabytes)
    return list(runs.values())


def _round(
    processes: Sequence[Process],
    cases: Sequence[Case],
    runs: dict[str, Run],
    seconds: float,
    first: bool,
    progress: Callable[[int, Case, dict[str, Timing]], None],
) -> None:
    began = time.monotonic()
    used = dict.fromkeys(runs, 0.0)
    for place, case in enumerate(cases):
        behind = time.monotonic() - began > seconds * (place + 1) / len(cases)
        mean = sum(used.values()) / len(used)
        turn = place % len(processes)
        measured = {}
        for process in [*processes[turn:], *processes[:turn]]:
            name = process.run.engine
            if not first and runs[name].timings[case.name].status == "skipped":
                continue
            if first and behind and used[name] > mean:
                measured[name] = Timing("skipped")
                continue
            if place == 0:
                process.start()
            since = time.monotonic()
            measured[name] = process.measure(case)
            used[name] += time.monotonic() - since
        # All engines or none: an interruption leaves no schema half measured.
        for name, timing in measured.items():
            before = runs[name].timings.get(case.name)
            runs[name].timings[case.name] = timing if before is None else least(before, timing)
        progress(place, case, measured)


def least(one: Timing, other: Timing) -> Timing:
    """The smaller time of each call; the first of the two where they did not come equally far."""
    if one.status != other.status or len(one.masks) != len(other.masks):
        return one
    return Timing(
        one.status,
        one.detail,
        min(one.first, other.first),
        np.minimum(one.masks, other.masks),
        np.minimum(one.commits, other.commits),
        np.minimum(one.tokens, other.tokens),
        np.minimum(one.warm_masks, other.warm_masks),
        np.minimum(one.warm_commits, other.warm_commits),
        np.minimum(one.warm_tokens, other.warm_tokens),
    )
