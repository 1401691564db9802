"""A call that recursed too deep → the same call where there is room, or LimitExceededError."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from frisket.errors import LimitExceededError

T = TypeVar("T")

#: Schemas within schemas. Beyond, no model writes the document anyway.
LEVELS = 1000
#: Calls within calls: each level takes about ten.
CALLS = 16_000
#: Bytes of stack, where a call in C takes some hundreds. Only what is touched is ever taken.
STACK = 128 << 20

_raised = threading.Lock()


def call(work: Callable[..., T], *arguments: Any) -> T:
    """What `work` returns; if it recurses too deep, it runs a second time, in a thread with a large stack.

    The recursion limit belongs to the interpreter, not to a thread, so it is raised for the second run only.
    """
    try:
        return work(*arguments)
    except RecursionError:
        pass
    return _with_room(work, arguments)


def _with_room(work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work(*arguments))
        except BaseException as error:
            failure.append(error)

    with _raised:
        limit, stack = sys.getrecursionlimit(), threading.stack_size(STACK)
        try:
            sys.setrecursionlimit(max(limit, CALLS))
            thread = threading.Thread(target=run, name="frisket: a deep schema", daemon=True)
            thread.start()
            thread.join()
        except RuntimeError as error:  # no memory for such a stack
            failure.append(error)
        finally:
            threading.stack_size(stack)
            sys.setrecursionlimit(limit)
    if outcome:
        return outcome[0]
    if isinstance(failure[0], (RecursionError, RuntimeError)):
        raise too_deep() from None
    # Its traceback has thousands of lines that say the same.
    raise failure[0].with_traceback(None)


def too_deep(where: str | None = None) -> LimitExceededError:
    return LimitExceededError(
        f"the schema nests too deep: {LEVELS:,} levels of schemas are the limit",
        where=where,
        hint="name inner schemas in $defs and refer to them",
    )
