"""One place of a schema → what it says, once it was read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.oracle.json_schema import array, object
from tests.oracle.json_schema.value import ANY, ANYTHING, WHOLE, Case, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Which members and items some keywords looked at (for unevaluatedProperties and unevaluatedItems)."""

    names: frozenset[str] = frozenset()
    patterns: frozenset[int] = frozenset()
    all_members: bool = False
    prefix: int = 0
    all_items: bool = False
    contained: frozenset[Goal] = frozenset()

    def union(self, other: Evaluated) -> Evaluated:
        if self == NOTHING_EVALUATED:
            return other
        if other == NOTHING_EVALUATED:
            return self
        return Evaluated(
            self.names | other.names,
            self.patterns | other.patterns,
            self.all_members or other.all_members,
            max(self.prefix, other.prefix),
            self.all_items or other.all_items,
            self.contained | other.contained,
        )


NOTHING_EVALUATED = Evaluated()


class Reading:
    """What one place says."""

    __slots__ = (
        "alternatives",
        "case",
        "keywords",
        "looks",
        "parts",
        "unevaluated_items",
        "unevaluated_properties",
    )

    def __init__(self) -> None:
        self.case = WHOLE
        #: Unions of cases that must also hold (enum and const of arrays and objects).
        self.alternatives: list[list[Case]] = []
        #: In-place applicators in document order: (all | any | one | not | if, goals).
        self.parts: list[tuple[str, list[Goal]]] = []
        #: What its own keywords look at; worked out where something unevaluated is asked for, which is rare.
        self.looks: list[Callable[[], Evaluated]] = []
        self.unevaluated_properties: Goal | None = None
        self.unevaluated_items: Goal | None = None
        self.keywords: list[str] = []

    def is_unevaluated(self) -> bool:
        """Whether it asks what the others did not look at."""
        return self.unevaluated_properties is not None or self.unevaluated_items is not None

    def evaluated(self) -> Evaluated:
        found = NOTHING_EVALUATED
        for look in self.looks:
            found = found.union(look())
        return found

    def unevaluated(self, algebra: Algebra, seen: Evaluated) -> list[Case]:
        """What unevaluated* ask of the members and items that were not seen."""
        found: list[Case] = []
        goal = self.unevaluated_properties
        if goal is not None and not seen.all_members and goal:
            names = dict.fromkeys(sorted(seen.names), ANYTHING)
            patterns = tuple((pattern, ANYTHING) for pattern in sorted(seen.patterns))
            found.append(Case(ANY, objects=(object.Fields(names, patterns, goal),)))
        goal = self.unevaluated_items
        if goal is not None and not seen.all_items and goal:
            rest = algebra.either([goal, *sorted(seen.contained, key=sorted)]) if seen.contained else goal
            found.append(Case(ANY, arrays=(array.Items((ANYTHING,) * seen.prefix, rest),)))
        return found

    def all_evaluated(self, seen: Evaluated) -> Evaluated:
        members = self.unevaluated_properties is not None
        items = self.unevaluated_items is not None
        if not members and not items:
            return seen
        return seen.union(Evaluated(all_members=members, all_items=items))
