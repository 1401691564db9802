"""A seed → a plan, a vocabulary for it, a pattern or a schema."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from frisket.reference import GeneralMask, Node
from tests.property.plans import CHARACTERS, Case, Plan, listed, to_reference

SPECIAL = "<|call|>"
#: Whether arrays of unique items are among the cases.
UNIQUE = True


def regular_plan(rng: random.Random, depth: int) -> Plan:
    """A regular node: everything that closes under `and` and `not`."""
    if depth == 0 or rng.random() < 0.15:
        return _leaf(rng)
    kind = rng.choice(("cat", "cat", "cat", "alt", "alt", "repeat", "repeat", "and", "not", "bounded", "quoted"))
    match kind:
        case "cat" | "alt" | "and":
            return kind, tuple(regular_plan(rng, depth - 1) for _ in range(rng.choice((2, 2, 3))))
        case "repeat" | "bounded":
            least = rng.randrange(3)
            most = rng.choice((None, least + rng.randrange(3), least + rng.randrange(8)))
            item = regular_plan(rng, depth - 1)
            # Code points are counted in texts only: `not` alone also lets invalid UTF-8 through.
            return kind, ("and", (("text",), item)) if kind == "bounded" else item, least, most
    return kind, regular_plan(rng, depth - 1)


def _leaf(rng: random.Random) -> Plan:
    match rng.randrange(10):
        case 0:
            return ("text",)
        case 1:
            return ("words", tuple(_word(rng, 3) for _ in range(rng.randrange(1, 5))))
        case 2:
            low = rng.randrange(256)
            return ("bytes", ((low, rng.randrange(low, 256)),))
        case 3 | 4 | 5:
            ranges = []
            for _ in range(rng.randrange(1, 3)):
                low, high = sorted(map(ord, rng.choices(CHARACTERS, k=2)))
                ranges.append((low, high))
            return ("chars", tuple(ranges))
        case 6:
            return ("epsilon",)
    return ("literal", _word(rng, 3))


def _word(rng: random.Random, length: int) -> bytes:
    return "".join(rng.choices(CHARACTERS, k=rng.randrange(length + 1))).encode()


def grammar_plan(rng: random.Random) -> tuple[dict[str, Plan], Plan]:
    """Rules that call each other in every way: left-recursive, ambiguous, nullable in cycles, without end."""
    names = [f"r{n}" for n in range(rng.randrange(1, 5))]
    return {name: _structural(rng, names, 3) for name in names}, ("rule", names[0])


def _structural(rng: random.Random, names: list[str], depth: int) -> Plan:
    kind = (
        rng.choice(("rule", "regular", "leaf"))
        if depth == 0
        else rng.choice(
            ("seq", "seq", "seq", "alt", "alt", "alt", "repeat", "rule", "regular", "leaf", "special", "epsilon")
        )
    )
    match kind:
        case "seq" | "alt":
            return kind, tuple(_structural(rng, names, depth - 1) for _ in range(rng.choice((2, 2, 3))))
        case "repeat":
            least = rng.choice((0, 0, 1, 2))
            return kind, _structural(rng, names, depth - 1), least, rng.choice((None, least, least + 2))
        case "rule":
            return kind, rng.choice(names)
        case "regular":
            return regular_plan(rng, 1)
        case "special":
            return ("special", SPECIAL) if rng.random() < 0.4 else ("literal", b"b")
        case "epsilon":
            return (kind,)
    return ("literal", rng.choice((b"a", b"b", b"ab", b"a", b"b", "é".encode())))


def json_plan(rng: random.Random, depth: int) -> Plan:
    """A JSON value without white space, or with a little."""
    kind = (
        rng.choice(("words", "string", "number")) if depth == 0 else rng.choice(("object", "object", "array", "words"))
    )
    match kind:
        case "object":
            return object_plan(rng, depth)
        case "array":
            return array_plan(rng, depth)
        case "string":
            return ("quoted", ("bounded", ("text",), rng.randrange(2), rng.randrange(2, 5)))
        case "number":
            return ("repeat", ("bytes", ((0x31, 0x39),)), 1, 3)
    return ("words", tuple(rng.sample((b"1", b"null", b'"a"', b'"\\""', b"12"), 2)))


def object_plan(rng: random.Random, depth: int) -> Plan:
    """An object with few keys and every rule between them."""

    def values(none: float) -> tuple[tuple[Plan, int], ...]:
        if rng.random() < none:
            return ()
        count = rng.choice((1, 1, 1, 2))
        return tuple((json_plan(rng, depth - 1), rng.choice((0, 0, 1, 2, 3)) if marked else 0) for _ in range(count))

    marked = rng.random() < 0.3
    keys = rng.sample(("a", "b", "aa", "é", '"', "ab"), rng.randrange(0, 4))
    properties = tuple((key, rng.random() < 0.3, values(0.1)) for key in keys)
    extras = tuple(
        (tuple(rng.sample(("a", "x", "xé", "\n", "aab"), rng.randrange(1, 4))), values(0.05))
        for _ in range(rng.choice((0, 0, 1, 1, 2)))
    )
    pairs = [(a, b) for a in range(len(keys)) for b in range(len(keys)) if a != b]
    blank: Plan = ("repeat", ("literal", b" "), 0, 1) if rng.random() < 0.3 else ("epsilon",)
    any_order = rng.random() < 0.4
    orders = (
        tuple(tuple(i for i in range(len(keys)) if rng.random() < 0.6) for _ in range(rng.randrange(1, 3)))
        if not any_order and rng.random() < 0.4
        else ()
    )
    return "object", {
        "properties": properties,
        "extras": extras,
        "open": ("cat", (("literal", b"{"), blank)),
        "close": ("cat", (blank, ("literal", b"}"))),
        "colon": ("cat", (("literal", b":"), blank)),
        "comma": ("cat", (("literal", b","), blank)),
        "empty": ("literal", b"{}"),
        "min_properties": rng.choice((0, 0, 0, 1, 2)),
        "max_properties": rng.choice((None, None, None, 1, 2, 3)),
        "required_marks": rng.choice((0, 1, 3)) if marked else 0,
        "clauses": tuple((rng.randrange(4), rng.randrange(4)) for _ in range(rng.randrange(3))) if marked else (),
        "implies": tuple(rng.sample(pairs, rng.randrange(1, len(pairs) + 1))) if pairs and rng.random() < 0.3 else (),
        "any_order": any_order,
        "extras_last": True if any_order else rng.random() < 0.6,
        "orders": orders,
    }


def array_plan(rng: random.Random, depth: int) -> Plan:
    """An array; unique items are few enough to be listed, and often alike."""
    unique = UNIQUE and rng.random() < 0.4
    alike = (
        b"1",
        b"1.0",
        b"1e0",
        b"2",
        b"[1]",
        b"[1.0]",
        b'{"a":1,"b":2}',
        b'{"b":2,"a":1}',
        b'"a"',
        b'"\\u0061"',
        b"true",
    )

    def item() -> Plan:
        while unique and rng.random() < 0.7:
            plan = small_plan(rng)
            if listed(to_reference(plan, {})) is not None:
                return plan
        return ("words", tuple(rng.sample(alike, rng.randrange(1, 5)))) if unique else json_plan(rng, depth - 1)

    least = rng.choice((0, 0, 0, 1, 2))
    return "array", {
        "prefix": tuple(item() for _ in range(rng.choice((0, 0, 1, 2)))),
        "rest": item() if rng.random() < 0.8 else None,
        "open": ("literal", b"["),
        "close": ("literal", b"]"),
        "comma": ("cat", (("literal", b","), ("repeat", ("literal", b" "), 0, 1))),
        "empty": ("literal", b"[]"),
        "min_items": least,
        "max_items": least + rng.randrange(3) if unique or rng.random() < 0.5 else None,
        "unique": unique,
    }


def small_plan(rng: random.Random) -> Plan:
    """An object or a tuple of few values, with frames of its own."""
    word: Plan = ("words", tuple(rng.sample((b"1", b"1.0", b'"a"', b'"\\u0061"', b"true", b"12"), rng.randrange(1, 3))))
    other: Plan = ("words", tuple(rng.sample((b"1", b"null", b"[]", b"1e0"), rng.randrange(1, 3))))
    blank: Plan = ("repeat", ("literal", b" "), 0, 1) if rng.random() < 0.2 else ("epsilon",)
    open_, close = ("{", "}") if rng.random() < 0.6 else ("[", "]")
    marks: dict[str, Plan] = {
        "open": ("literal", open_.encode()),
        "close": ("literal", close.encode()),
        "comma": ("cat", (("literal", b","), blank)),
        "empty": ("literal", (open_ + close).encode()),
    }
    if open_ == "{":
        keys = rng.sample(("a", "b", "ab"), rng.randrange(1, 3))
        return "object", {
            **marks,
            "colon": ("literal", b":"),
            "properties": tuple((key, rng.random() < 0.6, ((rng.choice((word, other)), 0),)) for key in keys),
            "extras": ((("x", "a"), ((other, 0),)),) if rng.random() < 0.3 else (),
            "min_properties": rng.choice((0, 0, 1)),
            "max_properties": rng.choice((None, None, 2)),
            "required_marks": 0,
            "clauses": (),
            "implies": (),
            "any_order": rng.random() < 0.5,
            "extras_last": True,
            "orders": (),
        }
    return "array", {
        **marks,
        "prefix": tuple(rng.choice((word, other)) for _ in range(rng.randrange(2))),
        "rest": rng.choice((word, other, None)),
        "min_items": rng.randrange(2),
        "max_items": rng.randrange(1, 3),
        "unique": rng.random() < 0.4,
    }


# -- random vocabularies -----------------------------------------------------------------------------------------------


def tokens_for(rng: random.Random, node: Node, alphabet: bytes, count: int = 60) -> tuple[bytes | None, ...]:
    """Single bytes, random strings, pieces of sentences cut anywhere, duplicates, and ids without text."""
    tokens: list[bytes | None] = [bytes([value]) for value in sorted(set(alphabet))]
    for _ in range(count // 3):
        tokens.append(bytes(rng.choices(alphabet, k=rng.randrange(2, 7))))
    for _ in range(count // 3):
        word = "".join(rng.choices(CHARACTERS, k=rng.randrange(1, 4))).encode()
        start = rng.randrange(len(word))
        tokens.append(word[start : start + rng.randrange(1, 7)])
    for text in sentences(rng, node, alphabet, 6):
        for _ in range(count // 10):
            if text:
                start = rng.randrange(len(text))
                tokens.append(text[start : start + rng.randrange(1, 7)])
    tokens += rng.choices(tokens, k=4)
    tokens += [None, None, b""]
    rng.shuffle(tokens)
    return tuple(tokens)


def sentences(rng: random.Random, node: Node, alphabet: bytes, count: int) -> Iterable[bytes]:
    """Beginnings of sentences, by walking byte for byte."""
    mask = GeneralMask(node, [])
    letters = [bytes([value]) for value in sorted(set(alphabet))]
    for _ in range(count):
        text = b""
        while len(text) < 20:
            follows = [letter for letter in letters if mask.can_begin(text + letter)]
            if not follows:
                break
            text += rng.choice(follows)
        yield text


def regex_text(rng: random.Random, depth: int) -> str:
    """A pattern in the reference's small notation."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(
            ("a", "b", "é", "€", "😀", ".", "[ab]", "[^a]", "[a-é]", "[^é-€]", '"', "\\\\", "\\n", "[\\n\\]]")
        )
    inner = regex_text(rng, depth - 1)
    match rng.randrange(6):
        case 0:
            return f"({inner}|{regex_text(rng, depth - 1)})"
        case 1:
            return f"(?:{inner}|)"
        case 2:
            return f"({inner}){rng.choice('*+?')}"
        case 3:
            least = rng.randrange(3)
            return f"({inner}){{{least},{rng.choice(('', least, least + 1, least + 3))}}}"
    return inner + regex_text(rng, depth - 1)


def schema(rng: random.Random, depth: int, *, refer: bool = True) -> dict[str, Any]:
    """A schema in the reference's small subset; inside objects and arrays it may refer back to the root."""
    kinds = ["integer", "string", "enum", "boolean"] + ["object", "array", "anyOf", "object"] * (depth > 0)
    match rng.choice(kinds + ["ref"] * (refer and depth < 2)):
        case "integer":
            low = rng.randrange(-120, 120)
            return {"type": "integer", "minimum": low, "maximum": low + rng.choice((0, 1, 9, 30, 150, 20_000))}
        case "string":
            least = rng.randrange(3)
            most = rng.choice((None, least, least + 2))
            return {"type": "string", "minLength": least} | ({} if most is None else {"maxLength": most})
        case "enum":
            return {"enum": rng.sample(("a", "ab", 'a"b', "é", "😀", "\n", 1, 12, None, True), rng.randrange(1, 4))}
        case "object":
            keys = rng.sample(("a", "b", "ab", "é", '"'), rng.randrange(4))
            return {
                "type": "object",
                "properties": {key: schema(rng, depth - 1) for key in keys},
                "required": [key for key in keys if rng.random() < 0.4],
                "additionalProperties": False,
            }
        case "array":
            least = rng.choice((0, 0, 1, 2))
            most = rng.choice((None, least, least + 2))
            bounds = {"minItems": least} | ({} if most is None else {"maxItems": most})
            return {"type": "array", "items": schema(rng, depth - 1)} | bounds
        case "anyOf":
            return {"anyOf": [schema(rng, depth - 1, refer=False) for _ in range(rng.choice((2, 2, 3)))]}
        case "ref":
            return {"$ref": "#"}
    return {"type": ["boolean", "null"]}


def case(seed: int, kind: str) -> Case:
    """The random case of that seed: `regular`, `rules` or `json`."""
    rng = random.Random(f"{kind} {seed}")
    rules: dict[str, Plan] = {}
    alphabet = CHARACTERS.encode() + b"u0\x7f\xff"
    match kind:
        case "regular":
            root = regular_plan(rng, 3)
        case "rules":
            rules, root = grammar_plan(rng)
            alphabet = b"ab" + "é".encode() if rng.random() < 0.5 else alphabet
        case "json":
            root = json_plan(rng, 2)
            alphabet = alphabet + b'{}[]:, "12.0eanulx'
        case _:
            raise AssertionError(kind)
    draft = Case(rules, root, (), (), {})
    tokens = tokens_for(rng, draft.node(), alphabet)
    special = {SPECIAL: len(tokens)}
    eos = (len(tokens) + 1, len(tokens) + 2)[: rng.choice((1, 2))]
    return Case(rules, root, (*tokens, *[None] * 3), eos, special)
