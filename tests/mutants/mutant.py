"""A small change to our own code, in whichever language, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Mutant:
    """`file` and `line` say where it is, `change` what becomes what; `made` is what the language's own module needs."""

    file: str
    line: int
    change: str
    made: Any = field(compare=False, repr=False)

    @property
    def key(self) -> str:
        """What it is known by: lines move, files and changes do not."""
        return f"{self.file}: {self.change}"


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant. An `unviable` one does not build."""

    mutant: Mutant
    outcome: Literal["killed", "survived", "unviable"]
