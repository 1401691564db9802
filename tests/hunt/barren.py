"""A random generator → rules beside arrays and objects that nothing can fill, and families of patterns in objects.

What nothing can fill is marked `("barren", plan)`. With the plan in its place, and with the empty language there, the
same grammar must come of it: that an array needs more different values than there are, only a search finds out.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.property.plans import Plan
from tests.property.random_cases import grammar_plan, object_plan, regex_text, regular_plan

from .schemas import KEYS, PATTERNS, Schema

PIECES = [
    b"a[", b"]a", b"[1", b",1", b"1]", b"ab", b"ba", b"[[", b"]]", b"[]", b"],[", b'{"', b'"a', b'":1', b"1}", b"b{",
    b'["a"', b'"}', b"[1,1", b"[1,2]", b"aab", b"a]a",
]  # fmt: skip
SINGLE = sorted(bytes([byte]) for byte in b'ab"\\[]{}:,12.e0x \nu\x01\xc3\xa9\xe2\x82\xac')

#: Each line is one value in its spellings.
VALUES = [(b"1", b"1.0", b"1e0"), (b"2",), (b'"a"', b'"\\u0061"'), (b"[1]", b"[1.0]"), (b"true",)]


def tokens(draw: random.Random) -> list[bytes]:
    """Single bytes, and some that span brackets, commas and letters of rules."""
    return SINGLE + draw.sample(PIECES, 14)


def plans(draw: random.Random) -> tuple[dict[str, Plan], Plan]:
    """Rules with what nothing can fill among their alternatives, and a root that leads to some of them."""
    rules, first = grammar_plan(draw)
    for name in rules:
        chance = draw.random()
        if chance < 0.3:
            # Left recursion, and a cycle through nothing.
            left = draw.choice((("seq", (("rule", name), letter(draw))), ("rule", name)))
            rules[name] = ("alt", tuple(draw.sample((left, letter(draw), rules[name]), draw.randrange(2, 4))))
        elif chance < 0.5:
            rules[name] = ("alt", (rules[name], ("barren", barren(draw, list(rules), 1))))
    parts = [first, ("barren", barren(draw, list(rules), 1))]
    parts += draw.sample((letter(draw), beside(draw), ("rule", draw.choice(list(rules)))), draw.randrange(3))
    draw.shuffle(parts)
    return rules, ("alt", tuple(parts))


def letter(draw: random.Random) -> Plan:
    return draw.choice((("literal", b"a"), ("literal", b"b"), ("literal", b"ab"), ("epsilon",)))


def beside(draw: random.Random) -> Plan:
    """An object, or a text of a regular language."""
    if draw.random() < 0.4:
        return "quoted", ("and", (("text",), regular_plan(draw, 1)))
    return object_plan(draw, 1)


def barren(draw: random.Random, names: list[str], depth: int) -> Plan:
    """An array that needs more items than it may have, or more different ones than there are; an object of such."""
    values = draw.sample(VALUES, draw.randrange(1, 3))
    words: Plan = ("words", tuple(text for spellings in values for text in spellings))
    fields: dict[str, Any] = {
        "open": ("literal", b"["), "close": ("literal", b"]"), "comma": ("literal", b","), "empty": ("literal", b"[]"),
        "prefix": (), "rest": words, "min_items": len(values) + 1, "max_items": None, "unique": True,
    }  # fmt: skip
    kind = draw.randrange(6 if depth else 3)
    if kind == 0:
        count = draw.randrange(2)
        fields |= {"prefix": (words,) * count, "rest": None, "min_items": count + 1, "unique": draw.random() < 0.5}
    elif kind == 1:
        fields |= {"rest": ("empty",), "min_items": draw.randrange(1, 3), "unique": draw.random() < 0.5}
    elif kind == 3:
        fields |= {"prefix": (barren(draw, names, 0),), "unique": draw.random() < 0.5}
    elif kind == 4:
        inner = dict(barren(draw, names, 0)[1])
        fields |= {"rest": ("array", inner | {"min_items": 0, "max_items": 0, "unique": False}), "min_items": 2}
    elif kind == 5:
        return "seq", (("rule", draw.choice(names)), barren(draw, names, 0))
    return "array", fields


def edited(draw: random.Random, plan: Plan, names: list[str]) -> Plan:
    """The plan with what nothing can fill somewhere else, or another one."""
    if plan[0] in ("alt", "seq") and draw.random() < 0.6:
        parts = list(plan[1])
        place = draw.randrange(len(parts))
        parts[place] = edited(draw, parts[place], names)
        return plan[0], tuple(parts)
    chance = draw.random()
    if chance < 0.3:
        return "alt", (plan, ("barren", barren(draw, names, 1)))
    if chance < 0.5:
        return "barren", barren(draw, names, 1)
    if chance < 0.7:
        return "alt", (("rule", draw.choice(names)), plan)
    return draw.choice((letter(draw), beside(draw), ("seq", (("rule", draw.choice(names)), letter(draw)))))


def replaced(plan: Any, make: Callable[[Plan], Plan]) -> Any:
    """The plan with `make` of each marked part in that part's place."""
    if isinstance(plan, dict):
        return {name: replaced(part, make) for name, part in plan.items()}
    if not isinstance(plan, tuple):
        return plan
    if plan and plan[0] == "barren":
        return make(plan[1])
    return tuple(replaced(part, make) for part in plan)


def schema(draw: random.Random) -> Schema:
    """An object whose keys and values are of patterns, now and then beside itself and an array that cannot be."""
    found: Schema = {"type": "object", "properties": {}, "required": []}
    for name in draw.sample(KEYS, draw.randrange(1, 4)):
        found["properties"][name] = {"type": "string", "pattern": pattern(draw)}
        found["required"] += [name] * (draw.random() < 0.5)
    if draw.random() < 0.4:
        found["patternProperties"] = {pattern(draw): {"type": "string", "pattern": pattern(draw)}}
    if draw.random() < 0.3:
        found["propertyNames"] = {"pattern": pattern(draw)}
    if draw.random() < 0.6:
        found["additionalProperties"] = draw.choice((False, {"pattern": pattern(draw)}, {"$ref": "#"}))
    if draw.random() < 0.5:
        none = {"type": "array", "items": draw.choice((False, {"enum": [1, 1.0]})), "minItems": 2, "uniqueItems": True}
        return {"anyOf": [none, found, {"type": "array", "items": {"$ref": "#"}}]}
    return found


def pattern(draw: random.Random) -> str:
    return draw.choice((draw.choice(PATTERNS), f"^(?:{regex_text(draw, 2)})$", regex_text(draw, 1)))
