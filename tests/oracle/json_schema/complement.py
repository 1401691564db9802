"""Cases, goals, places → everything outside them, as cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.lint.resolve import Site
from tests.oracle.json_schema import annotated, array, clause, interval, object, string
from tests.oracle.json_schema.emptiness import DEPTH
from tests.oracle.json_schema.value import ANY, ANYTHING, ARRAY, NUMBER, OBJECT, STRING, WHOLE, Case, Goal, meet

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra
    from tests.oracle.json_schema.object import ObjectAtom

#: Cases of a goal that are few: a union of so many is held against another before either is negated.
FEW = 6


def of_place(algebra: Algebra, site: Site) -> list[Case]:
    """Everything outside what a place allows."""
    if site.union is not None:
        found = [WHOLE]
        for goal in site.union:
            found = without(algebra, found, goal)
        return found
    reading = algebra.reading_of(site)
    found = of_case(algebra, reading.case)
    for alternatives in reading.alternatives:
        found = algebra.sum([found, of_all(algebra, alternatives)])
    for kind, goals in reading.parts:
        found = algebra.sum([found, _part_negated(algebra, kind, goals)])
    if reading.is_unevaluated():
        extra: list[Case] = []
        for case, seen in annotated.base(algebra, reading):
            for rest in reading.unevaluated(algebra, seen):
                extra += algebra.product([case], of_case(algebra, rest))
        found = algebra.sum([found, extra])
    return found


def of_case(algebra: Algebra, case: Case) -> list[Case]:
    """Everything outside one case."""
    found = [Case(ANY & ~case.mask)] if case.mask != ANY else []
    found += [Case(NUMBER, numbers=(interval.negate(atom),)) for atom in case.numbers]
    for text in case.strings:
        found += [Case(STRING, strings=(other,)) for other in string.negate(text)]
    for items in case.arrays:
        found += [Case(ARRAY, arrays=others) for others in array.negate(algebra, items)]
    if algebra.splitting == "clauses":
        return found + [Case(OBJECT, objects=others) for others in clause.outside(algebra, case.objects)]
    # An object either lacks a required key or has them all: what overlaps less dies earlier in products.
    needed = tuple([key for members in case.objects if isinstance(members, object.Required) for key in members.keys])
    beside: tuple[ObjectAtom, ...] = (object.Required(needed, stated=False),) if needed else ()
    optional: dict[str, Goal] = {}
    others: list[ObjectAtom] = []
    for members in case.objects:
        if isinstance(members, object.Fields) and needed:
            asked, members = _parted(algebra, members, needed)
            for key, goal in asked.items():
                optional[key] = algebra.both(optional.get(key, ANYTHING), goal)
        others.append(members)
    # That a key is missing or has another value is one demand on that member, and no split.
    found += [Case(OBJECT, objects=(algebra.single(key, algebra.negated(goal)),)) for key, goal in optional.items()]
    for members in others:
        if isinstance(members, object.Required):
            members = object.Required(tuple(key for key in members.keys if key not in optional))
        for alternative in object.negate(algebra, members):
            broken = len(alternative) == 1 and isinstance(alternative[0], object.Breaks)
            found.append(Case(OBJECT, objects=(*beside, *alternative) if broken else alternative))
    return found


def of_all(algebra: Algebra, cases: list[Case]) -> list[Case]:
    """Everything outside all cases."""
    found = [WHOLE]
    for case in cases:
        found = algebra.product(found, of_case(algebra, case))
    return found


def without(algebra: Algebra, cases: list[Case], goal: Goal) -> list[Case]:
    """The cases without what meets the goal: only of the types in which a case shares some value with it."""
    if len(cases) == 1 and cases[0] is WHOLE:
        return algebra.expand(algebra.negated(goal))
    inside = _at_hand(algebra, goal)
    if inside is None:
        return algebra.product(cases, algebra.expand(algebra.negated(goal)))
    kept: list[Case] = []
    parted: list[Case] = []
    for case in cases:
        shared = 0
        for other in inside:
            both = meet(case, other)
            if both is not None and both.mask & ~shared:
                shared |= algebra.emptiness.types_left(both, DEPTH)
        if case.mask & ~shared:
            kept.append(case.among(~shared))
        if shared:
            parted.append(case.among(shared))
    if not parted:
        return kept
    parted = algebra.product(parted, algebra.expand(algebra.negated(goal)))
    return algebra.least(algebra.sum([kept, algebra.pruned(parted)])) if kept else parted


def _part_negated(algebra: Algebra, kind: str, goals: list[Goal]) -> list[Case]:
    if kind == "all":
        return algebra.sum(algebra.expand(algebra.negated(goal)) for goal in goals)
    if kind == "any":
        found = [WHOLE]
        for goal in goals:
            found = without(algebra, found, goal)
        return found
    if kind == "one":
        found = _part_negated(algebra, "any", goals)
        pairs = ((a, b) for i, a in enumerate(goals) for b in goals[i + 1 :])
        return algebra.sum(
            [found, *(algebra.pruned(algebra.product(algebra.expand(a), algebra.expand(b))) for a, b in pairs)]
        )
    if kind == "not":
        return algebra.expand(goals[0])
    condition, then, other = goals
    return algebra.sum(
        [
            algebra.product(algebra.expand(condition), algebra.expand(algebra.negated(then))),
            algebra.product(algebra.expand(algebra.negated(condition)), algebra.expand(algebra.negated(other))),
        ]
    )


def _parted(algebra: Algebra, fields: object.Fields, needed: tuple[str, ...]) -> tuple[dict[str, Goal], object.Fields]:
    """What fields ask of required keys, and what they ask of others."""
    if algebra.splitting != "apart" and fields.only() is None:
        return {}, fields
    return clause.parted(algebra, fields, [key for key in fields.names if key in needed])


def _at_hand(algebra: Algebra, goal: Goal) -> list[Case] | None:
    """The cases of a goal, if there are few and finding them takes no product (which may be larger than that of
    their complements)."""
    if len(goal) != 1 or -1 in goal:
        return None
    (literal,) = goal
    site = algebra.sites[literal >> 1]
    cases = site.negative if literal & 1 else site.positive
    if isinstance(cases, list):
        return cases if len(cases) <= FEW else None
    if cases is None and not literal & 1 and site.union is None:
        reading = algebra.reading_of(site)
        if not (reading.parts or reading.alternatives or reading.is_unevaluated()):
            return algebra.expand(goal)
    return None
