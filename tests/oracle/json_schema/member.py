"""Conditions on an object → one node: its members, each with its values, and the keys without a name.

A demand that *some* member breaks is a mark on the values that break it; the node says what marks must come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.errors import LimitExceededError
from tests.oracle.json_schema.algebra import TooManyAlternatives
from tests.oracle.json_schema.mark import Values, clauses_of, simplified, with_marks
from tests.oracle.json_schema.object import ObjectAtom, Shape
from tests.oracle.json_schema.order import orders
from tests.oracle.json_schema.quoted import spelled
from tests.oracle.json_schema.region import regions

if TYPE_CHECKING:
    from tests.oracle.json_schema.lower import Lowering

#: Demands of the kind "some member …" that one object may carry, beyond those that its required members meet anyway.
MARKS = 10
#: Marks that the engine has bits for.
BITS = 64

#: What a document may say of itself, and say first, even where its schema does not name it.
ABOUT_ITSELF = ("$schema", "$id")

#: (key, whether it is required, [(value node, marks)])
Property = tuple[str, bool, Values]


def lower(lowering: Lowering, atoms: tuple[ObjectAtom, ...]) -> int | None:
    """The node of the objects, or None if clearly none is left."""
    algebra, b = lowering.algebra, lowering.builder
    shape = Shape(atoms)
    if shape.crossed():
        return None
    marked, clauses = shape.marked(), clauses_of(shape)
    exact = 0
    for premises, _ in clauses:
        exact |= premises
    required = shape.required
    plain = shape.goals()
    closed = lowering.options.closed_objects and shape.closes()
    with lowering.deeper() as layout:
        properties: list[Property] = []
        places: dict[str, int] = {}
        possible = 0
        for key in shape.named():
            goal = shape.at(algebra, key) if plain is None else plain[key]
            if marked:
                values = with_marks(lowering, goal, tuple([fields.at(algebra, key) for fields in marked]), exact)
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
        if properties and lowering.at_root() and not marked and not closed:
            for key in ABOUT_ITSELF:
                if key not in places:
                    value = lowering.lower(shape.at(algebra, key))
                    if value is not None:
                        places[key] = len(properties)
                        properties.append((key, False, [(value, 0)]))
        extras: list[tuple[int, Values]] = []
        for texts, goal, broken in regions(algebra, shape, closed=closed):
            keys = spelled(lowering, texts)
            if keys != texts and lowering.builder.is_empty(keys):
                continue
            if broken:
                values = with_marks(lowering, goal, broken, exact)
            else:
                value = lowering.lower(goal)
                values = [] if value is None else [(value, 0)]
            if values:
                extras.append((keys, values))
        wanted = 0
        if clauses:
            optional = [*(values for _, needed, values in properties if not needed), *(values for _, values in extras)]
            left = simplified([values for _, needed, values in properties if needed], optional, clauses)
            if left is None:
                return None
            for premises, conclusions in left:
                if not premises and conclusions.bit_count() == 1:
                    wanted |= conclusions
            clauses = [(premises, conclusions) for premises, conclusions in left if not conclusions & wanted]
            check(lowering, wanted, clauses)
            possible = sum([bool(values) for _, _, values in properties])
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
            clauses=clauses,
            implies=[(places[rule.key], places[rule.needs]) for rule in shape.implies if rule.needs not in required],
            any_order=lowering.any_order,
            orders=[] if lowering.any_order else orders([list(f.names) for f in shape.fields], shape.stated, places),
            escapes=lowering.options.escapes,
        )
    lowering.structural.add(node)
    return node


def check(lowering: Lowering, wanted: int, clauses: list[tuple[int, int]]) -> None:
    """Raise TooManyAlternatives if an object carries more marks than the engine counts: another splitting has fewer."""
    marks = wanted
    for premises, conclusions in clauses:
        marks |= premises | conclusions
    if wanted.bit_count() > MARKS or marks.bit_length() > BITS:
        error = LimitExceededError(
            f"{marks.bit_count()} demands on some member at once",
            where=lowering.where(),
            hint="give the alternatives of oneOf and anyOf a required property with different constants",
        )
        raise TooManyAlternatives(error, lowering.algebra.emptiness.steps)
