"""Entrance × hostile input → Case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One hostile input at one entrance."""

    entrance: str
    """The public call, as a user writes it."""
    name: str
    """What the input is."""
    prepare: Callable[[], Callable[[], Any]]
    """Makes the input, unmeasured; the result is the call that is measured."""
    is_quick: bool = False
    """Whether the case takes less than a second, and is therefore a test too."""

    @property
    def title(self) -> str:
        """Entrance and input, which no two cases share."""
        return f"{self.entrance}: {self.name}"


def given(
    entrance: str, name: str, call: Callable[[Any], Any], make: Callable[[], Any], *, quick: bool = False
) -> Case:
    """The case of a call of one argument, which `make` makes."""

    def prepare() -> Callable[[], Any]:
        argument = make()
        return lambda: call(argument)

    return Case(entrance, name, prepare, quick)
