"""Function × jobs → results, in two processes: each trains with one thread."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

R = TypeVar("R")
WORKERS = 2


def run_each(function: Callable[..., R], jobs: Sequence[tuple[Any, ...]], workers: int = WORKERS) -> list[R]:
    """The results, in the order of the jobs; with one worker, in this process."""
    if workers == 1:
        return [function(*job) for job in jobs]
    # Spawned: a process that is forked inherits the locks of threads that are not there.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(function, *zip(*jobs, strict=True)))
