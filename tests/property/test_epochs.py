"""Masks after many epochs = the masks of one epoch, whatever was rolled back, forked or rejected in between."""

from __future__ import annotations

import random
from typing import Any

import pytest

from frisket import Grammar, Limits
from frisket._core import CompiledGrammar, Matcher, Vocabulary
from frisket._core import Grammar as Core
from frisket.errors import EmptyGrammarError, LimitExceededError, TokenRejectedError, VocabularyError
from tests.property.plans import Case
from tests.property.random_cases import case, schema

BYTES: list[bytes | None] = [bytes([value]) for value in range(256)]
TOKENS = [*BYTES, b'{"', b'": ', b', "', b'",', b"ab", b'a"', b"1,", b"],[", None]
KEYS = {
    "any keys": {"type": "object", "additionalProperties": {"type": "integer"}},
    "any JSON": {"type": "array"},
    "keys of two kinds": {
        "type": "object",
        "properties": {"a": {"type": "null"}},
        "patternProperties": {"^a": {"type": "integer"}, "b$": {"type": "string"}},
        "additionalProperties": {"type": "boolean"},
    },
    "counted keys": {"type": "object", "minProperties": 40, "additionalProperties": {"enum": [1, 2]}},
    "few keys": {
        "type": "array",
        "items": {
            "type": "object",
            "propertyNames": {"enum": ["a", "b", "ab", "é"]},
            "minProperties": 3,
            "additionalProperties": {"type": "string", "maxLength": 3},
        },
    },
    "members that depend on others": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {}},
            "dependentRequired": {"a": ["b"], "c": ["a"]},
        },
    },
    "nested": {"$defs": {"x": {"type": "array", "items": {"$ref": "#/$defs/x"}}}, "$ref": "#/$defs/x"},
    "counted texts": {"type": "array", "items": {"type": "string", "pattern": "^(ab|a){3,40}$", "maxLength": 60}},
    "a long text": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "different strings": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "few different items": {
        "type": "array",
        "items": {"type": "array", "items": {"enum": [1, "a", 1.5, None]}, "uniqueItems": True},
    },
    "different items of any kind": {
        "type": "array",
        "items": {"type": "array", "items": {"type": ["integer", "array"]}, "uniqueItems": True, "maxItems": 3},
    },
}


class Both:
    """The same sequence over two compiled grammars that differ in their memory."""

    def __init__(self, plenty: Matcher, little: Matcher) -> None:
        self.all = (plenty, little)

    def fork(self) -> Both:
        return Both(self.all[0].fork(), self.all[1].fork())

    def mask(self) -> bytes | None:
        """None where no token can spell what must come."""
        found: list[bytes | None] = []
        for matcher in self.all:
            try:
                found.append(matcher.mask_bytes())
            except VocabularyError:
                found.append(None)
        assert found[0] == found[1]
        return found[0]

    def take(self, token: int) -> bool:
        plenty, little = (matcher.try_advance(token) for matcher in self.all)
        assert plenty == little
        return plenty

    def read(self, text: bytes) -> None:
        taken = []
        for matcher in self.all:
            try:
                matcher.advance_bytes(text)
                taken.append(True)
            except TokenRejectedError:
                taken.append(False)
        assert taken[0] == taken[1]

    def rollback(self, steps: int) -> None:
        for matcher in self.all:
            matcher.rollback(steps)

    def agree(self) -> None:
        plenty, little = self.all
        assert (plenty.steps, plenty.can_end, plenty.ended) == (little.steps, little.can_end, little.ended)


def walk(plenty: CompiledGrammar, little: CompiledGrammar, rng: random.Random, steps: int) -> None:
    """Random calls on several sequences; every answer is compared."""
    vocabulary = plenty.vocabulary
    ends = {*vocabulary.eos}
    size = vocabulary.size
    sequences = [Both(plenty.matcher(), little.matcher()) for _ in range(3)]
    for _ in range(steps):
        at = rng.randrange(len(sequences))
        both = sequences[at]
        match rng.choices(("on", "reject", "text", "back", "far back", "fork", "draft"), (80, 4, 2, 8, 1, 2, 3))[0]:
            case "on":
                for _ in range(rng.randrange(1, 12)):
                    stuck = both.mask() is None
                    allowed = [] if stuck else [token for token in both.all[0].allowed() if token not in ends]
                    if not allowed:
                        both.rollback(min(both.all[0].steps, 4))
                        break
                    # Rather what has several bytes: masks of tokens that go over an end are the hard ones.
                    assert both.take(rng.choice(allowed) if rng.random() < 0.7 else allowed[-1])
            case "reject":
                both.take(rng.randrange(size))
            case "text":
                both.read(rng.choice([b"1", b'a":1,"', b'"a', b'",', b"]", b"x"]))
            case "back":
                both.rollback(min(both.all[0].steps, rng.randrange(12)))
            case "far back":
                both.rollback(rng.randint(0, both.all[0].steps))
            case "fork":
                sequences.append(both.fork())
                sequences = sequences[-4:]
            case "draft":
                tokens = [rng.randrange(size) for _ in range(3)]
                plenty_valid, little_valid = (matcher.validate(tokens) for matcher in both.all)
                assert plenty_valid == little_valid
        both.agree()


def check(grammar: Grammar | Core, vocabulary: Vocabulary, seed: str, steps: int = 120) -> int:
    """Walk in as little memory as will do; how many epochs there were."""
    plenty = grammar.compile(vocabulary)
    memory = plenty.memory_bytes + 10_000
    while True:
        try:
            little = grammar.compile(vocabulary, limits=Limits(memory_bytes=memory))
            walk(plenty, little, random.Random(seed), steps)
        except LimitExceededError:
            memory += memory // 2
        else:
            assert plenty.epoch == 0
            return little.epoch


@pytest.mark.parametrize("name", KEYS)
def test_schemas_of_every_kind_of_state(name: str) -> None:
    vocabulary = Vocabulary(TOKENS, eos=[len(TOKENS) - 1])
    epochs = check(Grammar.from_json_schema(KEYS[name]), vocabulary, name, steps=250)
    assert epochs >= 3


@pytest.mark.parametrize("seed", range(12))
def test_random_schemas(seed: int) -> None:
    rng = random.Random(seed)
    items: dict[str, Any] = schema(rng, 3, refer=False)
    vocabulary = Vocabulary(TOKENS, eos=[len(TOKENS) - 1])
    check(Grammar.from_json_schema({"type": "array", "items": items}), vocabulary, f"schema {seed}")


@pytest.mark.parametrize("seed", range(2000, 2012))
@pytest.mark.parametrize("kind", ("regular", "rules", "json"))
def test_random_grammars(kind: str, seed: int) -> None:
    drawn = case(seed, kind)
    again = Case(drawn.rules, ("repeat", drawn.root, 0, None), drawn.tokens, drawn.eos, drawn.special)
    try:
        grammar = again.engine()
    except EmptyGrammarError:
        pytest.skip("this case matches nothing")
    check(grammar, again.vocabulary(), f"{kind} {seed}")
