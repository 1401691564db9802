"""Schema → which orders of properties it states, if any.

JSON leaves the order of an object's members to whoever writes it, and many tools sort them (Go's and Rust's maps, key
sorting serializers, registries that normalize): what the author had in mind is lost, and an order that nobody chose
would only push a model off its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

#: Keywords whose values are data, not schemas.
DATA = frozenset(("const", "default", "enum", "example", "examples"))
#: n names have n! orders: so many orders, as a power of two, are no chance.
CERTAIN = 20.0


def is_sorted(document: Any) -> bool:
    """Whether the names of every `properties` are in alphabetical order, and are too many for that to be chance.

    n names have n! orders; fewer than one in a million documents is sorted by chance where they have 2^20 or more.

    >>> is_sorted({"properties": {"answer": {}, "reason": {}}}), is_sorted({"properties": dict.fromkeys("abcdefghij")})
    (False, True)
    """
    bits = 0.0
    stack, met = [document], set()
    while stack:
        value = stack.pop()
        # A document of Python's may hold itself.
        if not isinstance(value, (dict, list)) or id(value) in met:
            continue
        met.add(id(value))
        if isinstance(value, list):
            stack += value
            continue
        for keyword, inner in value.items():
            if keyword == "properties" and isinstance(inner, dict):
                names = list(inner)
                if not all(isinstance(name, str) for name in names) or names != sorted(names):
                    return False
                bits += math.log2(math.factorial(len(names)))
            if keyword not in DATA:
                stack.append(inner)
    return bits >= CERTAIN


def orders(tables: list[list[str]], required: Iterable[str], places: dict[str, int]) -> list[list[int]]:
    """Which properties keep an order, as lists of their places; empty if all keep that of the places.

    Each of the `tables` (one for each `properties`) orders the names that it holds and nothing else: what a branch adds
    may stand between what its siblings name. A table that `required` contradicts orders nothing: a tool sorted it, or
    the schema states both orders. Names that begin with `$` are about the document, not of it: writers put them first,
    last or where they please.

    >>> orders([["a", "c"], ["b"]], [], {"a": 0, "c": 1, "b": 2}), orders([["a", "b"]], ["b", "a"], {"a": 0, "b": 1})
    ([[0, 1], [2]], [[0], [1]])
    """
    rank = {key: at for at, key in enumerate(required)}
    tables = [[key for key in names if key[:1] != "$"] for names in tables]
    lists: list[list[int]] = []
    named: set[str] = set()
    # The order of the places agrees with all lists so far, as it mostly does: then no other one is looked for.
    rising = True
    for names in tables:
        ranks = [rank[key] for key in names if key in rank]
        if len(ranks) < 2 or ranks == sorted(ranks):
            chain = [places[key] for key in names]
            rises = rising and chain == sorted(chain)
            if not rises and not named.isdisjoint(names) and not acyclic([*lists, chain]):
                chain = [places[key] for key in names if key not in named]
                rises = rising and chain == sorted(chain)
            rising = rises
            lists.append(chain)
        named.update(names)
    if any(len(chain) == len(places) for chain in lists):
        return []
    listed = set().union(*lists)
    return lists + [[place] for place in places.values() if place not in listed]


def acyclic(lists: list[list[int]]) -> bool:
    """Whether some order agrees with all the lists."""
    waits = {place: 0 for chain in lists for place in chain}
    after: dict[int, list[int]] = {place: [] for place in waits}
    for chain in lists:
        for first, second in pairwise(chain):
            waits[second] += 1
            after[first].append(second)
    ready = [place for place, count in waits.items() if not count]
    # Grows while it is walked.
    for place in ready:
        for later in after[place]:
            waits[later] -= 1
            if not waits[later]:
                ready.append(later)
    return len(ready) == len(waits)
