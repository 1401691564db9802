"""Names of parts and a path in a value → the place of a text, and its written form."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from frisket.json_pointer import to_pointer

Path: TypeAlias = tuple[str | int, ...]


class Place(NamedTuple):
    """The place of a text.

    >>> str(Place(("get_weather",), ("days", 0))), str(Place((), ("a/b",)))
    ('get_weather/days/0', '/a~1b')
    """

    names: tuple[str, ...]
    """The names of the parts around it, outermost first."""
    value: Path
    """The keys and indexes that lead to the text's end inside the JSON value of these parts."""

    def __str__(self) -> str:
        """The names joined with /, and then the JSON Pointer; without names only the pointer."""
        return named(self.names) + to_pointer(self.value)


def named(names: tuple[str, ...]) -> str:
    """Names joined with /, escaped as in a JSON Pointer."""
    return to_pointer(names)[1:]
