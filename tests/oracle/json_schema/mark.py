"""Values of members × demands that some member breaks → marks on the values, and what is left to ask of the marks.

A value carries a mark for each demand that it breaks. What every object meets, and what none can, is decided here; the
rest is for the engine to count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.errors import LimitExceededError
from tests.oracle.json_schema.object import Shape
from tests.oracle.json_schema.value import NOTHING, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.lower import Lowering

#: Ways to break some of the demands on one member and meet the others.
WAYS = 256

#: [(value node, marks)]
Values = list[tuple[int, int]]
#: (premises, conclusions): with all marks of the first comes one of the second.
MarkClause = tuple[int, int]


def clauses_of(shape: Shape) -> list[MarkClause]:
    """The demands of a shape by the numbers of their marks."""
    bits = {fields: 1 << number for number, fields in enumerate(shape.marked())}
    found = [(0, bits[fields]) for fields in shape.breaks]
    for clause in shape.clauses:
        premises = sum([bits[fields] for fields in dict.fromkeys(clause.premises)])
        found.append((premises, sum([bits[fields] for fields in dict.fromkeys(clause.conclusions)])))
    return found


def simplified(needed: list[Values], optional: list[Values], clauses: list[MarkClause]) -> list[MarkClause] | None:
    """What is left to ask of the marks, or None if no object meets it; values that none can have are taken out.

    `needed` are the values of each required member. Marks that no clause is left to ask for are taken off.
    """
    members = needed + optional
    while True:
        reached = sure = 0
        for values in members:
            for _, marks in values:
                reached |= marks
        for values in needed:
            common = reached
            for _, marks in values:
                common &= marks
            sure |= common
        left = dict.fromkeys(
            (premises & ~sure, conclusions & reached)
            for premises, conclusions in clauses
            if not premises & ~reached and not conclusions & sure
        )
        banned = 0
        for premises, conclusions in left:
            if not conclusions:
                if not premises:
                    return None
                if premises.bit_count() == 1:
                    banned |= premises
        clauses = list(left)
        if not banned:
            break
        for values in members:
            values[:] = [(node, marks) for node, marks in values if not marks & banned]
        if not all(needed):
            return None
    kept = 0
    for premises, conclusions in clauses:
        kept |= premises | conclusions
    for values in members:
        values[:] = [(node, marks & kept) for node, marks in values]
    return clauses


def with_marks(lowering: Lowering, goal: Goal, admitted: tuple[Goal, ...], exact: int) -> Values:
    """(value node, which of the demands it breaks): a value that breaks several at once carries all their marks.

    A value that breaks a demand may lack its mark, unless the mark is among `exact`.
    """
    if -1 in goal:
        return []
    key = goal, admitted, exact, lowering.depth
    found = lowering.marked.get(key)
    if found is None:
        found = lowering.marked[key] = _marked(lowering, goal, admitted, exact)
    return found.copy()


def _marked(lowering: Lowering, goal: Goal, admitted: tuple[Goal, ...], exact: int) -> Values:
    algebra = lowering.algebra
    is_void = algebra.emptiness.is_void
    free = 0
    open_demands: dict[Goal, int] = {}
    for i, admits in enumerate(admitted):
        outside = algebra.negated(admits)
        if outside == NOTHING or is_void(goal | outside):
            continue
        if not outside or is_void(goal | admits):
            free |= 1 << i
        else:
            open_demands[outside] = open_demands.get(outside, 0) | 1 << i
    ways = [(goal, free)]
    for outside, several in open_demands.items():
        breaking = [(demand | outside, marks | several) for demand, marks in ways]
        if several & exact:
            inside = algebra.negated(outside)
            ways = [(demand | inside, marks) for demand, marks in ways]
        # What one demand leaves of the goal is known not to be empty.
        ways = ways + breaking if len(ways) == 1 else [way for way in ways + breaking if not is_void(way[0])]
        if len(ways) > WAYS:
            raise LimitExceededError(
                f"{len(open_demands)} demands on one member at once",
                where=lowering.where(),
                hint="give the alternatives of oneOf and anyOf a required property with different constants",
            )
    found: dict[tuple[int, int], int] = {}
    for demand, marks in ways:
        node = lowering.lower(demand)
        if node is not None:
            found[node, marks & exact] = found.get((node, marks & exact), 0) | marks
    return [(node, marks) for (node, _), marks in found.items()]
