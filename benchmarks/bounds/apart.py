"""A function → its answer from a process of its own, with its seconds and its memory, killed at a limit."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any


@dataclass(frozen=True)
class Outcome:
    value: Any = None
    error: str = ""
    """Type and message of what the function raised, or how its process ended."""
    seconds: float = 0.0
    peak_megabytes: float = 0.0
    killed: bool = False


def run(function: Callable[..., Any], *arguments: Any, seconds: float = 60.0, megabytes: int = 8192) -> Outcome:
    """`function` must be importable by name; its process starts from nothing."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(function, arguments, theirs), daemon=True)
    process.start()
    theirs.close()
    began, peak = time.monotonic(), 0.0
    try:
        while not ours.poll(0.05):
            passed = time.monotonic() - began
            peak = max(peak, resident(process.pid))
            if passed > seconds:
                return Outcome(error=f"killed after {seconds:g} s", seconds=passed, peak_megabytes=peak, killed=True)
            if peak > megabytes:
                return Outcome(error=f"killed at {peak:,.0f} MB", seconds=passed, peak_megabytes=peak, killed=True)
        outcome: Outcome = ours.recv()
        return outcome
    except EOFError:
        process.join(5)
        passed = time.monotonic() - began
        return Outcome(
            error=f"the process died (exit {process.exitcode})", seconds=passed, peak_megabytes=peak, killed=True
        )
    finally:
        process.kill()
        process.join()


def resident(process: int | None = None) -> float:
    """MB of a process in memory now (0 where the system does not say)."""
    with suppress(OSError), open(f"/proc/{process or os.getpid()}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


def threads(seconds: float = 0.5) -> int:
    """Native threads of this process that stay: the fewest at any moment of so many seconds."""
    fewest = sys.maxsize
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with suppress(OSError):
            fewest = min(fewest, len(os.listdir("/proc/self/task")))
        time.sleep(0.01)
    return fewest if fewest < sys.maxsize else 0


def trim() -> None:
    """Collect garbage and give freed memory back to the system, where its allocator can be asked to."""
    import ctypes
    import gc

    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _serve(function: Callable[..., Any], arguments: tuple[Any, ...], connection: Connection) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if "FRISKET_BENCH_VERBOSE" not in os.environ:
        os.dup2(1, 2)
    began = time.monotonic()
    value, error = None, ""
    try:
        value = function(*arguments)
    except BaseException as raised:  # a panic of the extension is no Exception
        error = f"{type(raised).__name__}: {raised}"[:300]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    connection.send(Outcome(value, error, time.monotonic() - began, peak))
