"""Schema document → whether it states an order of properties at all.

JSON leaves the order of an object's members to whoever writes it, and many tools sort them (Go's and Rust's maps, key
sorting serializers, registries that normalize): what the author had in mind is lost, and an order that nobody chose
would only push a model off its own.
"""

from __future__ import annotations

from math import lgamma, log
from typing import Any

#: n names have n! orders. Fewer than one in a million documents is sorted by chance where they have 2^20 or more.
CERTAIN = 20.0
#: Keywords whose values are data, not schemas.
DATA = frozenset(("const", "default", "enum", "example", "examples"))


def is_sorted(document: Any) -> bool:
    """Whether the names of every `properties` are in alphabetical order, and are too many for that to be chance.

    >>> is_sorted({"properties": {"answer": {}, "reason": {}}}), is_sorted({"properties": dict.fromkeys("abcdefghij")})
    (False, True)
    """
    bits = 0.0
    stack = [document]
    seen: set[int] = set()  # a document of Python's may hold itself
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, list):
            stack += value
            continue
        if not isinstance(value, dict):
            continue
        properties = value.get("properties")
        if isinstance(properties, dict) and len(properties) > 1:
            last = ""
            for name in properties:
                if not isinstance(name, str) or name < last:
                    return False
                last = name
            bits += lgamma(len(properties) + 1) / log(2)
        stack += [inner for keyword, inner in value.items() if type(inner) in (dict, list) and keyword not in DATA]
    return bits >= CERTAIN
