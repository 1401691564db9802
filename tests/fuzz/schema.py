"""A seed → JSON Schema texts: most are schemas, some are broken."""

from __future__ import annotations

import json
import random
from typing import Any

TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]
KEYS = ["a", "b", "ab", "é", ""]
PATTERNS = ["^a+$", "b", "^[ab]{1,3}$", "a|b", "^.$", "[", "^(?=a)b", "a{2,1}"]
SCALARS: list[Any] = [1, 0, -1, 1.5, "a", "ab", "", True, False, None, 10]
PIECES = [
    b"{", b"}", b"[", b"]", b":", b",", b'"', b'"a"', b'"b"', b'"a":', b'"b": ', b"true", b"false", b"null", b"1",
    b"0", b"-1", b"12", b".5", b"e", b"a", b"b", b"ab", b"\xc3\xa9", b"\\n", b" ", b"[]", b"{}", b'","', b'"}', b"1]",
    b"\xc3",
]  # fmt: skip


def text(draw: random.Random) -> str:
    """The schema's text; one of ten is damaged."""
    written = json.dumps(schema(draw, draw.randrange(3)), ensure_ascii=draw.random() < 0.5)
    if draw.random() < 0.1:
        place = draw.randrange(len(written))
        damage = draw.choice(("", "}", "{", '"', ",", "1", "null", "\\", "#/", "1e999", "\ud800"))
        written = written[:place] + damage + written[place + draw.randrange(3) :]
    return written


def schema(draw: random.Random, depth: int) -> Any:
    if draw.random() < 0.08:
        return draw.choice((True, False, {}))
    found: dict[str, Any] = {}
    if draw.random() < 0.8:
        found["type"] = draw.choice(TYPES) if draw.random() < 0.9 else draw.sample(TYPES, 2)
    for _ in range(draw.randrange(1, 4)):
        name = draw.choice(DEEP if depth and draw.random() < 0.6 else FLAT)
        found[name] = _value(draw, name, depth)
    if draw.random() < 0.02:
        found[draw.choice((*DEEP, *FLAT))] = draw.choice((None, -1, 1.5, "x", [], {}, [1], {"a": 1}))
    if depth == 2 and draw.random() < 0.2:
        found["$defs"] = {"d": schema(draw, 1)}
    return found


FLAT = [
    "minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "enum", "const", "required", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    "dependentRequired", "$ref",
]  # fmt: skip
DEEP = [
    "properties", "properties", "additionalProperties", "patternProperties", "propertyNames", "items", "prefixItems",
    "contains", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas",
    "unevaluatedProperties", "unevaluatedItems",
]  # fmt: skip


def _value(draw: random.Random, name: str, depth: int) -> Any:
    def inner() -> Any:
        return schema(draw, depth - 1)

    match name:
        case "minLength" | "minItems" | "minProperties":
            return draw.randrange(3)
        case "maxLength" | "maxItems" | "maxProperties":
            return draw.randrange(4)
        case "pattern":
            return draw.choice(PATTERNS)
        case "minimum" | "exclusiveMinimum":
            return draw.choice((-5, 0, 1, 0.5))
        case "maximum" | "exclusiveMaximum":
            return draw.choice((0, 3, 9.5, 100))
        case "multipleOf":
            return draw.choice((1, 2, 3, 0.5, 10))
        case "enum":
            return draw.sample([*SCALARS, [1], {"a": 1}], draw.randrange(1, 4))
        case "const":
            return draw.choice([*SCALARS, [], {"a": [1]}])
        case "required":
            return draw.sample(KEYS, draw.randrange(3))
        case "uniqueItems":
            return draw.random() < 0.7
        case "dependentRequired":
            return {draw.choice(KEYS): draw.sample(KEYS, 1)}
        case "$ref":
            return draw.choice(("#/$defs/d", "#", "#/$defs/none"))
        case "properties" | "dependentSchemas":
            return {key: inner() for key in draw.sample(KEYS, draw.randrange(1, 3))}
        case "patternProperties":
            return {draw.choice(PATTERNS): inner()}
        case "prefixItems" | "anyOf" | "oneOf" | "allOf":
            return [inner() for _ in range(draw.randrange(1, 4))]
    return inner()
