"""A seed → a schema of any keywords, a pattern with assertions, or rules in Lark that end early."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

#: How many random schemas there are.
SCHEMAS = 200

OPTIONS: list[dict[str, Any]] = [
    {}, {"whitespace": "compact"}, {"property_order": "any"}, {"whitespace": "pretty", "indent": 3},
    {"numbers": "free"}, {"escapes": "free", "whitespace": "free"}, {"property_order": "declared"},
    {"closed_objects": True}, {"separators": (", ", ": ")}, {"max_whitespace": 3}, {"max_items": 3},
    {"forbidden_texts": ("</x>", "ab")}, {"formats": "python"}, {"formats": "openapi"}, {"formats": "annotate"},
    {"nullable": True}, {"relaxed": True}, {"leading_space": True}, {"escape_letters": '"\\nt'},
    {"max_integer_digits": 5, "max_fraction_digits": 2, "max_exponent_digits": 2},
    {"max_second_digits": 2, "max_exponent_digits": 0},
]  # fmt: skip
TEXTS = ["a", "b", "ab", "x-1", "", "é", '"', "2024-01-31", "10.0.0.1"]
NAMES = ["a", "b", "ab", "x-1", "c", "type", "kind"]
KEYS = ["^a", "b$", "^x-", "^(a|c)$", "1"]
SOME_FORMATS = ["date", "time", "date-time", "duration", "uuid", "ipv4", "email", "hostname", "json-pointer", "int32"]


def random_schema(rng: random.Random, depth: int = 3) -> Any:
    """A schema of any keywords, a few at a time."""
    if depth == 0 or rng.random() < 0.08:
        return rng.choice([True, {}, {"type": "null"}, {"type": "string"}, {"type": "integer"}, {"$ref": "#/$defs/r"}])
    found: dict[str, Any] = {}
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        rng.choice(WRITERS)(rng, found, depth - 1)
    return found


def _numbers(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    found["type"] = rng.choice(("integer", "number", ["number", "string"]))
    found[rng.choice(("minimum", "exclusiveMinimum"))] = rng.choice((0, 1, -5, 0.5, 17, -0.25, 1000))
    if rng.random() < 0.6:
        found[rng.choice(("maximum", "exclusiveMaximum"))] = rng.choice((17, 100, 1234, 20.5, 1e6))
    if rng.random() < 0.4:
        found["multipleOf"] = rng.choice((1, 2, 3, 0.5, 0.01, 7, 10, 12))


def _texts(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    kind = rng.randrange(4)
    found["type"] = "string"
    if kind == 0:
        found |= {"minLength": rng.randrange(4), "maxLength": rng.randrange(3, 9)}
    elif kind == 1:
        found["pattern"] = rng.choice(("^a+$", "b", "^[a-z]{2,5}$", "^(x|yz)*", r"\d$", "^é|[^a]$"))
    elif kind == 2:
        found["format"] = rng.choice(SOME_FORMATS)
    else:
        found |= {"pattern": "^[ab]*$", "maxLength": rng.randrange(1, 6), "not": {"const": rng.choice(TEXTS)}}


def _values(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    values = [*TEXTS, 1, 0, -3, 1.5, 2.0, 1e30, True, False, None, [], [1, "a"], {}, {"a": 1, "b": [None]}]
    found["enum"] = rng.sample(values, rng.randrange(1, 5))


def _object(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    names = rng.sample(NAMES, rng.randrange(5))
    found |= {"type": "object", "properties": {name: random_schema(rng, depth) for name in names}}
    more: list[dict[str, Any]] = [
        {"required": rng.sample(NAMES, rng.randrange(3))}, {"additionalProperties": rng.choice((False, True))},
        {"additionalProperties": random_schema(rng, depth)}, {"minProperties": rng.randrange(4)},
        {"patternProperties": {rng.choice(KEYS): random_schema(rng, depth)}}, {"maxProperties": rng.randrange(5)},
        {"propertyNames": rng.choice(({"maxLength": 2}, {"pattern": "^a"}, {"enum": NAMES}, {"not": {"const": "a"}}))},
        {"dependentRequired": {rng.choice(NAMES): rng.sample(NAMES, 2)}}, {"unevaluatedProperties": False},
        {"dependentSchemas": {rng.choice(NAMES): random_schema(rng, depth)}},
    ]  # fmt: skip
    for one in rng.sample(more, rng.randrange(4)):
        found |= one


def _array(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    found["type"] = "array"
    more: list[dict[str, Any]] = [
        {"items": random_schema(rng, depth)}, {"prefixItems": [random_schema(rng, depth) for _ in range(2)]},
        {"minItems": rng.randrange(4)}, {"maxItems": rng.randrange(5)}, {"unevaluatedItems": False},
        {"contains": random_schema(rng, depth), "minContains": rng.randrange(3), "maxContains": rng.randrange(2, 4)},
        {"uniqueItems": True, "items": {"enum": rng.sample([1, 2, "a", "b", None, [1]], 3)}},
    ]  # fmt: skip
    for one in rng.sample(more, rng.randrange(1, 4)):
        found |= one


def _combined(rng: random.Random, found: dict[str, Any], depth: int) -> None:
    keyword = rng.choice(("allOf", "anyOf", "oneOf", "not", "if", "$ref"))
    if keyword == "not":
        found["not"] = random_schema(rng, depth)
    elif keyword == "if":
        found |= {
            word: random_schema(rng, depth) for word in ("if", *rng.choice((("then",), ("else",), ("then", "else"))))
        }
    elif keyword == "$ref":
        found["$ref"] = "#/$defs/r"
    else:
        found[keyword] = [random_schema(rng, depth) for _ in range(rng.choice((1, 2, 2, 3)))]


WRITERS: list[Callable[[random.Random, dict[str, Any], int], None]] = [
    _numbers, _texts, _values, _object, _object, _array, _combined, _combined,
]  # fmt: skip


def schemas() -> Iterator[tuple[Any, dict[str, Any]]]:
    """Random schemas, each with options."""
    for seed in range(SCHEMAS):
        rng = random.Random(seed)
        schema = random_schema(rng)
        if rng.random() < 0.6 or not isinstance(schema, dict):  # what nothing meets is then left out of an object
            schema = {"properties": {"p": schema, "q": random_schema(rng)}}
        schema["$defs"] = {"r": {"type": ["object", "null"], "properties": {"a": {"$ref": "#/$defs/r"}}}}
        yield schema, OPTIONS[seed % len(OPTIONS)] if rng.random() < 0.7 else {}


ATOMS = [
    "a",
    "b",
    "ab",
    ".",
    "[ab]",
    "[^a]",
    r"\w",
    r"\d",
    r"\s",
    "é",
    r"\.",
    "-",
    "\n",
    "(?:a|bc)",
    "[a-c]x",
    "(?i:a)",
]
ASSERTIONS = ["^", "$", r"\b", r"\B", "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?=ab)", "(?!.*c)", "(?<=ab)", "(?<!a|bc)"]


def random_pattern(rng: random.Random, depth: int = 3) -> str:
    """A pattern with assertions anywhere."""
    kind = rng.randrange(8) if depth else rng.randrange(3)
    if kind < 2:
        return rng.choice(ATOMS)
    if kind == 2:
        return rng.choice(ASSERTIONS)
    inner = random_pattern(rng, depth - 1)
    if kind == 3:
        group = rng.choice(("(?:{})", "({})", "(?>{})", "(?={})", "(?!{})", "(?<={})"))
        return group.format(inner)
    if kind == 4:
        return f"(?:{inner}){rng.choice(('*', '+', '?', '{2}', '{1,3}', '*?', '{2,}', '*+', '?+'))}"
    if kind == 5:
        return f"(?:{inner}|{random_pattern(rng, depth - 1)})"
    return inner + random_pattern(rng, depth - 1)


def random_lark(rng: random.Random) -> str:
    """Rules in Lark, some of them lazy, that meet each other in every way."""
    names = ["start", "x", "y", "z"]
    ends = rng.sample(("/[^<]*<end>/", '"<a>"', r"/(.|\n)*!/", "/[a-c]+!/", '"b" "!"', "/a*/"), 2)
    attribute = rng.choice(("lazy", 'suffix="."', 'stop="!"'))
    lines = [f"m[lazy]: {ends[0]}", f"n[{attribute}]: {rng.choice(('/.*/', ends[1]))}"]
    lines.append(rng.choice(("T: /(.|\\n)*/", "T: /[a-z]*/", 'T: "a" | "b"', "T: /[^!]+/")))

    def body(depth: int) -> str:
        kind = rng.randrange(7) if depth else 0
        if kind < 3:
            return rng.choice((*names[1:], "m", "n", "T", "T", '"a"', "m"))
        if kind == 3:
            return f"({body(depth - 1)} | {body(depth - 1)})"
        if kind == 4:
            return f"({body(depth - 1)}){rng.choice(('*', '+', '?', '~2', '~0..2'))}"
        return f"{body(depth - 1)} {body(depth - 1)}"

    return "\n".join([f"{name}: {body(3)}" for name in names] + lines)
