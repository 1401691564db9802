"""Numbers of cases → what broke, from processes that are watched: a crash or a hang is a finding like any other."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

SHARE = 5000
"""Cases that a process is given at a time."""

PATIENCE = 10
"""So many times the limit by the clock are a hang, whatever was computed."""


@dataclass
class Found:
    """What came of the cases so far."""

    cases: int = 0
    checked: int = 0
    """Cases whose arguments were good enough for a matcher to come of them."""
    steps: int = 0
    """Positions that were checked in all of them."""
    broken: list[tuple[int, str, list[str]]] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, -1)
    kinds: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)

    def show_broken(self) -> None:
        """The first cases that broke, each with what it did."""
        for number, why, log in self.broken[:20]:
            print(f"\n{number}: {why}")
            print("\n".join(f"    {line}" for line in log))

    def shown_kinds(self) -> str:
        """How many cases of each kind there were."""
        return ", ".join(f"{kind} {count:,}" for kind, count in sorted(self.kinds.items()))


def fuzz(
    seeds: range,
    *,
    cases: str = "tests.fuzz.case",
    share: int = SHARE,
    jobs: int = 1,
    hang: float = 30.0,
    stop_after: int = 50,
    quiet: bool = False,
) -> Found:
    """Run them all, or until so many are broken. `cases` is the module that runs one: it has `KINDS` and `run`."""
    found, began = Found(), time.monotonic()
    shares = [seeds[first : first + share] for first in range(0, len(seeds), share)]
    workers: list[Worker] = []
    told = began
    try:
        while (shares or workers) and len(found.broken) < stop_after:
            while shares and len(workers) < jobs:
                workers.append(Worker(cases, shares.pop(0)))
            wait([worker.connection for worker in workers], timeout=1.0)
            for worker in list(workers):
                if (rest := worker.look(found, hang)) is not None:
                    workers.remove(worker)
                    if rest:
                        shares.insert(0, rest)
            if not quiet and time.monotonic() - told > 10:
                told = time.monotonic()
                rate = found.cases / (told - began)
                print(f"{found.cases:,} of {len(seeds):,} cases, {rate:,.0f}/s, {len(found.broken)} broken", flush=True)
    finally:
        for worker in workers:
            worker.end()
    return found


def processor_seconds(process: int | None) -> float:
    """What a process has computed so far, in seconds; infinite where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return float("inf")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tell(line: str) -> None:
    print(line[:300], flush=True)


class Worker:
    """A process with a share of the cases; it goes on to the next share as long as it is asked."""

    def __init__(self, cases: str, seeds: range) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.at: Any = context.Value("q", -1, lock=False)
        self.cases, self.seeds = cases, seeds
        self.process = context.Process(target=work, args=(cases, seeds, theirs, self.at), daemon=True)
        self.process.start()
        theirs.close()
        self.last, self.since, self.computed = -1, time.monotonic(), 0.0

    def look(self, found: Found, hang: float) -> range | None:
        """What is left of the share when the process is done with it or for; None while it works."""
        try:
            if self.connection.poll():
                cases, checked, steps, kinds, outcomes, slowest, broken = self.connection.recv()
                found.cases += cases
                found.checked += checked
                found.steps += steps
                found.kinds.update(kinds)
                found.outcomes.update(outcomes)
                found.slowest = max(found.slowest, slowest)
                found.broken += broken
                for seed, why, _ in broken:
                    tell(f"{seed}: {why}")
                self.end()
                return range(0)
        except EOFError:
            self.process.join(5)
            if self.at.value < 0:
                raise RuntimeError(f"no case can be run: exit {self.process.exitcode} before the first") from None
            return self._lost(found, f"the process died (exit {self.process.exitcode})")
        now, at = time.monotonic(), self.at.value
        if at != self.last:
            self.last, self.since, self.computed = at, now, processor_seconds(self.process.pid)
        elif now - self.since > hang:
            # A case may wait for its turn where others use the machine; a hang computes, or waits for long.
            computed = processor_seconds(self.process.pid) - self.computed
            if computed > hang or now - self.since > PATIENCE * hang:
                return self._lost(found, f"no answer in {hang:g} s")
        return None

    def _lost(self, found: Found, why: str) -> range:
        at = self.at.value
        self.end()
        if at < 0:
            return self.seeds  # the machine was too busy to start it: nothing was found, nothing is done
        # What the process knew of the cases before went with it; they are run again, without this one.
        found.broken.append((at, why, []))
        tell(f"{at}: {why}")
        found.cases += 1
        done = self.seeds.index(at)
        before = self.seeds[:done]
        if before:
            again = Worker(self.cases, before)
            while again.look(found, 600) is None:
                time.sleep(0.05)
        return self.seeds[done + 1 :]

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def work(module: str, seeds: Iterable[int], connection: Connection, at: Any) -> None:
    made = importlib.import_module(module)
    kinds_of, run = made.KINDS, made.run
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # a panic is told by the exception that it becomes
    kinds: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    cases = checked = steps = 0
    slowest = (0.0, -1)
    broken = []
    for seed in seeds:
        at.value = seed
        began = time.monotonic()
        result = run(seed)
        slowest = max(slowest, (time.monotonic() - began, seed))
        cases += 1
        checked += result.steps > 0
        steps += result.steps
        kinds[kinds_of[seed % len(kinds_of)]] += result.steps > 0
        outcomes[result.outcome] += 1
        if result.broken:
            broken.append((seed, result.broken, result.log))
    connection.send((cases, checked, steps, kinds, outcomes, slowest, broken))
