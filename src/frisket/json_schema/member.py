"""Conditions on an object → one node: its members, each with its values, and the keys without a name.

A demand that *some* member breaks is a mark on the values that break it; the node counts the marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.errors import LimitExceededError
from frisket.json_schema.object import ObjectAtom, Shape
from frisket.json_schema.order import orders
from frisket.json_schema.quoted import spelled
from frisket.json_schema.region import regions
from frisket.json_schema.value import NOTHING, Goal

if TYPE_CHECKING:
    from frisket.json_schema.lower import Lowering

#: Demands of the kind "some member …" that one member may meet in all combinations.
DEMANDS = 8
#: Demands of that kind that one object may carry, beyond those that its required members meet anyway.
MARKS = 10

#: What a document may say of itself, and say first, even where its schema does not name it.
ABOUT_ITSELF = ("$schema", "$id")

#: (key, whether it is required, [(value node, marks)])
Property = tuple[str, bool, list[tuple[int, int]]]


def lower(lowering: Lowering, atoms: tuple[ObjectAtom, ...]) -> int | None:
    """The node of the objects, or None if clearly none is left."""
    algebra, b = lowering.algebra, lowering.builder
    shape = Shape(atoms)
    if shape.crossed():
        return None
    if len(shape.breaks) > 64:
        raise LimitExceededError(f"{len(shape.breaks)} demands on some member at once", where=lowering.where())
    required = shape.required
    plain = shape.goals()
    closed = lowering.options.closed_objects and shape.closes()
    with lowering.deeper() as layout:
        properties: list[Property] = []
        places: dict[str, int] = {}
        reached = possible = 0
        for key in shape.named():
            goal = shape.at(algebra, key) if plain is None else plain[key]
            if shape.breaks:
                values = with_marks(lowering, goal, tuple([fields.at(algebra, key) for fields in shape.breaks]))
                for _, marks in values:
                    reached |= marks
            else:
                value = lowering.lower(goal)
                values = [] if value is None else [(value, 0)]
            needed = key in required
            if not values:
                if needed:
                    return None
            else:
                possible += 1
            places[key] = len(properties)
            properties.append((key, needed, values))
        if properties and lowering.at_root() and not shape.breaks and not closed:
            for key in ABOUT_ITSELF:
                if key not in places:
                    value = lowering.lower(shape.at(algebra, key))
                    if value is not None:
                        places[key] = len(properties)
                        properties.append((key, False, [(value, 0)]))
        extras: list[tuple[int, list[tuple[int, int]]]] = []
        for texts, goal, broken in regions(algebra, shape, closed=closed):
            keys = spelled(lowering, texts)
            if keys != texts and lowering.builder.is_empty(keys):
                continue
            if broken:
                values = with_marks(lowering, goal, broken)
            else:
                value = lowering.lower(goal)
                values = [] if value is None else [(value, 0)]
            if values:
                extras.append((keys, values))
                for _, marks in values:
                    reached |= marks
        wanted = (1 << len(shape.breaks)) - 1
        if reached & wanted != wanted:
            return None
        if wanted:
            wanted = forget(properties, extras, wanted)
            if wanted.bit_count() > MARKS:
                raise LimitExceededError(
                    f"{wanted.bit_count()} demands on some member at once",
                    where=lowering.where(),
                    hint="give the alternatives of oneOf and anyOf a required property with different constants",
                )
        if possible < shape.least:
            if not extras:
                return None
            # Whether the other keys are enough is for a search to say.
            lowering.recursive = True
        node = b.object(
            properties,
            extras,
            open=layout.open_object,
            close=layout.close_object,
            colon=layout.colon,
            comma=layout.comma,
            empty=layout.empty_object,
            min_properties=shape.least,
            max_properties=shape.most,
            required_marks=wanted,
            implies=[(places[rule.key], places[rule.needs]) for rule in shape.implies if rule.needs not in required],
            any_order=lowering.any_order,
            orders=[] if lowering.any_order else orders([list(f.names) for f in shape.fields], shape.stated, places),
            escapes=lowering.options.escapes,
        )
    lowering.structural.add(node)
    return node


def forget(properties: list[Property], extras: list[tuple[int, list[tuple[int, int]]]], wanted: int) -> int:
    """Drop the marks that required members carry whatever their value; what is left must be counted."""
    sure = 0
    for _, needed, values in properties:
        if needed:
            common = wanted
            for _, marks in values:
                common &= marks
            sure |= common
    kept = wanted & ~sure
    for values in (*(values for _, _, values in properties), *(values for _, values in extras)):
        values[:] = [(node, marks & kept) for node, marks in values]
    return kept


def with_marks(lowering: Lowering, goal: Goal, admitted: tuple[Goal, ...]) -> list[tuple[int, int]]:
    """(value node, which of the demands it breaks): a value that breaks several at once carries all their marks."""
    if -1 in goal:
        return []
    key = goal, admitted, lowering.depth
    found = lowering.marked.get(key)
    if found is None:
        found = lowering.marked[key] = _marked(lowering, goal, admitted)
    return found.copy()


def _marked(lowering: Lowering, goal: Goal, admitted: tuple[Goal, ...]) -> list[tuple[int, int]]:
    algebra = lowering.algebra
    free = 0
    open_demands: dict[Goal, int] = {}
    for i, admits in enumerate(admitted):
        outside = algebra.negated(admits)
        if outside == NOTHING or algebra.emptiness.is_void(goal | outside):
            continue
        if not outside or algebra.emptiness.is_void(goal | admits):
            free |= 1 << i
        else:
            open_demands[outside] = open_demands.get(outside, 0) | 1 << i
    if len(open_demands) > DEMANDS:
        raise LimitExceededError(f"{len(open_demands)} demands on one member at once", where=lowering.where())
    found: dict[int, int] = {}
    choices = list(open_demands.items())
    for chosen in range(1 << len(choices)):
        demand, marks = goal, free
        for bit, (outside, several) in enumerate(choices):
            if chosen >> bit & 1:
                demand, marks = demand | outside, marks | several
        if chosen.bit_count() > 1 and algebra.emptiness.is_void(demand):
            continue
        node = lowering.lower(demand)
        if node is not None:
            found[node] = found.get(node, 0) | marks
    return list(found.items())
