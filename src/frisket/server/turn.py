"""Calls of many clients that take long → results, made in few threads beside the loop, a fair part of them for each."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property, partial
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

from frisket.server.failure import Failure
from frisket.server.share import Share

P = ParamSpec("P")
T = TypeVar("T")

#: Calls that run at a time. A thread's heap keeps what it freed: 2,500 grammars left 427 MB in 40 threads, as many as
#: Starlette gives, and 125 MB in 4. More threads than cores let an easy schema pass a hostile one.
THREADS = max(4, (os.cpu_count() or 1) + 2)
#: Of those, how many are one client's.
EACH = THREADS // 2


class Turns:
    """The calls of each client wait in a row of their own; `most` calls may wait in all rows together."""

    def __init__(self, most: int) -> None:
        self._places = Share(most)
        self._rows: dict[str, CapacityLimiter] = {}

    @cached_property
    def _threads(self) -> CapacityLimiter:
        return CapacityLimiter(THREADS)  # belongs to the loop that asks for it first

    async def run(self, client: str, function: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
        """The result of a call, made in a thread; a Failure (429) where too many calls wait."""
        if not self._places.take(client):
            raise Failure(429, "too many requests wait", code="queue-full", hint="try again later")
        try:
            async with self._rows.setdefault(client, CapacityLimiter(EACH)):
                return await to_thread.run_sync(partial(function, *arguments, **more), limiter=self._threads)
        finally:
            self._places.give_back(client)
            if not self._places.held(client):
                del self._rows[client]
