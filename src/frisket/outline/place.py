"""Names of parts and a path in a value → the place of a text, and how it is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

Path: TypeAlias = tuple[str | int, ...]


class Place(NamedTuple):
    """Where a text stands.

    >>> str(Place(("get_weather",), ("days", 0))), str(Place((), ("a/b",)))
    ('get_weather/days/0', '/a~1b')
    """

    names: tuple[str, ...]
    """Those of the parts around it, outermost first."""
    value: Path
    """The keys and indexes that lead to what is being written, in the JSON value that these parts hold."""

    def __str__(self) -> str:
        """The names with / between, then the JSON Pointer; without names the pointer alone."""
        return named(self.names) + pointer(self.value)


def named(names: tuple[str, ...]) -> str:
    """Names with / between; what a JSON Pointer escapes is escaped in them, too."""
    return pointer(names)[1:]


def pointer(path: Sequence[str | int]) -> str:
    """The JSON Pointer (RFC 6901) of a path.

    >>> pointer(("sizes", 0, "a/b"))
    '/sizes/0/a~1b'
    """
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
