"""Inputs made to exhaust → answered or refused by a typed error, in bounded time and memory, nothing left behind."""

from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..corpus import Tokenizer
from . import apart, ending
from .bound import Row

PART = "Hostile inputs"
SECONDS = 5.0
MEGABYTES = 1000.0
CALL_SECONDS, CALL_MEGABYTES = 2.0, 300.0
"""What one call may take under the default limits: seconds of the processor, and memory beyond what was there."""
LEFT = 128.0
"""MB that may stay when all is dropped: what is kept for other grammars of the vocabulary is among it."""
STEPS = 64


@dataclass(frozen=True)
class Hostile:
    """What makes the grammar; a text that is written byte by byte under the masks before the random steps; whether each
    step also asks how many tokens finish the text, and for a mask with room for 60 tokens."""

    make: Callable[[], Any]
    script: bytes = b""
    room: bool = False


@dataclass(frozen=True)
class Attempt:
    answer: str
    seconds: float
    longest: float
    masks: int
    before: float
    left: float
    threads: int


def rows(tokenizer: Tokenizer, *, only: str = "") -> Iterator[Row]:
    # The allocator keeps freed memory for a while, to use it again. Memory that is left is to be memory in use.
    os.environ["MIMALLOC_PURGE_DELAY"] = "0"
    for name in inputs():
        if only not in name:
            continue
        outcome = apart.run(attempt, tokenizer, name, seconds=4 * SECONDS, megabytes=6000)
        found = outcome.value
        if found is None:
            found = Attempt(outcome.error, outcome.seconds, outcome.seconds, 0, 0.0, 0.0, 0)
        left = found.left - found.before
        broken = [
            *(["no typed error"] if outcome.value is None or found.answer.startswith("untyped") else []),
            *([f"more than {MEGABYTES:g} MB"] if outcome.peak_megabytes > MEGABYTES else []),
            *([f"a call of more than {CALL_SECONDS:g} s"] if found.longest > CALL_SECONDS else []),
            *([f"{CALL_MEGABYTES:g} MB grown"] if outcome.peak_megabytes - found.before > CALL_MEGABYTES else []),
            *([f"more than {LEFT:g} MB left"] if left > LEFT else []),
            *([f"{found.threads} threads left"] if found.threads > 0 else []),
        ]
        told = [
            *([f"**{', '.join(broken)}**"] if broken else []),
            found.answer if found.answer != "answered" else f"{found.masks} masks",
            f"longest call {found.longest:.2f} s, peak {outcome.peak_megabytes:,.0f} MB, left {left:,.0f} MB",
        ]
        yield Row(PART, name, "seconds", found.seconds, SECONDS, "s", note="; ".join(told), failed=bool(broken))
    if only in "cancellation":
        yield from ending.rows(tokenizer)


def attempt(tokenizer: Tokenizer, name: str) -> Attempt:
    """Compile, then masks along the script and along random steps. An error ends it; its type is the answer."""
    import frisket

    hostile = inputs()[name]
    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    byte = {token[0]: index for index, token in enumerate(tokenizer.tokens) if token is not None and len(token) == 1}
    frisket.Grammar.from_json_schema({"type": "object", "properties": {"warm": {}}}).compile(vocabulary).matcher()
    bitmask = np.zeros((2, tokenizer.mask_words), dtype=np.uint32)
    make = hostile.make  # its schema is made here, before anything counts
    arguments = make()
    apart.trim()
    threads, before = apart.threads(), apart.resident()
    began = time.perf_counter()
    answer, masks, longest = _walk(arguments, hostile, vocabulary, byte, bitmask)
    seconds = time.perf_counter() - began
    del arguments
    apart.trim()
    return Attempt(answer, seconds, longest, masks, before, apart.resident(), apart.threads() - threads)


def _walk(source: Any, hostile: Hostile, vocabulary: Any, byte: dict[int, int], bitmask: Any) -> tuple[str, int, float]:
    """The answer, the masks that were made, and the seconds that the processor took for the longest call."""
    from frisket import FrisketError

    masks, longest = 0, 0.0
    draw, script = random.Random(11), hostile.script
    asked: list[str] = []

    def call(act: Callable[[], Any]) -> Any:
        nonlocal longest
        began = time.process_time()
        try:
            return act()
        finally:
            longest = max(longest, time.process_time() - began)

    def ask(name: str, act: Callable[[], Any]) -> None:
        """Calls of which each may end at a limit of its own."""
        try:
            call(act)
        except FrisketError as error:
            asked.append(f"{name}: {type(error).__name__}")

    try:
        grammar = call(source)
        matcher = call(lambda: grammar.compile(vocabulary)).matcher()
        for step in range(len(script) + STEPS):
            call(lambda: matcher.fill_mask(bitmask, 0))
            masks += 1
            if hostile.room and not asked:
                ask("can_finish", lambda: matcher.can_finish(60))
                ask("least_tokens", matcher.least_tokens)
                ask("mask with room", lambda: matcher.fill_mask(bitmask, 1, room=60))
            if step >= len(script) or not call(lambda at=step: matcher.try_advance(byte[script[at]])):
                allowed = np.flatnonzero(np.unpackbits(bitmask[0].view(np.uint8), bitorder="little"))
                token = int(draw.choice(allowed))
                call(lambda token=token: matcher.advance(token))
            if matcher.ended:
                break
    except FrisketError as error:
        where = f"{type(error).__name__}, {masks} masks: " if masks else f"{type(error).__name__}: "
        return where + str(error.message)[:110].replace("\n", " "), masks, longest
    except BaseException as error:
        return f"untyped {type(error).__name__}: {str(error)[:110]}", masks, longest
    return ", ".join(["answered", *asked]) if asked else "answered", masks, longest


def inputs() -> dict[str, Hostile]:
    return {
        "schema: arrays 3,000 deep": _schema(lambda: _deep(3000, lambda inner: {"type": "array", "items": inner})),
        "schema: objects 3,000 deep": _schema(lambda: _deep(3000, lambda inner: {"properties": {"a": inner}})),
        "schema: text of 100,000 brackets": Hostile(lambda: _later(_json, '{"items":' * 100_000)),
        "schema: a dict that holds itself": _schema(_cyclic),
        "text: arrays 3,000 deep": _schema(lambda: {"type": "array"}, b"[" * 3000),
        "text: objects 2,000 deep": _schema(lambda: {"type": "object"}, b'{"a":' * 2000),
        "enum of 20,000 strings": _schema(lambda: {"enum": [f"{n * 7919 % 99991:05}-{n}" for n in range(20_000)]}),
        "2,000 optional properties": _schema(
            lambda: {"properties": {f"p{n}": {"type": "integer"} for n in range(2000)}}, b'{"p1999":1'
        ),
        "2,000 optional properties, any order": Hostile(
            lambda: _later(_json, {"properties": {f"p{n}": {"type": "integer"} for n in range(2000)}}, any_order=True),
            b'{"p7":1,"p1999":1,"p3":',
        ),
        "10,000 required properties": _schema(
            lambda: {"type": "object", "required": [f"p{n}" for n in range(10_000)]}, b'{"p0":1,"p9999":1'
        ),
        "maxItems 2^64-1": _schema(lambda: {"type": "array", "maxItems": 2**64 - 1}),
        "minItems 2^64-1": _schema(lambda: {"type": "array", "minItems": 2**64 - 1}),
        "maxLength 2^64-1": _schema(lambda: {"type": "string", "maxLength": 2**64 - 1}),
        "minLength 2^64-1": _schema(lambda: {"type": "string", "minLength": 2**64 - 1}),
        "maxProperties 2^64-1": _schema(lambda: {"type": "object", "maxProperties": 2**64 - 1}),
        "minProperties 10^9": _schema(lambda: {"type": "object", "minProperties": 10**9}),
        "minContains 10^6": _schema(lambda: {"type": "array", "contains": {"const": 1}, "minContains": 10**6}),
        "minimum 10^4000": _schema(lambda: {"type": "integer", "minimum": 10**4000}),
        "multipleOf 982,451,653": _schema(lambda: {"type": "integer", "multipleOf": 982_451_653}),
        "multipleOf 1e-300": _schema(lambda: {"type": "number", "multipleOf": 1e-300}),
        "const of a megabyte": _schema(lambda: {"const": "x" * 1_000_000}),
        "const 900 deep": _schema(lambda: {"const": _deep(900, lambda inner: [inner])}),
        "oneOf nested 16 deep": _schema(
            lambda: _deep(16, lambda inner: {"oneOf": [{"properties": {"a": inner}}, {"properties": {"b": inner}}]})
        ),
        "oneOf of 60 overlapping objects": _schema(
            lambda: {
                "oneOf": [{"properties": {f"p{n}": {"multipleOf": n + 2}, f"q{n}": {"minimum": n}}} for n in range(60)]
            }
        ),
        "oneOf of 2,000 numbers": _schema(lambda: {"oneOf": [{"const": n} for n in range(2000)]}, b"19"),
        "oneOf of 2,000 texts": _schema(lambda: {"oneOf": [{"const": f"v{n}"} for n in range(2000)]}, b'"v19'),
        "anyOf nested 16 deep": _schema(
            lambda: _deep(16, lambda inner: {"anyOf": [{"items": inner}, {"properties": {"b": inner}}]})
        ),
        "allOf of 40 anyOf pairs": _schema(
            lambda: {"allOf": [{"anyOf": [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}]} for n in range(40)]}
        ),
        "not nested 200 deep": _schema(lambda: _deep(200, lambda inner: {"not": inner}, {"type": "string"})),
        "if/then/else chain of 40": _schema(
            lambda: {
                "allOf": [
                    {
                        "if": {"properties": {"k": {"const": n}}, "required": ["k"]},
                        "then": {"required": [f"r{n}"]},
                        "else": {"properties": {f"r{n}": False}},
                    }
                    for n in range(40)
                ]
            }
        ),
        "oneOf of 40 multipleOf": _schema(lambda: {"oneOf": [_multiple(n) for n in range(2, 42)]}, b"12"),
        "oneOf of 12 prime multipleOf": _schema(
            lambda: {"oneOf": [_multiple(n) for n in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)]}, b"12"
        ),
        "$ref to itself": _schema(lambda: {"$ref": "#"}),
        "$ref cycle of 3": _schema(
            lambda: {
                "$ref": "#/$defs/a",
                "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/c"}, "c": {"$ref": "#/$defs/a"}},
            }
        ),
        "allOf cycle": _schema(lambda: {"allOf": [{"$ref": "#"}, {"type": "object"}]}),
        "not of itself": _schema(lambda: {"not": {"$ref": "#"}}),
        "items of itself, required": _schema(lambda: {"type": "array", "items": {"$ref": "#"}, "minItems": 1}),
        "$ref doubling, 30 levels": _schema(
            lambda: {
                "$ref": "#/$defs/d0",
                "$defs": {
                    **{
                        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
                        for n in range(30)
                    },
                    "d30": {"type": "string"},
                },
            }
        ),
        "$ref doubling in properties, 30 levels": _schema(
            lambda: {
                "$ref": "#/$defs/d0",
                "$defs": {
                    **{
                        f"d{n}": {
                            "properties": {"a": {"$ref": f"#/$defs/d{n + 1}"}, "b": {"$ref": f"#/$defs/d{n + 1}"}}
                        }
                        for n in range(30)
                    },
                    "d30": {"type": "string"},
                },
            }
        ),
        "dependentRequired chain of 2,000": _schema(
            lambda: {"type": "object", "dependentRequired": {f"p{n}": [f"p{n + 1}"] for n in range(2000)}}
        ),
        "14 overlapping patternProperties": _schema(
            lambda: {"patternProperties": {f"a{n}.*b{n}": {"type": "integer", "minimum": n} for n in range(14)}},
            b'{"a0a1b1',
        ),
        "12 patterns at once": _schema(
            lambda: {"type": "string", "allOf": [{"pattern": f"a{n}.*b{n}"} for n in range(12)]}, b'"a0a1a2'
        ),
        "uniqueItems of an enum of 300": _schema(
            lambda: {"type": "array", "items": {"enum": list(range(300))}, "uniqueItems": True}, b"[1,10,100,2"
        ),
        "uniqueItems of any JSON": _schema(lambda: {"type": "array", "uniqueItems": True}, b'[{"a":[1]},{"a":[2]}'),
        "unevaluatedProperties under 12 anyOf": _schema(
            lambda: {
                "anyOf": [{"properties": {f"p{n}": {"type": "integer"}}} for n in range(12)],
                "unevaluatedProperties": False,
            }
        ),
        "format idn-hostname with maxLength 20": _schema(
            lambda: {"type": "string", "format": "idn-hostname", "maxLength": 20}
        ),
        "regex: ((a{0,100}){0,100}){0,100}": _regex("((a{0,100}){0,100}){0,100}", b"a" * 300),
        "regex: (((((ab?){1,30}){1,30}){1,30}){1,30}){1,30}": _regex(
            "(((((ab?){1,30}){1,30}){1,30}){1,30}){1,30}", b"ab" * 150
        ),
        "regex: (a{1000000}){1000000}, with room": Hostile(
            lambda: _later(_pattern, "(a{1000000}){1000000}"), b"a" * 3, room=True
        ),
        "regex: a in ten {9}, with room": Hostile(
            lambda: _later(_pattern, "(" * 9 + "a{9}" + "){9}" * 9), b"a" * 3, room=True
        ),
        "regex: (a{1,1000}){1,1000}b": _regex("(a{1,1000}){1,1000}b", b"a" * 300),
        "regex: a{1000000}": _regex("a{1000000}", b"a" * 300),
        "regex: (a?){500}a{500}": _regex("(a?){500}a{500}", b"a" * 490),
        "regex: (a|b)*a(a|b){30}": _regex("(a|b)*a(a|b){30}", b"abbabaab" * 30),
        "regex: (.*a){12}": _regex("(.*a){12}", b"abbabaab" * 10),
        "regex: (x+x+)+y": _regex("(x+x+)+y", b"x" * 300),
        "regex: 20 lookaheads": _regex("".join(f"(?=.*a{n}b)" for n in range(20)) + ".*", b"a1ba2ba3b"),
        "regex: lookaheads in a loop": _regex("((?=.*a)(?!.*bb)[ab]c?)*z", b"abcabc"),
        "regex: a megabyte of text": _regex("a" * 1_000_000, b"a" * 300),
        "regex: a megabyte of (a|b)": _regex("(a|b)" * 200_000, b"ab" * 150),
        "regex: a megabyte of [a-z]{1,9}": _regex("[a-z]{1,9}" * 100_000, b"ab" * 150),
        "regex: a megabyte of alternatives": _regex("|".join(f"{n * 7919 % 99991:09}" for n in range(100_000)), b"00"),
        "regex: a megabyte of (": _regex("(" * 1_000_000),
        "regex: 5,000 nested groups": _regex("(" * 5000 + "a" + ")*" * 5000, b"aaa"),
        "regex: \\w{1,5000} in ignored case": _regex("(?i)\\w{1,5000}", b"Stra" * 20),
        "pattern of a megabyte of {": _schema(lambda: {"type": "string", "pattern": "{" * 1_000_000}),
        "pattern of a megabyte in a schema": _schema(lambda: {"type": "string", "pattern": "ab?" * 300_000}),
        "grammar: w+ of wide names and brackets": _gbnf(
            'root ::= w+\nw ::= [!-\'*-~]+ c?\nc ::= "(" c* ")"\n', b"ab(()())cd((" * 3
        ),
        "grammar: a million of a recursive rule": _gbnf(
            'root ::= x{1000000}\nx ::= "a" | "(" x ")"\n', b"a((", room=True
        ),
        "grammar: 50,000 chained rules": _gbnf(
            "\n".join(f'r{n} ::= "a" r{n + 1}' for n in range(50_000)) + '\nr50000 ::= "b"\nroot ::= r0\n',
            b"aaa",
            room=True,
        ),
        "grammar: 50,000 nested options": _gbnf(
            "root ::= " + '("a" ' * 50_000 + '"b"' + ")?" * 50_000, b"aaa", room=True
        ),
        "grammar: root ::= root": _rules(lambda b, r: b.define(r, r)),
        'grammar: root ::= "a" root': _rules(lambda b, r: b.define(r, b.seq([b.literal(b"a"), r]))),
        'grammar: root ::= (("" | "a")*)* "b"': _rules(
            lambda b, r: b.define(
                r,
                b.seq([b.repeat(b.repeat(b.alt([b.epsilon(), b.literal(b"a")]), 0, None), 0, None), b.literal(b"b")]),
            ),
            b"a" * 300,
        ),
        'grammar: e ::= e e | "a"': _rules(
            lambda b, r: b.define(r, b.alt([b.seq([r, r]), b.literal(b"a")])), b"a" * 300
        ),
        'grammar: s ::= s s s | s s | "" | "a"': _rules(
            lambda b, r: b.define(r, b.alt([b.seq([r, r, r]), b.seq([r, r]), b.epsilon(), b.literal(b"a")])), b"a" * 300
        ),
        "grammar: expressions without precedence": _rules(
            lambda b, r: b.define(
                r,
                b.alt(
                    [
                        *(b.seq([r, b.literal(sign), r]) for sign in (b"+", b"*", b"-", b"/")),
                        b.seq([b.literal(b"("), r, b.literal(b")")]),
                        b.literal(b"n"),
                    ]
                ),
            ),
            b"n+n*" * 75,
        ),
        "grammar: palindromes": _rules(
            lambda b, r: b.define(
                r,
                b.alt([*(b.seq([b.literal(c), r, b.literal(c)]) for c in (b"a", b"b")), b.epsilon(), b.literal(b"a")]),
            ),
            b"abba" * 60,
        ),
        "grammar: 2,000 rules, left-recursive ring": _rules(_ring, b"ab" * 50),
        "grammar: 2,000 nullable rules in a row": _rules(_nullable, b"zz"),
        "grammar: a rule that doubles, 40 levels": _rules(_doubling, b"a" * 300),
        "lark: a parameter of 20 bits": _notation("from_lark", _parametric, b"iii"),
        "xgrammar: TagDispatch of 2,000 tags": _notation("from_ebnf", _dispatch, b"a <tag7", dialect="xgrammar"),
        "abnf: 20,000 lines of =/": _notation("from_abnf", _alternatives, b"19"),
        "grammar: intersection of coprime loops": _rules(
            lambda b, r: b.define(
                r,
                b.and_(
                    [b.repeat(b.literal(b"a" * length), 1, None) for length in (997, 991, 983, 977, 971, 967)]
                    + [b.repeat(b.literal(b"a"), 1, 10**15)]
                ),
            )
        ),
    }


def _schema(make: Callable[[], Any], script: bytes = b"") -> Hostile:
    return Hostile(lambda: _later(_json, make()), script)


def _regex(pattern: str, script: bytes = b"") -> Hostile:
    return Hostile(lambda: _later(_pattern, pattern), script)


def _rules(define: Callable[[Any, int], None], script: bytes = b"") -> Hostile:
    return Hostile(lambda: _later(_build, define), script)


def _notation(constructor: str, make: Callable[[], str], script: bytes = b"", **keywords: str) -> Hostile:
    return Hostile(lambda: _later(_written, constructor, make(), **keywords), script)


def _written(constructor: str, text: str, **keywords: str) -> Any:
    import frisket

    return getattr(frisket.Grammar, constructor)(text, **keywords)


def _parametric() -> str:
    calls = [f'    | "i" p::set_bit({bit}) %if bit_clear({bit})' for bit in range(20)]
    return "\n".join(["start: p::0", 'p::_: "" %if is_ones([0:20])', *calls])


def _dispatch() -> str:
    rules = [f'r{place} ::= "a{place}"' for place in range(2_000)]
    tags = ", ".join(f'("<tag{place}>", r{place})' for place in range(2_000))
    return "\n".join([f"root ::= TagDispatch({tags})", *rules])


def _alternatives() -> str:
    return "\n".join(['a = "0"', *(f'a =/ "{place}"' for place in range(1, 20_000))])


def _gbnf(text: str, script: bytes = b"", *, room: bool = False) -> Hostile:
    return Hostile(lambda: _later(_written, "from_gbnf", text), script, room=room)


def _later(make: Callable[..., Any], *arguments: Any, **keywords: Any) -> Callable[[], Any]:
    return lambda: make(*arguments, **keywords)


def _json(schema: Any, *, any_order: bool = False) -> Any:
    import frisket
    from frisket.json_schema import JSONSchemaOptions

    options = JSONSchemaOptions(property_order="any") if any_order else None
    return frisket.Grammar.from_json_schema(schema, options)


def _pattern(pattern: str) -> Any:
    import frisket

    return frisket.Grammar.from_regex(pattern)


def _multiple(divisor: int) -> Any:
    return {"type": "integer", "multipleOf": divisor}


def _build(define: Callable[[Any, int], None]) -> Any:
    from frisket import Grammar, _core

    builder = _core.GrammarBuilder()
    root = builder.rule("root")
    define(builder, root)
    return Grammar(builder.build(root))


def _deep(levels: int, around: Callable[[Any], Any], inner: Any = True) -> Any:
    for _ in range(levels):
        inner = around(inner)
    return inner


def _cyclic() -> Any:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    return schema


def _ring(builder: Any, root: int) -> None:
    rules = [root, *(builder.rule(f"r{n}") for n in range(1, 2000))]
    for place, rule in enumerate(rules):
        after = rules[(place + 1) % len(rules)]
        builder.define(rule, builder.alt([builder.seq([after, builder.literal(b"a")]), builder.literal(b"ab")]))


def _nullable(builder: Any, root: int) -> None:
    rules = [builder.rule(f"r{n}") for n in range(2000)]
    for rule in rules:
        builder.define(rule, builder.alt([builder.epsilon(), builder.seq([builder.literal(b"z"), rule])]))
    builder.define(root, builder.seq([*rules, builder.literal(b"z")]))


def _doubling(builder: Any, root: int) -> None:
    rules = [root, *(builder.rule(f"r{n}") for n in range(1, 40))]
    for rule, inner in itertools.pairwise(rules):
        builder.define(rule, builder.seq([inner, inner]))
    builder.define(rules[-1], builder.literal(b"a"))
