"""A random generator → arrays of different items within each other, as schemas and as plans; pieces that span items."""

from __future__ import annotations

import random

from tests.property.plans import Plan
from tests.property.random_cases import small_plan

from .schemas import PATTERNS, Schema

#: Most tokens are cuttings of these in a row: items that repeat, and borders of arrays within arrays.
PIECES = [
    ',"a"', '"a",', '],["a"', '["', '","', '"]', "1,", ",1", "[[", "]]", "],[", "[1,", '{"a":[', "]}", '"\\u0061"',
    "1.0", "1e0", "true", ",12", '"ab"', '"b"', '["a","b"]', '["a",1]', "[]", "{}", '"x":1', '},{"a":', '"a":1',
    '"a"', "1", "[[[", "]]]", "[1],[1", '"aab', "0", "-0", ".0", "e0", " ",
]  # fmt: skip


def schema(draw: random.Random, depth: int) -> Schema:
    """A unique array, nested at most so deep; most others in it are unique, too."""
    found: Schema = {"type": "array", "uniqueItems": draw.random() < 0.9}
    if draw.random() < 0.85:
        found["items"] = item(draw, depth)
    if draw.random() < 0.35:
        found["prefixItems"] = [item(draw, depth) for _ in range(draw.randrange(1, 3))]
    if draw.random() < 0.4:
        found["minItems"] = draw.randrange(4)
    if draw.random() < 0.4:
        found["maxItems"] = draw.randrange(1, 5)
    if draw.random() < 0.1:
        found["contains"] = item(draw, depth)
    return found


def item(draw: random.Random, depth: int) -> Schema:
    if depth and draw.random() < 0.65:
        inner = schema(draw, depth - 1)
        if draw.random() < 0.7:
            return inner
        if draw.random() < 0.3:
            return {"anyOf": [inner, item(draw, 0)]}
        names = draw.sample(("a", "b", "x"), draw.randrange(1, 3))
        values = {name: draw.choice((inner, item(draw, 0))) for name in names}
        required = [name for name in names if draw.random() < 0.6]
        others = draw.random() < 0.3
        return {"type": "object", "properties": values, "required": required, "additionalProperties": others}
    return draw.choice(
        [
            {"enum": draw.sample(["a", "b", "ab", 1, 12, True, [1], {"a": 1}, []], draw.randrange(1, 5))},
            {"enum": draw.sample(["a", "b", "ab", 1], draw.randrange(2, 4))},
            {"type": "string", "pattern": draw.choice(PATTERNS)},
            {"type": "string", "maxLength": draw.choice((1, 2, 200))},
            {"type": "string"},
            {"type": "integer", "minimum": draw.choice((-1, 0, 1)), "maximum": draw.choice((1, 2, 12))},
            {"type": draw.choice(("integer", "number", "boolean"))},
            {},
        ]
    )


def plan(draw: random.Random, depth: int) -> Plan:
    """The same of the builder's nodes: values in several spellings, white space in commas or none."""
    least = draw.choice((0, 0, 0, 1, 2))
    blank: Plan = ("repeat", ("literal", b" "), 0, 1) if draw.random() < 0.3 else ("epsilon",)
    return "array", {
        "prefix": tuple(part(draw, depth) for _ in range(draw.choice((0, 0, 1, 2)))),
        "rest": part(draw, depth) if draw.random() < 0.85 else None,
        "open": ("literal", b"["),
        "close": ("literal", b"]"),
        "comma": ("cat", (("literal", b","), blank)),
        "empty": ("literal", b"[]"),
        "min_items": least,
        "max_items": draw.choice((None, least + draw.randrange(1, 4))),
        "unique": draw.random() < 0.9,
    }


def part(draw: random.Random, depth: int) -> Plan:
    if depth and draw.random() < 0.65:
        return plan(draw, depth - 1)
    alike = (b"1", b"1.0", b"1e0", b"12", b"[1]", b'["a"]', b'{"a":1,"b":2}', b'"a"', b'"\\u0061"', b'"b"', b"true")
    return draw.choice(
        [
            ("words", tuple(draw.sample(alike, draw.randrange(1, 5)))),
            ("words", (b'"a"', b"1", b'"b"')[: draw.randrange(1, 4)]),
            ("quoted", ("bounded", ("text",), 0, draw.choice((1, 3, None)))),
            ("repeat", ("bytes", ((0x31, 0x33),)), 1, draw.choice((1, 3, None))),
            small_plan(draw),
        ]
    )


def edited(draw: random.Random, root: Plan, depth: int) -> Plan:
    """The plan with one field of one array in it as another plan has it, or inside another array."""
    fields = dict(root[1])
    inner = fields["rest"]
    if draw.random() < 0.15:
        return "array", {**dict(plan(draw, 0)[1]), "rest": root}
    if inner is not None and inner[0] == "array" and draw.random() < 0.5:
        return "array", {**fields, "rest": edited(draw, inner, max(0, depth - 1))}
    name = draw.choice(("prefix", "rest", "min_items", "max_items", "comma", "unique"))
    return "array", {**fields, name: plan(draw, depth)[1][name]}
