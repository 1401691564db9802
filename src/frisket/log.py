"""Event → a line of `logging` at DEBUG, under `frisket`; advice → a UserWarning at a line of the caller's program.

If the program never imported `logging`, nobody listens, and importing it would take longer than compiling a hundred
schemas.
"""

from __future__ import annotations

import sys
import warnings
from time import perf_counter
from typing import Any

__all__ = ["debug", "first_line", "milliseconds", "warn"]


def debug(message: str, *values: object) -> None:
    """Log the message; the values replace its `%` only if somebody listens."""
    logging: Any = sys.modules.get("logging")
    # While another thread is importing the module, it has no functions yet.
    if logging is not None and hasattr(logging, "getLogger"):
        logging.getLogger("frisket").debug(message, *values)


def warn(message: str) -> None:
    """Warn at the line of the program that called frisket, since no line of frisket itself can be mended there."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "frisket":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def first_line(error: Exception) -> str:
    """The error and its place without the hint, since a line of a log is one line."""
    return str(error).partition("\n")[0]


def milliseconds(began: float) -> float:
    """The milliseconds since `began`, a time of `perf_counter`."""
    return (perf_counter() - began) * 1e3
