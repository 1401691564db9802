"""A place that asks what no other keyword looked at → cases that evaluate one thing each, with that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frisket.lint.resolve import Site
from tests.oracle.json_schema.reading import Evaluated, Reading
from tests.oracle.json_schema.value import WHOLE, Case, Goal, meet

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra

Annotated = list[tuple[Case, Evaluated]]


def annotated(algebra: Algebra, site: Site) -> Annotated:
    """Cases that do not overlap in what they evaluate, each with the members and items it evaluates."""
    reading = algebra.reading_of(site)
    found: Annotated = []
    for case, seen in algebra.once(site, lambda: base(algebra, reading)):
        cases = [case]
        for rest in reading.unevaluated(algebra, seen):
            cases = algebra.product(cases, [rest])
        after = reading.all_evaluated(seen)
        found += [(narrowed, after) for narrowed in cases]
    return found


def base(algebra: Algebra, reading: Reading) -> Annotated:
    own, seen = algebra.own([WHOLE], reading), reading.evaluated()
    found: Annotated = [(case, seen) for case in own]
    for kind, goals in reading.parts:
        found = _weave(algebra, found, _part(algebra, kind, goals))
    return found


def _part(algebra: Algebra, kind: str, goals: list[Goal]) -> Annotated:
    nothing = Evaluated()
    start: Annotated = [(WHOLE, nothing)]
    if kind == "all":
        for goal in goals:
            start = _weave(algebra, start, _goal(algebra, goal))
        return start
    if kind == "not":
        return [(case, nothing) for case in algebra.part(kind, goals)]
    branches = [_goal(algebra, goal) for goal in goals]
    if all(seen == nothing for branch in branches for _, seen in branch):
        return [(case, nothing) for case in algebra.part(kind, goals)]
    if kind == "any":
        failed = start
        found: Annotated = []
        # `found` holds what met some branch so far; later branches still may add what they evaluate.
        for goal, branch in zip(goals, branches, strict=True):
            missed: Annotated = [(case, nothing) for case in algebra.expand(algebra.negated(goal))]
            found = _weave(algebra, found, branch + missed) + _weave(algebra, failed, branch)
            failed = _weave(algebra, failed, missed)
        return found
    if kind == "one":
        found = []
        for i, branch in enumerate(branches):
            others: Annotated = [(WHOLE, nothing)]
            for j, goal in enumerate(goals):
                if i != j:
                    others = _weave(
                        algebra, others, [(case, nothing) for case in algebra.expand(algebra.negated(goal))]
                    )
            found += _weave(algebra, branch, others)
        return found
    condition, then, other = branches
    missed = [(case, nothing) for case in algebra.expand(algebra.negated(goals[0]))]
    return _weave(algebra, condition, then) + _weave(algebra, missed, other)


def _goal(algebra: Algebra, goal: Goal) -> Annotated:
    if len(goal) == 1:
        (literal,) = goal
        if literal >= 0 and not literal & 1:
            site = algebra.sites[literal >> 1]
            if site.union is None:
                return annotated(algebra, site)
    return [(case, Evaluated()) for case in algebra.expand(goal)]


def _weave(algebra: Algebra, left: Annotated, right: Annotated) -> Annotated:
    found: dict[tuple[Any, ...], tuple[Case, Evaluated]] = {}
    for case, seen in left:
        for other, also in right:
            both = meet(case, other)
            if both is not None and not algebra.emptiness.case_is_void(both, 1):
                union = seen.union(also)
                found.setdefault((both.key(), union), (both, union))
    algebra.spend(len(found))
    return list(found.values())
