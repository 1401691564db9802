"""Tokens that hold several members or items at once × what they see of it → masks that are what `try_advance` accepts.

A mask is looked up without the text of an open key or item, and without what no token of the vocabulary sees of the
members that came; what such a token does see must be found out all the same.
"""

from __future__ import annotations

import random
import re

import pytest

from frisket import Grammar, Vocabulary

INTEGER = {"type": "integer"}

SCHEMAS = {
    "an intersection of two endless patterns is finite": {
        "type": "array",
        "uniqueItems": True,
        "items": {"type": "string", "allOf": [{"pattern": "^[a-z]*$"}, {"pattern": "^x?[0-9]*$"}]},
    },
    "an endless intersection": {
        "type": "array",
        "uniqueItems": True,
        "items": {"type": "string", "allOf": [{"pattern": "^[a-z]*$"}, {"pattern": "^x*y?$"}]},
    },
    "two values": {"type": "array", "uniqueItems": True, "items": {"enum": ["", "x"]}},
    "two strings": {"type": "array", "uniqueItems": True, "items": {"type": "string", "pattern": "^x?$"}},
    "any strings": {"type": "array", "uniqueItems": True, "items": {"type": "string"}},
    "other keys": {"type": "object", "additionalProperties": INTEGER},
    "other keys beside named ones": {"type": "object", "properties": {"a": INTEGER}, "additionalProperties": INTEGER},
    "few other keys": {"type": "object", "additionalProperties": INTEGER, "propertyNames": {"enum": ["a", "b", "x"]}},
    "keys by pattern": {
        "type": "object",
        "patternProperties": {"^[ab]?$": INTEGER, "^x": {"const": 1}},
        "additionalProperties": False,
    },
    "a least number of keys": {"type": "object", "additionalProperties": INTEGER, "minProperties": 3},
    "properties in order": {
        "type": "object",
        "properties": {name: INTEGER for name in ("a", "x", "", "b", "ab")},
        "required": ["x"],
        "additionalProperties": False,
    },
    "properties and other keys": {
        "type": "object",
        "properties": {"b": INTEGER, "$schema": INTEGER, "a": {"type": "string"}},
        "required": ["b"],
    },
    "as many as two": {"type": "object", "additionalProperties": INTEGER, "maxProperties": 2},
    "objects in objects": {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}, "required": ["b"]},
            "b": {"type": "array", "items": {"type": "object", "properties": {"x": INTEGER, "a": INTEGER}}},
        },
        "additionalProperties": False,
    },
}

ITEMS = ['""', '"x"', '"xx"', '"y"']
MEMBERS = ['"a":1', '"b":1', '"x":1', '"":1', '"ab":1', '"\\u0061":1', '"a":{"b":1}', '"b":[{"x":1}]']
CROSSING = re.compile(r'[{, ]"[^"]*"[: ]+[^: ]')


def vocabulary(rng: random.Random, crossing: bool) -> Vocabulary:
    """`crossing`: whether some tokens go on from before a key into its value; else they see less of an object."""
    tokens: set[bytes] = {bytes([byte]) for byte in b'"[]{}:,axyb1\\u006 $schem'}
    for _ in range(160):
        opening, closing, parts = rng.choice([("[", "]", ITEMS), ("{", "}", MEMBERS)])
        text = opening + ",".join(rng.choices(parts, k=rng.randint(1, 4))) + rng.choice(["", ",", closing])
        start = rng.randrange(len(text))
        token = text[start : start + rng.randint(2, 22)]
        if crossing or not CROSSING.search(token):
            tokens.add(token.encode())
    return Vocabulary.from_bytes([*sorted(tokens), None], eos=[len(tokens)])


@pytest.mark.parametrize("crossing", [True, False])
@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_a_mask_is_what_advance_accepts(schema: dict[str, object], crossing: bool) -> None:
    grammar = Grammar.from_json_schema(schema)
    for seed in range(8):
        rng = random.Random(seed)
        tokens = vocabulary(rng, crossing)
        compiled = grammar.compile(tokens)
        for _ in range(4):
            matcher = compiled.matcher()
            for _ in range(14):
                allowed = matcher.allowed()
                for token in range(tokens.size):
                    trial = matcher.fork()
                    accepted = trial.try_advance(token)
                    assert accepted == (token in allowed), (matcher.steps, tokens.token(token), accepted)
                matcher.advance(rng.choice(allowed))
                if matcher.ended:
                    break
