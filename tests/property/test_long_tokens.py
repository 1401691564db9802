"""Counts × vocabularies with long tokens → masks that are what `try_advance` accepts.

Masks answer for tokens of more than 16 code points separately, each as exactly as its length asks for; the random
vocabularies of the other tests hold no such tokens.
"""

from __future__ import annotations

import random

import pytest

from frisket import Grammar, Vocabulary

#: Alone and as the end of a string, words with spaces, digits, characters beyond ASCII, and two members at once.
RUNS = ["a", "ab", " ", "a ", "0", "é", "-", "\u2028", "x1_"]

SCHEMAS = [
    {"type": "string", "maxLength": 40},
    {"type": "string", "minLength": 30, "maxLength": 33},
    {"type": "string", "minLength": 25},
    {"type": "string", "minLength": 36, "maxLength": 36},
    {"type": "string", "pattern": "^[a-z0-9-]{1,63}$"},
    {"type": "string", "pattern": "^(?:\\S+\\s+){0,9}\\S+$", "maxLength": 50},
    {"type": "string", "pattern": "^[a-z]+( [a-z]+)*$", "maxLength": 70},
    {"type": "string", "pattern": "^(a|b[ab]{19}b)*$", "maxLength": 45},
    {"type": "string", "pattern": "^.*ab.*$", "maxLength": 60},
    {"type": "string", "pattern": "^([ab]{3}){0,12}$"},
    {"type": "string", "pattern": "(a{17,20}|[^a]{18,})b?$"},
    {
        "type": "object",
        "properties": {"a": {"type": "string", "maxLength": 21}},
        "patternProperties": {"^[ab]{2,30}$": {"type": "string", "pattern": "^[a ]{0,35}$"}},
        "additionalProperties": False,
    },
    {"type": "array", "items": {"type": "string", "pattern": "^[ab]{1,24}$"}, "uniqueItems": True},
]


def vocabulary() -> Vocabulary:
    rng = random.Random(7)
    tokens: set[bytes] = {bytes([byte]) for byte in range(256)}
    for run in RUNS:
        for length in (2, 3, 15, 16, 17, 18, 20, 31, 32, 33, 40, 64, 65, 100):
            text = (run * length)[:length]
            before, after = rng.choice(["", '"', '{"', "a", 'a":"']), rng.choice(["", '"', '","', '"}', "b"])
            tokens |= {text.encode(), (before + text + after).encode()}
    return Vocabulary.from_bytes([*sorted(tokens), None], eos=[len(tokens)])


VOCABULARY = vocabulary()


@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
def test_a_mask_is_what_advance_accepts(schema: dict[str, object]) -> None:
    compiled = Grammar.from_json_schema(schema).compile(VOCABULARY)
    for seed in range(6):
        rng = random.Random(seed)
        matcher = compiled.matcher()
        for _ in range(30):
            allowed = matcher.allowed()
            for token in range(VOCABULARY.size):
                trial = matcher.fork()
                assert trial.try_advance(token) == (token in allowed), (matcher.steps, token)
            # Long tokens first, or a walk would hardly ever see a count near its end; short ones, or it would see no
            # other.
            few = rng.sample(allowed, min(4, len(allowed)))
            pick = min if seed % 3 == 2 else max
            matcher.advance(pick(few, key=lambda token: len(VOCABULARY.token(token) or b"")))
            if matcher.ended:
                break
