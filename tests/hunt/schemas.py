"""A random generator → a schema, and schemas that differ from it by one small edit."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

KEYS = ["a", "b", "ab", "x", "", "$x", "#", "é"]
PATTERNS = ["^a+$", "^[ab]{1,3}$", "b", "^(?:a|bb)*$", "^.$", "^[^a]{2,40}$", "^x[0-9]{2}$"]
#: Languages of keys: for `patternProperties` and `propertyNames`.
KEY_PATTERNS = ["^[#$]", "^a", "^[ab#]", "b$", "^.?$"]
SCALARS: list[Any] = [1, 0, -1, 12, 1.5, "a", "ab", "", True, False, None]
PIECES = [
    '"a":"', '"', '","', "},", "]", "}", '"#":1', '"$x":', '{"', '":{"', "[1,", ",1", ' "', "{}", "null", '""', "[1",
    "[[", '["', "[n", "[]", "1]", "],", ':"a"', ': [', '"b": ', "true", "fal", "12", "-1", ".5", "e1", "ab", "é",
    "\n ", "  ", '"x":', '"ab"', '"y":', "bb", "\\u0061", '\\"', "0", "a", "é\"",
]  # fmt: skip


def schema(draw: random.Random, depth: int) -> Schema:
    """A schema of any type, nested at most so deep."""
    kinds = ["string", "number", "enum", "any", "string", "number"]
    if depth:
        kinds += ["array", "array", "array", "object", "object", "object", "union", "not"]
    match draw.choice(kinds):
        case "string":
            return {"type": "string"} | (string_keyword(draw) if draw.random() < 0.5 else {})
        case "number":
            found: Schema = {"type": draw.choice(("integer", "number"))}
            return found | (number_keyword(draw) if draw.random() < 0.6 else {})
        case "enum":
            return {"enum": draw.sample([*SCALARS, [1], {"a": 1}, []], draw.randrange(1, 4))}
        case "array":
            return array(draw, depth)
        case "object":
            return object_(draw, depth)
        case "union":
            word = draw.choice(("anyOf", "oneOf", "allOf"))
            return {word: [schema(draw, depth - 1) for _ in range(2)]}
        case "not":
            return {"type": draw.choice(("array", "object", "string")), "not": schema(draw, depth - 1)}
    return {}


def string_keyword(draw: random.Random) -> Schema:
    least = draw.randrange(4)
    return draw.choice(
        [
            {"minLength": least},
            {"maxLength": draw.choice((0, 1, 3, 20, 130))},
            {"minLength": least, "maxLength": least + draw.randrange(3)},
            {"pattern": draw.choice(PATTERNS)},
            {"format": draw.choice(("date", "ipv4", "uuid"))},
        ]
    )


def number_keyword(draw: random.Random) -> Schema:
    return draw.choice(
        [
            {"minimum": draw.choice((-5, 0, 1, 10))},
            {"maximum": draw.choice((0, 9, 100))},
            {"minimum": 0, "exclusiveMaximum": draw.choice((1, 12))},
            {"multipleOf": draw.choice((2, 3, 10))},
        ]
    )


def array(draw: random.Random, depth: int) -> Schema:
    found: Schema = {"type": "array"}
    for _ in range(draw.randrange(4)):
        found |= array_keyword(draw, depth)
    return found


def array_keyword(draw: random.Random, depth: int) -> Schema:
    inner = depth - 1
    match draw.randrange(7):
        case 0 | 1:
            return {"items": schema(draw, inner)}
        case 2:
            return {"minItems": draw.randrange(3)}
        case 3:
            return {"maxItems": draw.randrange(4)}
        case 4:
            counts: Schema = draw.choice(
                [{}, {}, {"minContains": draw.randrange(3)}, {"maxContains": draw.randrange(3)}]
            )
            return {"contains": schema(draw, inner), **counts}
        case 5:
            return {"prefixItems": [schema(draw, inner) for _ in range(draw.randrange(1, 3))]}
    return {"uniqueItems": draw.random() < 0.5}


def object_(draw: random.Random, depth: int) -> Schema:
    names = draw.sample(KEYS, draw.randrange(4))
    found: Schema = {"type": "object", "properties": {name: schema(draw, depth - 1) for name in names}}
    found["required"] = [name for name in names if draw.random() < 0.5]
    for _ in range(draw.randrange(3)):
        found |= object_keyword(draw, depth)
    return found


def object_keyword(draw: random.Random, depth: int) -> Schema:
    inner = depth - 1
    match draw.randrange(9):
        case 0 | 1 | 2:
            return {"additionalProperties": False}
        case 3:
            return {"additionalProperties": schema(draw, inner)}
        case 4:
            return {"patternProperties": {draw.choice(KEY_PATTERNS): schema(draw, inner)}}
        case 5:
            return {"minProperties": draw.randrange(3)}
        case 6:
            return {"maxProperties": draw.randrange(4)}
        case 7:
            return {"propertyNames": {"pattern": draw.choice(KEY_PATTERNS)}}
    return {"dependentRequired": {draw.choice(KEYS): [draw.choice(KEYS)]}}


def family(draw: random.Random, size: int, first: Schema | None = None) -> list[Schema]:
    """A schema, neighbours of it, and grammars that hold several of them as parts."""
    members = [schema(draw, draw.choice((1, 2, 2, 3))) if first is None else first]
    while len(members) < size:
        near = edited(draw, copy.deepcopy(draw.choice(members)))
        if len(json.dumps(near)) < 1_500:
            members.append(near)
    return members


def edited(draw: random.Random, root: Schema) -> Schema:
    """The schema with one small edit, or inside another one."""
    kind = draw.random()
    if kind < 0.08:
        return {"type": "array", "items": root}
    if kind < 0.16:
        other = edited(draw, copy.deepcopy(root))
        return {"type": "object", "properties": {"x": root, "y": other}, "required": ["x", "y"]}
    if kind < 0.2:
        return {draw.choice(("anyOf", "oneOf")): [root, edited(draw, copy.deepcopy(root))]}
    place = draw.choice(list(places(root)))
    edit(draw, place)
    return root


def places(at: Any) -> Iterator[Schema]:
    """Every schema in a schema."""
    if not isinstance(at, dict):
        return
    yield at
    for word, inner in at.items():
        if word in ("properties", "patternProperties"):
            for part in inner.values():
                yield from places(part)
        elif word in ("anyOf", "oneOf", "allOf", "prefixItems"):
            for part in inner:
                yield from places(part)
        elif word in ("items", "contains", "additionalProperties", "propertyNames", "not"):
            yield from places(inner)


def edit(draw: random.Random, at: Schema) -> None:
    counts = [word for word in at if type(at[word]) is int and word not in ("const", "multipleOf")]
    kind = draw.random()
    if counts and kind < 0.35:
        word = draw.choice(counts)
        at[word] = max(0, at[word] + draw.choice((-1, 1, 1, 2)))
    elif "required" in at and kind < 0.5:
        names = [*at.get("properties", {}), *KEYS[:2]]
        name = draw.choice(names)
        at["required"] = sorted({*at["required"]} ^ {name})
    elif "properties" in at and kind < 0.6:
        shuffled = list(at["properties"].items())
        draw.shuffle(shuffled)
        at["properties"] = dict(shuffled)
    elif "enum" in at:
        at["enum"] = draw.sample(
            [*at["enum"], *draw.sample(SCALARS, 2)], max(1, len(at["enum"]) + draw.choice((-1, 1)))
        )
    elif kind < 0.7 and len(at) > 1:
        word = draw.choice([word for word in at if word != "type"] or list(at))
        del at[word]
    elif at.get("type") == "array" or "items" in at:
        at.update(array_keyword(draw, 1))
    elif at.get("type") == "object" or "properties" in at:
        at.update(object_keyword(draw, 1))
    elif at.get("type") == "string":
        at.update(string_keyword(draw))
    elif at.get("type") in ("integer", "number"):
        at.update(number_keyword(draw))
    else:
        at.clear()
        at.update(schema(draw, 1))


def tokens(draw: random.Random, pieces: list[str] = PIECES) -> list[bytes]:
    """Single bytes, and cuttings of JSON texts anywhere; in most vocabularies some span many symbols."""
    found = {bytes([byte]) for byte in b'"[]{}:,ab1.0-e2\\n#$x nulltrfs'} | {b"\xc3", b"\xa9"}
    most = draw.choice((40, 60, 90))
    while len(found) < most:
        text = "".join(draw.choices(pieces, k=draw.randrange(1, 5))).encode()
        start = draw.randrange(len(text))
        found.add(text[start : start + draw.choice((2, 2, 3, 4, 6, 9, 40))])
    return sorted(found)
