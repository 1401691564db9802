"""Path of keys and indexes ↔ JSON Pointer (RFC 6901) → the value at the place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def escape(step: str | int) -> str:
    """A key or index as a token of a pointer; a lone surrogate is written as its escape, so that it can be printed."""
    token = str(step).encode("utf-8", "backslashreplace").decode()
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """The key that a token of a pointer stands for."""
    return token.replace("~1", "/").replace("~0", "~")


def to_pointer(path: Iterable[str | int]) -> str:
    """The pointer of a path.

    >>> to_pointer(("sizes", 0, "a/b"))
    '/sizes/0/a~1b'
    """
    return "".join("/" + escape(step) for step in path)


def to_steps(pointer: str) -> list[str]:
    """The keys and indexes of a pointer, all as texts.

    >>> to_steps("/sizes/0/a~1b")
    ['sizes', '0', 'a/b']
    """
    return [unescape(token) for token in pointer.split("/")[1:]]


def follow(value: Any, pointer: str) -> Any:
    """The value at a pointer; LookupError if there is none."""
    for step in to_steps(pointer):
        try:
            value = value[int(step)] if isinstance(value, (list, tuple)) and step.isdecimal() else value[step]
        except (LookupError, TypeError, ValueError):
            raise LookupError(f"nothing stands at {pointer}") from None
    return value


def find(value: Any, pointer: str) -> Any:
    """The value at a pointer; None if there is none."""
    try:
        return follow(value, pointer)
    except LookupError:
        return None
