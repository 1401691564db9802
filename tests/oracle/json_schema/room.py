"""Calls within calls → room for them: a recursion goes on in another thread's stack, or ends in LimitExceededError."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from frisket.errors import LimitExceededError

T = TypeVar("T")

#: Schemas within schemas. Beyond, no model writes the document anyway.
LEVELS = 1000
#: Levels in one thread: each is some seven calls, and Python has a thousand for a thread. Raising that limit is no way
#: out: it belongs to all threads, and lowering it again under one that is deep ends the process.
HOP = 64


def call(work: Callable[..., T], *arguments: Any) -> T:
    """What `work` returns; LimitExceededError if it recurses too deep."""
    try:
        return work(*arguments)
    except RecursionError:
        raise too_deep() from None


def elsewhere(work: Callable[..., T], *arguments: Any) -> T:
    """What `work` returns or raises, run in a thread of its own, which has its own depth."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work(*arguments))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, name="frisket: deeper levels of a schema", daemon=True)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


def too_deep(where: str | None = None) -> LimitExceededError:
    return LimitExceededError(
        f"the schema nests too deep: {LEVELS:,} levels of schemas are the limit",
        where=where,
        hint="name inner schemas in $defs and refer to them",
    )
