"""The alternatives of oneOf → the cases that exactly one of them has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tests.oracle.json_schema import complement, interval, object, string
from tests.oracle.json_schema.value import ARRAY, FALSE, NULL, NUMBER, OBJECT, STRING, TRUE, WHOLE, Case, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra


def discriminated(algebra: Algebra, context: list[Case], goals: list[Goal]) -> bool:
    """Whether some required member has different constants in all alternatives: no pair need be compared."""
    if len(goals) < 3 or len(context) != 1:
        return False
    around = object.Shape(context[0].objects).required
    common: dict[str, frozenset[str]] | None = None
    for goal in goals:
        cases = algebra.expand(goal)
        if len(cases) != 1 or cases[0].mask & context[0].mask != OBJECT:
            return False
        shape = object.Shape(cases[0].objects)
        keys = {**shape.required, **around} if common is None else common
        found: dict[str, frozenset[str]] = {}
        for key in keys:
            if key not in shape.required and key not in around:
                continue
            texts = _constants_of(algebra, shape.at(algebra, key))
            if texts is not None and (common is None or not (common[key] & texts)):
                found[key] = texts if common is None else common[key] | texts
        if not found:
            return False
        common = found
    return True


def _constants_of(algebra: Algebra, goal: Goal) -> frozenset[str] | None:
    """The strings that a goal lists, if it is a list of strings."""
    if len(goal) != 1 or -1 in goal:
        return None
    cases = algebra.looked_into(goal)
    if cases is None or len(cases) != 1 or cases[0].mask != STRING:
        return None
    for atom in cases[0].strings:
        if isinstance(atom, string.Among) and atom.positive:
            return atom.values
    return None


def each_exactly(algebra: Algebra, context: list[Case], goals: list[Goal]) -> Iterator[list[Case]]:
    """The alternatives of oneOf: lists of values that have none in common need not be compared with each other."""
    listed = [_values_of(algebra.expand(goal)) for goal in goals]
    counts = Counter(value for values in listed if values is not None for value in values)
    alone = [values is not None and all(counts[value] == 1 for value in values) for values in listed]
    others = [goal for goal, is_alone in zip(goals, alone, strict=True) if not is_alone]
    for chosen, goal in enumerate(goals):
        beside = others if alone[chosen] else [*goals[:chosen], *goals[chosen + 1 :]]
        yield _exactly(algebra, context, goal, beside)


def _values_of(cases: list[Case]) -> list[Any] | None:
    """More than what meets the cases, if they list it: constants by type."""
    found: list[Any] = []
    for case in cases:
        if case.mask & (ARRAY | OBJECT):
            return None
        found += [bit for bit in (NULL, FALSE, TRUE) if case.mask & bit]
        if case.mask & STRING:
            texts = [atom for atom in case.strings if isinstance(atom, string.Among) and atom.positive]
            if not texts:
                return None
            found += [("text", value) for value in texts[0].values]
        if case.mask & NUMBER:
            numbers = [atom for atom in case.numbers if isinstance(atom, interval.Among) and atom.positive]
            if not numbers:
                return None
            found += [("number", value) for value in numbers[0].values]
    return list(dict.fromkeys(found))


def _exactly(algebra: Algebra, context: list[Case], chosen: Goal, others: list[Goal]) -> list[Case]:
    """The cases of `context` and one alternative that no other alternative shares.

    What is demanded beside oneOf often tells the alternatives apart (a discriminator that is required only there).
    """
    found = algebra.product(context, algebra.expand(chosen))
    if not context:
        return []
    if len(context) > 1 or context[0] is not WHOLE:
        found = algebra.pruned(found)
    for goal in others:
        if not algebra.emptiness.are_apart(found, algebra.expand(goal)):
            found = algebra.least(algebra.pruned(complement.without(algebra, found, goal)))
    return found
