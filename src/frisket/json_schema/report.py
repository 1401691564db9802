"""Schema → which keywords are enforced, and what could slip through where one is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One keyword at one place.

    `status` is `enforced`; `loosened`: `slips` says what comes through; `narrowed`: which valid values are left out.
    """

    pointer: str
    keyword: str
    status: str
    slips: str = ""


@dataclass
class Report:
    """What became of every keyword that the compiler met; `exact` if nothing was loosened.

    Entries are made when somebody asks: a compile pays nothing for them.
    """

    loosened: list[Entry] = field(default_factory=list)
    narrowed: list[Entry] = field(default_factory=list)
    #: What a reader should know of the language as a whole.
    notes: list[str] = field(default_factory=list)
    source: Callable[[], Iterator[tuple[str, str]]] | None = None

    @property
    def exact(self) -> bool:
        return not self.loosened

    @property
    def entries(self) -> list[Entry]:
        """Every entry, by pointer."""
        slipping = {(entry.pointer, entry.keyword) for entry in [*self.loosened, *self.narrowed]}
        found = dict.fromkeys(self.source() if self.source is not None else ())
        enforced = [
            Entry(pointer, keyword, "enforced") for pointer, keyword in found if (pointer, keyword) not in slipping
        ]
        return sorted([*enforced, *self.loosened, *self.narrowed], key=lambda entry: (entry.pointer, entry.keyword))

    def beside(self, entries: Iterable[Entry]) -> Report:
        """This report and what else is known of the same places."""
        found = list(entries)
        return replace(
            self,
            loosened=[*self.loosened, *(entry for entry in found if entry.status == "loosened")],
            narrowed=[*self.narrowed, *(entry for entry in found if entry.status == "narrowed")],
        )

    def to_json(self) -> dict[str, Any]:
        """The report for a program."""
        return {
            "exact": self.exact and not self.narrowed,
            **({"notes": self.notes} if self.notes else {}),
            "entries": [
                {
                    "pointer": e.pointer,
                    "keyword": e.keyword,
                    "status": e.status,
                    **({"slips": e.slips} if e.slips else {}),
                }
                for e in self.entries
            ],
        }

    def __str__(self) -> str:
        marks = {"enforced": "ok ", "loosened": "NOT", "narrowed": "<  "}
        return "\n".join(
            f"{marks[entry.status]}  {entry.pointer or '(root)'}  {entry.keyword}"
            + (f": {entry.slips}" if entry.slips else "")
            for entry in self.entries
        )
