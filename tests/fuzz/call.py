"""A seed → random calls of GrammarBuilder and Vocabulary, good ones and bad ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from frisket._core import Grammar, GrammarBuilder, Vocabulary

from .session import REFUSALS

CHARACTERS = ["a", "b", "c", '"', "\\", "{", "}", "[", "]", ":", ",", "1", "0", "-", " ", "\n", "\x01", "é", "€", "😀"]
SPECIAL = "<|call|>"


def grammar(draw: random.Random, log: list[str]) -> Grammar:
    """What some calls in a row build; an error of REFUSALS where they cannot. Bad calls on the way are part of it."""
    builder = GrammarBuilder()
    nodes: list[int] = [builder.literal(b"a"), builder.words([b"b", b"ab"])]
    regular: list[int] = list(nodes)
    rules: list[int] = []
    kinds = [draw.choice(LEAVES) for _ in range(draw.randrange(1, 5))]
    kinds += [draw.choice(BRANCHES if draw.random() < 0.9 else ASIDE) for _ in range(draw.randrange(1, 9))]
    for kind in kinds:
        name, make = _call(kind, builder, draw, nodes, regular, rules)
        log.append(name)
        try:
            node = make()
        except REFUSALS as error:
            log[-1] += f" -> {type(error).__name__}"
            continue
        log[-1] += f" -> {node}"
        if isinstance(node, int) and not isinstance(node, bool):
            if draw.random() < 0.9 and dull(builder, node):
                continue
            nodes.append(node)
            if kind in REGULAR:
                regular.append(node)
    for rule in rules:
        body = draw.choice(nodes)
        if draw.random() < 0.7:
            parts = [body, draw.choice(nodes)] if draw.random() < 0.5 else [body]
            log.append(f"define({rule}, alt([seq({parts}), {nodes[0]}]))")
            body = builder.alt([builder.seq(parts), nodes[0]])
        else:
            log.append(f"define({rule}, {body})")
        builder.define(rule, body)
    root = nodes[-1]
    if draw.random() < 0.6:
        parts = [draw.choice(nodes[-5:]) for _ in range(draw.choice((2, 2, 3)))]
        log.append(f"root: seq({parts})")
        root = builder.seq(parts)
    log.append(f"build({root})")
    return builder.build(root)


def dull(builder: GrammarBuilder, node: int) -> bool:
    """Nothing, or the empty text alone: grammars of such parts come to nothing much."""
    try:
        return node == builder.epsilon() or builder.is_empty(node)
    except REFUSALS:
        return False


def _call(
    kind: str,
    builder: GrammarBuilder,
    draw: random.Random,
    nodes: list[int],
    regular: list[int],
    rules: list[int],
) -> tuple[str, Callable[[], Any]]:
    """A call as text, and the call. The arguments are drawn before it is made."""

    def node(of: list[int]) -> int:
        if draw.random() < 0.01:
            return draw.choice((10**6, -1, 1 << 40))
        return draw.choice(of)

    def several(of: list[int]) -> list[int]:
        return [node(of) for _ in range(draw.choice((1, 2, 2, 3, 0)))]

    def ranges(most: int, each: Callable[[], int]) -> list[tuple[int, int]]:
        found = []
        for _ in range(draw.randrange(0, most)):
            low, high = each(), each()
            found.append((low, high) if draw.random() < 0.03 else (min(low, high), max(low, high)))
        return found

    of = nodes if draw.random() < 0.05 else regular  # now and then a structural node where none may be
    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = {}
    match kind:
        case "literal":
            arguments = (word(draw, 3),)
        case "words":
            arguments = ([word(draw, 4) for _ in range(draw.randrange(0, 5))],)
        case "byte_class":
            arguments = (ranges(3, lambda: draw.randrange(258)),)
        case "char_class":
            arguments = (
                ranges(3, lambda: ord(draw.choice(CHARACTERS)) if draw.random() < 0.9 else draw.randrange(1 << 21)),
            )
        case "cat" | "and_":
            arguments = (several(of),)
        case "alt" | "seq":
            arguments = (several(nodes),)
        case "repeat":
            arguments = (node(nodes), *_bounds(draw))
        case "bounded":
            text = builder.and_([builder.any_text(), node(of)]) if draw.random() < 0.9 else node(of)
            arguments = (text, *_bounds(draw))
        case "not_" | "is_empty":
            arguments = (node(of),)
        case "quoted":
            text = builder.and_([builder.any_text(), node(of)])
            arguments = (text, draw.choice(("raw", "raw", "free", "bare")))
        case "rule":
            arguments = (f"r{len(rules)}",)
        case "special":
            arguments = (draw.choice((SPECIAL, SPECIAL, "<unknown>")),)
        case "accepts":
            arguments = (node(of), word(draw, 3))
        case "object":
            arguments, keywords = _object(builder, draw, nodes)
        case "array":
            arguments, keywords = _array(builder, draw, nodes)
        case _:
            arguments = ()
    text = ", ".join([*map(repr, arguments), *(f"{key}={value!r}" for key, value in keywords.items())])

    def make() -> Any:
        made = getattr(builder, kind)(*arguments, **keywords)
        if kind == "rule":
            rules.append(made)
        return made

    return f"{kind}({text})", make


REGULAR = {
    "empty", "epsilon", "literal", "words", "byte_class", "char_class", "cat", "and_", "not_", "any_text", "bounded",
    "quoted",
}  # fmt: skip
LEAVES = [
    "literal",
    "literal",
    "words",
    "words",
    "char_class",
    "char_class",
    "byte_class",
    "any_text",
    "rule",
    "special",
]
BRANCHES = [
    *["cat", "cat", "alt", "alt", "seq", "seq", "repeat", "repeat", "quoted", "object", "object", "array", "array"],
    *["and_", "not_", "bounded"],
]
ASIDE = [*LEAVES, "empty", "epsilon", "is_empty", "accepts"]


def word(draw: random.Random, most: int) -> bytes:
    if draw.random() < 0.03:
        return draw.randbytes(draw.randrange(1, 4))
    length = draw.randrange(1, most + 1) if draw.random() < 0.95 else 0
    return "".join(draw.choices(CHARACTERS[:5] if draw.random() < 0.5 else CHARACTERS, k=length)).encode()


def _bounds(draw: random.Random) -> tuple[int, int | None]:
    if draw.random() < 0.04:
        return draw.choice(((5, 2), (0, 1 << 62), (1 << 62, None), (0, 1 << 64), (-1, 2), (100_000, 100_000)))
    least = draw.choice((0, 0, 1, 2))
    return least, draw.choice((None, least, least + 1, least + 3))


def _spaced(builder: GrammarBuilder, draw: random.Random) -> dict[str, int]:
    space = builder.repeat(builder.literal(b" "), 0, 1) if draw.random() < 0.3 else builder.epsilon()
    return {
        "colon": builder.cat([builder.literal(b":"), space]),
        "comma": builder.cat([builder.literal(b","), space]),
    }


def _object(builder: GrammarBuilder, draw: random.Random, nodes: list[int]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    marked = draw.random() < 0.3

    def values() -> list[tuple[int, int]]:
        count = draw.choice((0, 1, 1, 1, 1, 2))
        return [(draw.choice(nodes[-5:]), draw.randrange(4) if marked else 0) for _ in range(count)]

    keys = ["a", "b", "c", "ab", "é", '"', "\n"]
    properties = [(key, draw.random() < 0.4, values()) for key in draw.sample(keys, draw.randrange(4))]
    extras = [
        (builder.words([key.encode() for key in draw.sample([*keys, "x", "xé"], 2)]), values())
        if draw.random() < 0.6
        else (builder.any_text(), values())
        for _ in range(draw.randrange(2))
    ]
    count = len(properties) + (1 if draw.random() < 0.02 else 0)
    implies = [(draw.randrange(count), draw.randrange(count)) for _ in range(draw.randrange(3))] if count else []
    keywords: dict[str, Any] = {
        "open": builder.literal(b"{"),
        "close": builder.literal(b"}"),
        **_spaced(builder, draw),
        "empty": builder.literal(b"{}"),
        "min_properties": draw.choice((0, 0, 0, 1, 2, 9)),
        "max_properties": draw.choice((None, None, None, 0, 1, 2)),
        "required_marks": draw.randrange(4) if marked else 0,
        "clauses": [(draw.randrange(4), draw.randrange(4)) for _ in range(draw.randrange(3))] if marked else [],
        "implies": implies if draw.random() < 0.3 else [],
        "any_order": draw.random() < 0.3,
        "extras_last": draw.random() < 0.7,
    }
    return (properties, extras), keywords


def _array(builder: GrammarBuilder, draw: random.Random, nodes: list[int]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    unique = draw.random() < 0.2
    rest: int | None = draw.choice((None, draw.choice(nodes[-5:])))
    if unique:
        rest = builder.words([b"1", b"2", b"1.0", b"10", b'"a"'][: draw.randrange(1, 6)])
    keywords: dict[str, Any] = {
        "open": builder.literal(b"["),
        "close": builder.literal(b"]"),
        "comma": _spaced(builder, draw)["comma"],
        "empty": builder.literal(b"[]"),
        "min_items": draw.choice((0, 0, 0, 1, 2, 5)),
        "max_items": draw.choice((None, None, 0, 1, 3)),
        "unique": unique,
    }
    prefix = [] if unique else [draw.choice(nodes[-5:]) for _ in range(draw.randrange(3))]
    return (prefix, rest), keywords


def spans(draw: random.Random, grammar: Grammar) -> list[bytes]:
    """Cuttings of a text of the grammar, parts of it repeated: several members in a token, one twice, say."""
    matcher = grammar.compile(SINGLE).matcher()
    text = b""
    while len(text) < 32 and (allowed := [token for token in matcher.allowed() if token < 256]):
        likely = [token for token in allowed if token in LIKELY]
        text += bytes([draw.choice(likely or allowed)])
        matcher.advance(text[-1])
    found = []
    for _ in range(draw.randrange(16)):
        longer = b",".join(draw.choices(text.split(b","), k=draw.randrange(1, 5)))
        start = draw.randrange(len(longer) + 1)
        found.append(longer[start : start + draw.randrange(1, 20)])
    return found


SINGLE = Vocabulary([*(bytes([byte]) for byte in range(256)), None], eos=[256])
LIKELY = frozenset(b'{}[]":,ab1')


def vocabulary(draw: random.Random, pieces: list[bytes], log: list[str], grammar: Grammar) -> Vocabulary:
    """Tokens of these pieces, of the grammar's texts, of neither; special ones, doubles, gaps, ids beyond the end."""
    kept = draw.choice((0.5, 0.9, 1.0))
    texts = [piece for piece in pieces if draw.random() < kept]
    tokens: list[bytes | None] = [
        *texts,
        *(spans(draw, grammar) if draw.random() < 0.5 else []),
        *(b"".join(draw.choices(pieces, k=2)) for _ in range(draw.randrange(4))),
        *(draw.choice(CHARACTERS).encode() for _ in range(draw.randrange(6))),
        *(draw.choice(CHARACTERS).encode()[:1] for _ in range(draw.randrange(3))),
    ]
    if draw.random() < 0.3:
        tokens.append(None)
    if draw.random() < 0.1:
        tokens.append(b"")
    draw.shuffle(tokens)
    special = {SPECIAL: len(tokens), "<end>": len(tokens) + 1}
    tokens += [None, None]
    eos = draw.choice(([special["<end>"]], [special["<end>"]], [special["<end>"], special[SPECIAL]], []))
    size = draw.choice((None, None, len(tokens) + draw.randrange(40)))
    if draw.random() < 0.03:
        size = draw.choice((0, 1, -1, 1 << 64, -(1 << 40)))
    if draw.random() < 0.03:
        eos = [draw.choice((0, len(tokens) + 100, 1 << 33, -1))]
    if draw.random() < 0.02:
        special["<far>"] = draw.choice((0, len(tokens) + 100, 1 << 33))
    log.append(f"Vocabulary({tokens!r}, special={special!r}, eos={eos!r}, size={size!r})")
    return Vocabulary(tokens, special=special, eos=eos, size=size)
