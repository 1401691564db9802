"""Event → a line of `logging` at DEBUG, under `frisket`; nothing if the program never imported `logging`.

In that case nobody listens, and importing it would take longer than compiling a hundred schemas.
"""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

__all__ = ["debug", "first_line", "milliseconds"]


def debug(message: str, *values: object) -> None:
    """Log the message; the values replace its `%` only if somebody listens."""
    logging: Any = sys.modules.get("logging")
    # While another thread is importing the module, it has no functions yet.
    if logging is not None and hasattr(logging, "getLogger"):
        logging.getLogger("frisket").debug(message, *values)


def first_line(error: Exception) -> str:
    """The error and its place without the hint, since a line of a log is one line."""
    return str(error).partition("\n")[0]


def milliseconds(began: float) -> float:
    """The milliseconds since `began`, a time of `perf_counter`."""
    return (perf_counter() - began) * 1e3
