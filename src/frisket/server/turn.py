"""Slow calls of many clients → results, computed in a few threads that clients share fairly."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Callable
from functools import cached_property
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, Event, to_thread

from frisket.server.failure import Failure
from frisket.server.share import Share
from frisket.server.usage import Usage

P = ParamSpec("P")
T = TypeVar("T")

#: Calls that run at the same time. A thread's heap keeps freed memory: 2,500 grammars left 427 MB in 40 threads, which
#: is Starlette's number, and 125 MB in 4. With more threads than cores, an easy schema can overtake a hostile one.
THREADS = max(4, (os.cpu_count() or 1) + 2)
#: Most threads of one client.
EACH = THREADS // 2


class Turns:
    """A queue of calls; the client with the least recent CPU time comes next.

    At most `most` calls may wait or run. Only the event loop's thread changes the state.
    """

    def __init__(self, most: int) -> None:
        self._places = Share(most)
        self._waiting: dict[str, deque[Event]] = {}
        self._running = Counter[str]()
        self._usage = Usage()

    @cached_property
    def _threads(self) -> CapacityLimiter:
        return CapacityLimiter(THREADS)  # belongs to the event loop that first asks for it

    async def run(self, client: str, function: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
        """The result of a call, computed in a thread; a Failure (429) if too many calls wait."""
        seconds = 0.0

        def timed() -> T:
            nonlocal seconds
            began = time.thread_time()
            try:
                return function(*arguments, **more)
            finally:
                seconds = time.thread_time() - began

        if not self._places.take(client):
            raise Failure(429, "too many requests wait", code="queue-full", hint="try again later")
        try:
            await self._begin(client)
            try:
                return await to_thread.run_sync(timed, limiter=self._threads)
            finally:
                self._usage.add(client, seconds)
                self._end(client)
        finally:
            self._places.give_back(client)

    async def _begin(self, client: str) -> None:
        """Wait for the client's turn."""
        turn = Event()
        self._waiting.setdefault(client, deque()).append(turn)
        self._begin_next()
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():
                self._end(client)
            else:
                self._waiting[client].remove(turn)
            raise

    def _end(self, client: str) -> None:
        self._running[client] -= 1
        self._running += Counter()  # forget clients that run nothing
        self._begin_next()

    def _begin_next(self) -> None:
        """Begin waiting calls while threads are free."""
        self._waiting = {client: row for client, row in self._waiting.items() if row}
        while found := [client for client in self._waiting if self._may_run(client)]:
            client = min(found, key=self._usage.of)
            row = self._waiting[client]
            row.popleft().set()
            self._running[client] += 1
            if not row:
                del self._waiting[client]

    def _may_run(self, client: str) -> bool:
        running = self._running
        return (
            running.total() < THREADS
            and running[client] < EACH
            and self._usage.may_run(client, running.elements(), THREADS)
        )
