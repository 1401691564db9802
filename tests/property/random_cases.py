"""A seed → a grammar as a plan, its vocabulary, and the plan carried out twice: by the engine and by the reference.

A plan is a nested tuple that prints as what it is, so that a failing test shows its own reproduction:

    ("cat", (("literal", b"a"), ("repeat", ("chars", ((98, 99),)), 0, None)))
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from frisket import reference
from frisket._core import Grammar, GrammarBuilder, Vocabulary
from frisket.reference import EPSILON, NOTHING, GeneralMask, Node, Rule

Plan: TypeAlias = tuple[Any, ...]

#: One, two, three and four bytes, two that share their first bytes, and what JSON must escape.
CHARACTERS = 'ab"\\\n\x01é€₭😀😁'
SPECIAL = "<|call|>"
#: What JSON values are made of here.
LETTERS = sorted({*CHARACTERS.encode(), *b'{}[]:, "12.0e-ulnxtrfaseu\\06'})
#: Items of unique arrays have at most so many spellings, so that the reference can try them one by one.
FEW = 10
#: Whether arrays of unique items are among the cases.
UNIQUE = True


@dataclass(frozen=True)
class Case:
    """A grammar and a vocabulary."""

    rules: Mapping[str, Plan]
    root: Plan
    tokens: tuple[bytes | None, ...]
    eos: tuple[int, ...]
    special: Mapping[str, int]

    def engine(self) -> Grammar:
        """The grammar by the engine; EmptyGrammarError if it matches nothing."""
        builder = GrammarBuilder()
        rules = {name: builder.rule(name) for name in self.rules}
        for name, body in self.rules.items():
            builder.define(rules[name], to_engine(body, builder, rules))
        return builder.build(to_engine(self.root, builder, rules))

    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the engine; three rows more than there are tokens."""
        return Vocabulary(self.tokens, special=dict(self.special), eos=self.eos, size=len(self.tokens) + 3)

    def reference(self) -> GeneralMask:
        """The same by the reference."""
        return GeneralMask(self.node(), self.tokens, eos=self.eos, special=self.special)

    def node(self) -> Node:
        """The reference's node."""
        rules = {name: Rule(name) for name in self.rules}
        for name, body in self.rules.items():
            rules[name].body = to_reference(body, rules)
        return to_reference(self.root, rules)


def to_engine(plan: Plan, builder: GrammarBuilder, rules: Mapping[str, int]) -> int:
    """The plan's node in the engine's builder."""

    def each(plans: Iterable[Plan]) -> list[int]:
        return [to_engine(part, builder, rules) for part in plans]

    def valued(values: Iterable[tuple[Plan, int]]) -> list[tuple[int, int]]:
        return [(to_engine(value, builder, rules), marks) for value, marks in values]

    match plan:
        case ("empty",):
            return builder.empty()
        case ("epsilon",):
            return builder.epsilon()
        case ("literal", text):
            return builder.literal(text)
        case ("words", texts):
            return builder.words(texts)
        case ("bytes", ranges):
            return builder.byte_class(ranges)
        case ("chars", ranges):
            return builder.char_class(ranges)
        case ("text",):
            return builder.any_text()
        case ("cat", parts):
            return builder.cat(each(parts))
        case ("seq", parts):
            return builder.seq(each(parts))
        case ("alt", options):
            return builder.alt(each(options))
        case ("repeat", item, least, most):
            return builder.repeat(to_engine(item, builder, rules), least, most)
        case ("and", parts):
            return builder.and_(each(parts))
        case ("not", item):
            return builder.not_(to_engine(item, builder, rules))
        case ("bounded", item, least, most):
            return builder.bounded(to_engine(item, builder, rules), least, most)
        case ("quoted", item):
            return builder.quoted(to_engine(item, builder, rules))
        case ("rule", name):
            return rules[name]
        case ("special", name):
            return builder.special(name)
        case ("object", fields):
            parts = {
                name: to_engine(fields[name], builder, rules) for name in ("open", "close", "colon", "comma", "empty")
            }
            keywords: dict[str, Any] = {**parts, **{name: fields[name] for name in OBJECT_OPTIONS}}
            return builder.object(
                [(key, needed, valued(values)) for key, needed, values in fields["properties"]],
                [(builder.words([key.encode() for key in keys]), valued(values)) for keys, values in fields["extras"]],
                **keywords,
            )
        case ("array", fields):
            return builder.array(
                each(fields["prefix"]),
                None if fields["rest"] is None else to_engine(fields["rest"], builder, rules),
                **{name: to_engine(fields[name], builder, rules) for name in ("open", "close", "comma", "empty")},
                min_items=fields["min_items"],
                max_items=fields["max_items"],
                unique=fields["unique"],
            )
    raise AssertionError(plan)


def to_reference(plan: Plan, rules: Mapping[str, Rule]) -> Node:
    """The plan's node in the reference's algebra."""

    def each(plans: Iterable[Plan]) -> list[Node]:
        return [to_reference(part, rules) for part in plans]

    match plan:
        case ("empty",):
            return NOTHING
        case ("epsilon",):
            return EPSILON
        case ("literal", text):
            return reference.literal(text)
        case ("words", texts):
            return reference.words(*texts)
        case ("bytes", ranges):
            return reference.byte(*ranges)
        case ("chars", ranges):
            return reference.char(*ranges)
        case ("text",):
            return reference.ANY_TEXT
        case ("cat" | "seq", parts):
            return reference.cat(*each(parts))
        case ("alt", options):
            return reference.alt(*each(options))
        case ("repeat", item, least, most):
            return reference.repeat(to_reference(item, rules), least, most)
        case ("and", parts):
            return reference.both(*each(parts))
        case ("not", item):
            return reference.complement(to_reference(item, rules))
        case ("bounded", item, least, most):
            return reference.bounded(to_reference(item, rules), least, most)
        case ("quoted", item):
            return reference.quoted(to_reference(item, rules))
        case ("rule", name):
            return rules[name]
        case ("special", name):
            return reference.special(name)
        case ("object", fields):
            return _object(fields, rules)
        case ("array", fields):
            return _array(fields, rules)
    raise AssertionError(plan)


OBJECT_OPTIONS = (
    "min_properties",
    "max_properties",
    "required_marks",
    "implies",
    "any_order",
    "extras_last",
    "orders",
)


def _object(fields: Mapping[str, Any], rules: Mapping[str, Rule]) -> Node:
    """Every way to write the members, one after the other: the keys are few, so all sets of them are tried."""
    open_, close, colon, comma, empty = (
        to_reference(fields[name], rules) for name in ("open", "close", "colon", "comma", "empty")
    )
    properties, most = fields["properties"], fields["max_properties"]
    named = [key for key, _, _ in properties]
    extras: dict[str, list[tuple[Plan, int]]] = {}
    for keys, values in fields["extras"]:
        for key in set(keys) - set(named):
            extras.setdefault(key, []).extend(values)
    known: dict[tuple[frozenset[str], bool, int], Node] = {}
    orders = fields["orders"] or (tuple(range(len(named))),)

    def may_close(used: frozenset[str], marks: int) -> bool:
        return (
            len(used) >= fields["min_properties"]
            and marks & fields["required_marks"] == fields["required_marks"]
            and all(key in used for key, required, _ in properties if required)
            and all(named[b] in used for a, b in fields["implies"] if named[a] in used)
        )

    def in_turn(index: int, used: frozenset[str]) -> bool:
        lists = (order[order.index(index) :] for order in orders if index in order)
        return not any(named[other] in used for later in lists for other in later)

    def candidates(used: frozenset[str], closed: bool) -> Iterable[tuple[str, list[tuple[Plan, int]], bool]]:
        for index, (key, _, values) in enumerate(properties):
            if key not in used and (fields["any_order"] or (not closed and in_turn(index, used))):
                yield key, values, False
        for key, values in extras.items():
            if key not in used:
                last = fields["extras_last"] and not fields["any_order"]
                yield key, values, last

    def members(used: frozenset[str], closed: bool, marks: int) -> Node:
        state = (used, closed, marks)
        if state not in known:
            options = [close if may_close(used, marks) else NOTHING]
            if most is None or len(used) < most:
                for key, values, after in candidates(used, closed):
                    for value, more in values:
                        name = reference.quoted(reference.literal(key.encode()))
                        left = members(used | {key}, after, marks | more)
                        options.append(reference.cat(comma, name, colon, to_reference(value, rules), left))
            known[state] = reference.alt(*options)
        return known[state]

    options = [empty if may_close(frozenset(), 0) else NOTHING]
    if most is None or most > 0:
        for key, values, after in candidates(frozenset(), False):
            for value, more in values:
                name = reference.quoted(reference.literal(key.encode()))
                left = members(frozenset({key}), after, more)
                options.append(reference.cat(open_, name, colon, to_reference(value, rules), left))
    return reference.alt(*options)


def _array(fields: Mapping[str, Any], rules: Mapping[str, Rule]) -> Node:
    open_, close, comma, empty = (to_reference(fields[name], rules) for name in ("open", "close", "comma", "empty"))
    prefix, rest, unique = fields["prefix"], fields["rest"], fields["unique"]
    least, most = fields["min_items"], fields["max_items"]
    known: dict[tuple[int, frozenset[str]], Node] = {}

    def item_at(count: int) -> Any:
        return prefix[count] if count < len(prefix) else rest

    def items(count: int, used: frozenset[str]) -> Node:
        """What may follow `count` items; without `unique`, a run without a maximum ends in a loop."""
        end = (empty if count == 0 else close) if count >= least else NOTHING
        item = item_at(count)
        if item is None or count == most:
            return end
        before = open_ if count == 0 else comma
        if not unique and most is None and count >= max(len(prefix), least, 1):
            return reference.cat(reference.repeat(reference.cat(comma, to_reference(item, rules)), 0), close)
        if (count, used) not in known:
            options = [end]
            for node, value in _items(item, rules) if unique else [(to_reference(item, rules), None)]:
                if value is None or value not in used:
                    more = used if value is None else used | {value}
                    options.append(reference.cat(before, node, items(count + 1, more)))
            known[count, used] = reference.alt(*options)
        return known[count, used]

    return items(0, frozenset())


def _items(item: Plan, rules: Mapping[str, Rule]) -> list[tuple[Node, str]]:
    texts = item[1] if item[0] == "words" else listed(to_reference(item, rules))
    assert texts is not None, "unique items are listed, so that each can be compared"
    return [(reference.literal(text), same_json(json.loads(text))) for text in texts]


def listed(node: Node) -> list[bytes] | None:
    """All texts of a node, None if they are not few."""
    mask = GeneralMask(node, [])
    texts, agenda = [], [b""]
    while agenda:
        text = agenda.pop()
        if mask.can_end(text):
            texts.append(text)
        agenda += [longer for byte in LETTERS if mask.can_begin(longer := text + bytes([byte]))]
        if len(texts) + len(agenda) > FEW:
            return None
    return texts


def same_json(value: Any) -> str:
    """One text for all spellings of a JSON value: 1 and 1.0 are equal, the order of keys is nothing."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return json.dumps(float(value))
    if isinstance(value, list):
        return "[" + ",".join(map(same_json, value)) + "]"
    return "{" + ",".join(sorted(json.dumps(key) + ":" + same_json(item) for key, item in value.items())) + "}"


# -- random plans ------------------------------------------------------------------------------------------------------


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
