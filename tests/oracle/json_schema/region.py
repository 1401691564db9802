"""Keys without a name → regions in which every key meets the same demands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.errors import LimitExceededError
from tests.oracle.json_schema.key import key_texts
from tests.oracle.json_schema.object import Fields, Shape
from tests.oracle.json_schema.value import ANYTHING, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra

#: Regions that overlapping key patterns may cut the keys into.
REGIONS = 128


def regions(algebra: Algebra, shape: Shape, *, closed: bool = False) -> list[tuple[int, Goal, tuple[Goal, ...]]]:
    """The keys without a name, cut so that in each region the demands are the same: (keys, goal, what breaks admit).

    If `closed`, those that some pattern covers.
    """
    b = algebra.builder
    if not shape.patterned:
        if closed:
            return []
        goal = ANYTHING
        for fields in shape.fields:
            goal = algebra.both(goal, fields.rest)
        if -1 in goal:
            return []
        keys = b.any_text() if not shape.names else key_texts(algebra, shape.names)
        return [] if keys is None else [(keys, goal, tuple(fields.rest for fields in shape.marked()))]
    alike = same_demands(algebra, shape)
    nodes = dict.fromkeys(alike.values())
    everything = b.any_text()
    allowed = key_texts(algebra, shape.names) if shape.names else everything
    if allowed is None:
        return []
    cut: list[tuple[list[int], frozenset[int]]] = [([allowed], frozenset())]
    for node in nodes:
        complement = b.not_(node)
        split: list[tuple[list[int], frozenset[int]]] = []
        for conditions, inside in cut:
            for extra, now in ((node, inside | {node}), (complement, inside)):
                if not algebra.emptiness.no_key_is_in([*conditions, extra], len(now)):
                    split.append(([*conditions, extra], now))
        cut = split
        if len(cut) > REGIONS:
            raise LimitExceededError(f"key patterns overlap in more than {REGIONS} ways", where=algebra.where())
    if closed:
        covered = {alike[pattern] for fields in shape.fields for pattern, _ in fields.patterns}
        cut = [(conditions, inside) for conditions, inside in cut if inside & covered]
    merged: dict[tuple[Goal, tuple[Goal, ...]], list[int]] = {}
    for conditions, inside in cut:
        goal = ANYTHING
        for fields in shape.fields:
            goal |= within(fields, inside, alike)
        if -1 in goal:
            continue
        broken = tuple(within(fields, inside, alike) for fields in shape.marked())
        trimmed = [node for node in conditions if node != everything]
        if allowed == everything and not inside:
            trimmed.insert(0, everything)
        keys = b.and_(trimmed) if trimmed else everything
        merged.setdefault((goal, broken), []).append(keys)
    if not closed and len(merged) == 1 and len(next(iter(merged.values()))) == len(cut):
        return [(allowed, goal, broken) for goal, broken in merged]
    return [(b.alt(keys), goal, broken) for (goal, broken), keys in merged.items()]


def same_demands(algebra: Algebra, shape: Shape) -> dict[int, int]:
    """For each key pattern the node that stands for it: patterns that ask the same of their members are one."""
    demands: dict[int, list[tuple[int, Goal]]] = {}
    for place, fields in enumerate((*shape.fields, *shape.marked())):
        for pattern, demand in fields.patterns:
            demands.setdefault(pattern, []).append((place, demand))
    groups: dict[tuple[tuple[int, Goal], ...], list[int]] = {}
    for pattern, asked in demands.items():
        groups.setdefault(tuple(asked), []).append(pattern)
    joined = {asked: algebra.builder.alt(patterns) for asked, patterns in groups.items()}
    return {pattern: joined[asked] for asked, patterns in groups.items() for pattern in patterns}


def within(fields: Fields, inside: frozenset[int], alike: dict[int, int]) -> Goal:
    """What fields demand of a key without a name that is in just these patterns."""
    matching = [demand for pattern, demand in fields.patterns if alike[pattern] in inside]
    return ANYTHING.union(*matching) if matching else fields.rest
