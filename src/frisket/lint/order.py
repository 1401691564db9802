"""Object → edits that put its properties into another order; `required` may state such an order.

If `required` contradicts `properties`, masks enforce neither order. So both get the same order.
"""

from __future__ import annotations

from typing import Any

from frisket.lint.document import Document, Subschema, strings
from frisket.lint.finding import Edit, Fix, Reorder

#: Names from which on alphabetical order counts as a tool's work; by chance, 1 in 24 objects with four names has it.
CHANCE = 4


def is_sorted_table(place: Subschema) -> bool:
    """Whether the properties are in alphabetical order, but `required` lists some of them in another order."""
    table = place.said["properties"]
    names = list(table)
    asked = [name for name in strings(place.said.get("required")) if name in table]
    return len(names) >= CHANCE and names == sorted(names) and asked != sorted(asked)


def states_order(document: Document, place: Subschema) -> bool:
    """Whether somebody chose the order of the properties: no tool has sorted them."""
    return not document.is_sorted and not is_sorted_table(place)


def moved(place: Subschema, names: list[str], before: str, message: str) -> Fix:
    """The fix that moves some properties directly before another one."""
    order = list(place.said["properties"])
    rest = [name for name in order if name not in names]
    at = rest.index(before)
    return reordered(place, [*rest[:at], *names, *rest[at:]], message)


def reordered(place: Subschema, names: list[str], message: str) -> Fix:
    """The fix that puts all properties into this order, and `required`, too, if it has another one."""
    table: dict[str, Any] = place.said["properties"]
    old = list(table)
    edits: list[Edit] = [Reorder(place.to("properties"), tuple(map(old.index, names)))]
    required = place.said.get("required")
    rank = {name: at for at, name in enumerate(names)}
    ranks = [rank[name] for name in strings(required) if name in rank]
    if isinstance(required, list) and ranks != sorted(ranks):
        # Entries of `required` that name no property keep their places.
        places = [at for at, name in enumerate(required) if isinstance(name, str) and name in rank]
        chosen = sorted(places, key=lambda at: rank[required[at]])
        order = list(range(len(required)))
        for slot, at in zip(places, chosen, strict=True):
            order[slot] = at
        edits.append(Reorder(place.to("required"), tuple(order)))
    return Fix(message, tuple(edits), safe=True)
