"""Arrays of different items, whatever items are: values, not spellings; and never a dead end."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions
from frisket._core import GrammarBuilder, Vocabulary
from frisket.errors import EmptyGrammarError, UnsatisfiableSchemaError

PAIR = {
    "type": "object",
    "properties": {"n": {"type": "string"}, "k": {"enum": ["a", "b"]}},
    "required": ["n", "k"],
    "additionalProperties": False,
}
FREE = JSONSchemaOptions.free()
TOKENS = [bytes([value]) for value in range(256)] + [b"},{", b'",', b'"}', b'"}]', b"],[", b'":', b"}]", b"1,1"]


def unique(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True, **more}


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        (unique({}), "[1, true, [1], {}, [], 10, 0, false, null]", "[[1], [1.0]]"),
        (unique({}), '[{"a": 1}, {"a": 2}]', '[{"a": 1, "b": 2}, {"b": 2, "a": 1}]'),
        (unique({}), '["a", "\\u0062"]', '["a", "\\u0061"]'),
        (unique({}), '["\\"", "\\\\"]', '["\\ud83d\\ude00", "😀"]'),
        (unique({}), "[1e2, 1e3, -1, 0.1]", "[100, 1e2]"),
        (unique({}), "[12345678901234567890, 12345678901234567891]", "[0, -0.0]"),
        (unique(PAIR), '[{"n": "x", "k": "a"}, {"n": "x", "k": "b"}]', '[{"n": "x", "k": "a"}, {"k": "a", "n": "x"}]'),
        (unique({}, prefixItems=[{}, {"type": "boolean"}]), "[1, true]", "[true, true]"),
        (unique({}, contains={"type": "integer"}), "[1, [1], [2]]", "[1, [1], [1]]"),
        (unique({"$ref": "#"}), "[[], [[]]]", "[[], []]"),
    ],
)
def test_values_are_compared(schema: dict[str, Any], valid: str, invalid: str) -> None:
    grammar = Grammar.from_json_schema(schema, FREE)
    assert grammar.accepts(valid)
    assert not grammar.accepts(invalid)


@pytest.mark.parametrize(
    "schema",
    [
        unique({"type": "boolean"}, minItems=3),
        unique({"type": "array", "items": {"type": "boolean"}, "maxItems": 1}, minItems=4),
        unique(False, prefixItems=[{"const": 1}, {"const": 1}], minItems=2),
        unique(False, prefixItems=[{"enum": [1, 2]}, {"const": 1}, {"const": 2}], minItems=3),
    ],
)
def test_too_few_values(schema: dict[str, Any]) -> None:
    with pytest.raises((UnsatisfiableSchemaError, EmptyGrammarError)):
        Grammar.from_json_schema(schema)


def test_an_item_leaves_the_values_that_later_items_need() -> None:
    schema = unique(False, prefixItems=[{"enum": [[1], [2]]}, {"const": [2]}], minItems=2)
    grammar = Grammar.from_json_schema(schema)
    assert grammar.accepts_prefix("[[1]")
    assert not grammar.accepts_prefix("[[2")


def test_an_item_that_could_only_repeat_is_not_begun() -> None:
    grammar = Grammar.from_json_schema(unique(PAIR), JSONSchemaOptions(whitespace="compact"))
    used = '[{"n":"x","k":"a"},{"n":"x","k":"b"},{"n":"x'
    assert grammar.accepts_prefix(used)
    assert not grammar.accepts_prefix(used + '"'), "both kinds of x came"
    assert grammar.accepts(used + 'y","k":"a"}]')


@pytest.mark.parametrize("seed", range(12))
def test_masks_agree_with_the_grammar_and_walks_end(seed: int) -> None:
    """Items that often differ at their end only, with few values there."""
    rng = random.Random(seed)
    few = {"type": "string", "pattern": "^[ab]{1,2}$"}
    item = rng.choice(
        (
            {"type": "object", "properties": {"a": few, "b": few}, "required": ["b"], "additionalProperties": False},
            {"type": "array", "prefixItems": [{"type": "number"}, few], "items": False, "minItems": 2},
            {"type": "array", "items": {"enum": [1, "a"]}, "uniqueItems": True},
        )
    )
    grammar = Grammar.from_json_schema(unique(item, maxItems=6), JSONSchemaOptions(whitespace="compact"))
    matcher = grammar.core.compile(Vocabulary([*TOKENS, None], eos=[len(TOKENS)])).matcher()
    text = b""
    while True:
        allowed = matcher.allowed()
        expected = {n for n, token in enumerate(TOKENS) if grammar.core.accepts_prefix(text + token)}
        assert set(allowed) - {len(TOKENS)} == expected, text
        if not expected or (matcher.can_end and rng.random() < 0.1):
            break
        closing = [n for n in sorted(expected) if TOKENS[n] in (b'"', b"}", b"]", b",")]
        token_id = rng.choice(closing if closing and (len(text) > 60 or rng.random() < 0.3) else sorted(expected))
        matcher.advance(token_id)
        text += TOKENS[token_id]
    assert matcher.can_end, text
    values = [json.dumps(value, sort_keys=True) for value in json.loads(text)]
    assert len(set(values)) == len(values)


WORDS = {"enum": ["a", 1, "b"]}
PAIRS = {"type": "array", "prefixItems": [{"enum": ["a", 1]}], "items": {"enum": ["a", 1]}, "uniqueItems": True}
NESTED = {
    "prefix and rest": unique({**PAIRS, "minItems": 1, "maxItems": 2}),
    "first item only": unique(False, prefixItems=[{**PAIRS, "minItems": 1, "maxItems": 2}], maxItems=1),
    "one kind": unique(unique(WORDS)),
    "many kinds": unique(unique({"type": "string", "pattern": "^[ab]{0,2}$"}), maxItems=4),
    "three deep": unique(unique(unique({"enum": ["a", 1]}))),
    "in objects": unique(
        {
            "type": "object",
            "properties": {"x": unique(WORDS), "y": {"enum": ["a", 1]}},
            "required": ["x"],
            "additionalProperties": False,
        }
    ),
    "in no unique array": {"type": "array", "items": unique(WORDS, minItems=2)},
}
NESTED_TOKENS = [
    *(bytes([byte]) for byte in b' [],:{}"1abxy'),
    *(b',"a"', b',"a', b',1', b'"a",', b'"b"', b',"b"]', b'[1,"a"', b'["a"', b'[["a"', b'["a","a"'),
    *(b'],["a"', b'],["a"]', b'"a"]}', b",1],[1"),
    *(b'],[1,"a"]', b'"a","b"', b'"a",1', b"]]", b"]],[[", b'{"x":["a"', b',"a"]},{"x":["a"', b',"y":1}'),
    *(b'["","', b'"","a"', b',"aa","a', b"[],[", b"[],[]", b',[[1],["a"]'),
]  # fmt: skip


@pytest.mark.parametrize(("most", "expected"), [(1, [0, 5]), (2, [0, 1, 2, 3, 4, 5, 9]), (3, [0, 1, 2, 3, 4, 5, 6, 9])])
def test_the_last_item_is_the_one_that_must_come(most: int, expected: list[int]) -> None:
    schema = unique({}, contains={"type": "string"}, maxItems=most)
    grammar = Grammar.from_json_schema(schema, JSONSchemaOptions(whitespace="compact"))
    tokens = [b'"', b"[", b"1", b"1,", b'1,"', b'"a"', b"1,2", b",", b"]", b"2", None]
    matcher = grammar.core.compile(Vocabulary(tokens, eos=[10])).matcher()
    matcher.advance(1)
    assert matcher.allowed() == expected
    assert matcher.allowed() == [n for n in range(10) if matcher.fork().try_advance(n)]


def test_two_spellings_of_one_value_are_no_variety() -> None:
    """After a 1 came, neither 1 nor 1.0 may begin: what both have left after the 1 says nothing alone."""
    b = GrammarBuilder()
    marks = {"open": b.literal(b"["), "close": b.literal(b"]"), "comma": b.literal(b","), "empty": b.literal(b"[]")}
    item = b.words([b"1", b"1.0", b'"a"', b'"\\u0061"', b"true"])
    matcher = b.build(b.array([], item, **marks, unique=True)).compile(Vocabulary([*TOKENS, None], eos=[len(TOKENS)]))
    matcher = matcher.matcher()
    matcher.advance_bytes(b"[1,")
    assert matcher.allowed() == [ord('"'), ord("t")]
    matcher.advance_bytes(b'"a",')
    assert matcher.allowed() == [ord("t")]
    matcher.advance_bytes(b"true")
    assert [n for n in matcher.allowed() if n < 256] == [ord("]")]


def test_a_number_may_be_spelled_otherwise_than_it_is_kept() -> None:
    b = GrammarBuilder()
    marks = {"open": b.literal(b"["), "close": b.literal(b"]"), "comma": b.literal(b","), "empty": b.literal(b"[]")}
    tokens = [b"[", b"]", b",", b"1", b"1.0", b"1.", b".0", b"0", b"1.0,", b'"a"', b"2", b"20", b"12e1", b"1.0,2", None]
    array = b.array([], b.words([b"1.0", b'"a"', b"20", b"12e1"]), **marks, unique=True)
    compiled = b.build(array).compile(Vocabulary(tokens, eos=[len(tokens) - 1]))
    for before in (b"[", b"[1.0", b"[1.0,", b"[12e1,", b"[12e1,1.0,", b'["a",20,1.0,'):
        matcher = compiled.matcher()
        matcher.advance_bytes(before)
        expected = [n for n in range(len(tokens) - 1) if matcher.fork().try_advance(n)]
        assert matcher.allowed() == expected, before


@pytest.mark.parametrize("name", NESTED)
def test_different_items_within_different_items(name: str) -> None:
    """An inner item that begins within a token may repeat one that came, whatever the outer array allows."""
    grammar = Grammar.from_json_schema(NESTED[name], JSONSchemaOptions(whitespace="compact"))
    compiled = grammar.core.compile(Vocabulary([*NESTED_TOKENS, None], eos=[len(NESTED_TOKENS)]))
    for seed in range(12):
        rng = random.Random(seed)
        matcher, text = compiled.matcher(), b""
        for _ in range(20):
            allowed = set(matcher.allowed()) - {len(NESTED_TOKENS)}
            assert allowed == {n for n in range(len(NESTED_TOKENS)) if matcher.fork().try_advance(n)}, text
            if not allowed:
                break
            token = rng.choice(sorted(allowed))
            matcher.advance(token)
            text += NESTED_TOKENS[token]


def test_an_automaton_over_items() -> None:
    b = GrammarBuilder()
    marks = {name: b.literal(text) for name, text in (("open", b"["), ("close", b"]"), ("comma", b","))}
    small, large = b.words([b"1", b"1.0", b"2"]), b.words([b"2", b"30"])
    empty = b.literal(b"[]")
    grammar = b.build(b.array([small], large, **marks, empty=empty, min_items=1, max_items=2, unique=True))
    assert [grammar.accepts(text) for text in (b"[1]", b"[1.0,2]", b"[2,30]", b"[2,2]", b"[]", b"[30]")] == [
        *(True, True, True),
        *(False, False, False),
    ]


SPELLINGS = {
    "integers": ({"type": "integer", "minimum": -2, "maximum": 12}, ("-0", "0", "1", "10", "12", "-1")),
    "numbers": (
        {"type": "number"},
        ("0", "-0", "0e7", "0.0", "1", "1.0", "1e0", "10e-1", "12", "1.2e1", "120e-1", "0.5", "5e-1"),
    ),
    "few numbers": ({"enum": [1, 1.5, 12, 120]}, ("1", "1.5", "12", "120")),
    "strings": (
        {"type": "string", "pattern": '^[ab"]{0,2}$'},
        ('""', '"a"', '"\\u0061"', '"ab"', '"\\u0061b"', '"\\""', '"\\u0022"'),
    ),
    "names": ({"enum": ["a", "ab", "b", "value"]}, ('"a"', '"\\u0061"', '"ab"', '"a\\u0062"', '"b"', '"value"')),
    "objects": (
        {"type": "object", "properties": {"b": {"type": "integer"}, "a": {"enum": ["x", "y"]}}, "required": ["b"]},
        (
            '{"b": 1}',
            '{ "b":1 }',
            '{"b": 1, "a": "x"}',
            '{"b": 1, "a": "\\u0078"}',
            '{"b": 1, "c": 2, "d": 3}',
            '{"b": 1, "d": 3, "c": 2}',
        ),
    ),
    "any": ({}, ("1", "1.0", '"1"', "[1]", "[ 1.0]", '{"a": 1, "b": 2}', '{"b": 2, "a": 1}', "null", "[]", "{}")),
}


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("seed", range(4))
def test_random_items_in_other_spellings(name: str, seed: int) -> None:
    """Whole texts and masks against what Python says of the values, by tokens that hold several items at once."""
    items, spellings = SPELLINGS[name]
    rng = random.Random(seed)
    grammar = Grammar.from_json_schema(unique(items), FREE)
    pairs = [f"{one},{other}" for one, other in itertools.pairwise(spellings)]
    pieces = [text[at : at + 3].encode() for text in (*spellings, *pairs) for at in range(len(text))]
    tokens = list(dict.fromkeys([*TOKENS, *pieces]))
    compiled = grammar.core.compile(Vocabulary([*tokens, None], eos=[len(tokens)]))
    alone = Grammar.from_json_schema(items, FREE)
    usable = [text for text in spellings if alone.accepts(text)]
    assert len(usable) > 2
    for _ in range(12):
        chosen = rng.sample(usable, min(len(usable), rng.randint(2, 4)))
        text = f"[{', '.join(chosen)}]"
        values = {json.dumps(value, sort_keys=True) for value in map(normal, json.loads(text))}
        assert grammar.accepts(text) == (len(values) == len(chosen)), text
        matcher = compiled.matcher()
        end = len(text.encode()) if len(values) == len(chosen) else rng.randrange(2, len(text))
        while matcher.steps < end and grammar.accepts_prefix(text[: matcher.steps]):
            before = text.encode()[: matcher.steps]
            expected = {n for n, token in enumerate(tokens) if grammar.core.accepts_prefix(before + token)}
            assert set(matcher.allowed()) - {len(tokens)} == expected, before
            if not matcher.try_advance(text.encode()[matcher.steps]):
                break


def normal(value: Any) -> Any:
    """1 and 1.0 are one value, and true is none of them."""
    if isinstance(value, list):
        return [normal(item) for item in value]
    if isinstance(value, dict):
        return {key: normal(item) for key, item in value.items()}
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


@pytest.mark.parametrize(
    "items", [{"type": "integer"}, {"type": "string"}, PAIR, {"enum": [f"v{n}" for n in range(400)]}]
)
def test_memory_is_linear_in_the_items(items: dict[str, Any]) -> None:
    """As many items take as much at the end as in the middle: nothing holds all of them for each."""
    compiled = Grammar.from_json_schema(unique(items)).core.compile(Vocabulary([*TOKENS, None], eos=[len(TOKENS)]))
    matcher = compiled.matcher()
    sizes = []
    for number in range(400):
        item = {"n": f"x{number}", "k": "a"} if items is PAIR else f"v{number}" if "enum" in items else number
        text = json.dumps(str(item) if items == {"type": "string"} else item)
        for byte in ("[" if number == 0 else ", ").encode() + text.encode():
            assert byte in matcher.allowed()
            matcher.advance(byte)
        sizes.append(compiled.memory_bytes)
    assert sizes[399] - sizes[299] < 2 * (sizes[199] - sizes[99]), sizes[::50]


def test_only_what_is_left_is_forced() -> None:
    grammar = Grammar.from_json_schema(
        unique({"enum": ["ab", "cd"]}, minItems=2), JSONSchemaOptions(whitespace="compact")
    )
    matcher = grammar.core.compile(Vocabulary([*TOKENS, None], eos=[len(TOKENS)])).matcher()
    matcher.advance_bytes(b'["ab')
    assert matcher.forced_bytes() == b'","cd"]'


def test_an_object_that_came_is_not_begun_with_its_members_in_another_order() -> None:
    builder = GrammarBuilder()
    words = builder.words([b'{"b":2,"a":1}', b"1", b'{"a":1,"b":2}'])
    marks = {name: builder.literal(text) for name, text in (("open", b"["), ("close", b"]"), ("comma", b","))}
    empty = builder.literal(b"[]")
    root = builder.array([], words, **marks, empty=empty, min_items=2, max_items=3, unique=True)
    tokens = [b"[", b"]", b",", b"1", b'{"b', b'{"a', b'":2,"a":1}', b'":1,"b":2}']
    vocabulary = Vocabulary([*tokens, None], eos=[len(tokens)])
    matcher = builder.build(root).compile(vocabulary).matcher()
    for token in (0, 5, 7, 2):
        taken = [other for other in range(vocabulary.size) if matcher.fork().try_advance(other)]
        assert matcher.allowed() == taken
        matcher.advance(token)
    assert matcher.allowed() == [3]


STRINGS = unique({"type": "string"})
WORDS = ["".join(letters).encode() for letters in itertools.product("abcdefghijklmnop", repeat=3)]


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (unique({}), '["abc", "ab'),
        (unique(unique({})), '[["abc", "x"], ["abc", "ab'),
        (unique(STRINGS), '[["abc", "x"], ["abc", "ab'),
        (unique({"type": "object", "properties": {"a": STRINGS}}), '[{"a": ["abc"]}, {"a": ["abc", "ab'),
    ],
    ids=["any", "arrays of any", "arrays", "open objects"],
)
def test_tokens_that_repeat_no_value_are_not_asked(schema: dict[str, Any], text: str) -> None:
    vocabulary = Vocabulary([*TOKENS, *WORDS])
    compiled = Grammar.from_json_schema(schema).compile(vocabulary)
    matcher = compiled.matcher()
    for byte in text.encode():
        matcher.mask()
        matcher.advance(byte)
    before = compiled.memory_bytes
    matcher.mask()
    # A token that is asked leaves the value that it would make, 75 bytes. Builds that verify masks hold a few more.
    assert compiled.memory_bytes - before < 50 * len(WORDS)
