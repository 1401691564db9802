"""Event → a line of `logging` at DEBUG, under `frisket`; nothing where the program never imported `logging`.

Nobody listens there, and to import it costs more than to compile a hundred schemas.
"""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

__all__ = ["debug", "first_line", "milliseconds"]


def debug(message: str, *values: object) -> None:
    """Log the message; `%` puts the values in, only if somebody listens."""
    logging: Any = sys.modules.get("logging")
    # A module that another thread imports at this moment has no functions yet.
    if logging is not None and hasattr(logging, "getLogger"):
        logging.getLogger("frisket").debug(message, *values)


def first_line(error: Exception) -> str:
    """What went wrong and where, without the hint: a line of a log is one line."""
    return str(error).partition("\n")[0]


def milliseconds(began: float) -> float:
    """The milliseconds since `began`, a time of `perf_counter`."""
    return (perf_counter() - began) * 1e3
