"""Environment variables → their values, or an error that names the variable, its value and what it may be."""

from __future__ import annotations

import os

from frisket.errors import FrisketError


def is_on(variable: str, *, default: bool) -> bool:
    """Whether a variable is `1`; the default where it is not set or empty. FrisketError for other values than 0 and 1.

    >>> is_on("EXAMPLE", default=True)
    True
    """
    value = os.environ.get(variable, "").strip()
    if value not in ("", "0", "1"):
        raise not_allowed(variable, value, "0 or 1")
    return value == "1" if value else default


def not_allowed(variable: str, value: str, allowed: str) -> FrisketError:
    """The error for a variable's value."""
    return FrisketError(
        f"{variable} is {allowed}, not {value!r}", where=variable, hint=f"unset {variable}, or set it to {allowed}",
        code="environment",
    )  # fmt: skip
