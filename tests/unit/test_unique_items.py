"""Arrays of different items, whatever items are: values, not spellings; and never a dead end."""

from __future__ import annotations

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


def test_an_automaton_over_items() -> None:
    b = GrammarBuilder()
    marks = {name: b.literal(text) for name, text in (("open", b"["), ("close", b"]"), ("comma", b","))}
    small, large = b.words([b"1", b"1.0", b"2"]), b.words([b"2", b"30"])
    states = [(False, [(small, 1)]), (True, [(large, 1)])]
    grammar = b.build(b.unique_array(states, **marks, empty=b.literal(b"[]"), max_items=2))
    assert [grammar.accepts(text) for text in (b"[1]", b"[1.0,2]", b"[2,30]", b"[2,2]", b"[]", b"[30]")] == [
        *(True, True, True),
        *(False, False, False),
    ]
