"""Many grammars × one vocabulary → the masks that each has with a vocabulary of its own.

Masks are shared among all grammars of a vocabulary under names of what tokens see. Two positions that tokens tell apart
must not have the same name, however alike their schemas are.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from frisket import Grammar
from frisket._core import GrammarBuilder, Matcher, Vocabulary
from frisket.errors import EmptyGrammarError, UnsatisfiableSchemaError, VocabularyError
from tests.property.random_cases import SPECIAL, case
from tests.property.test_spanning_tokens import CROSSING

pytestmark = pytest.mark.slow

NAMES = ["a", "b", "ab", "", "$x", "#"]


def value(rng: random.Random, depth: int) -> dict[str, Any]:
    kind = rng.randrange(9 if depth else 6)
    if kind < 6:
        return [
            {"type": "string"},
            {"type": "integer"},
            {"enum": ["", "a", "ab"]},
            {"type": "string", "maxLength": rng.randint(0, 3)},
            {"type": ["string", "null"]},
            {"const": {"a": 1}},
        ][kind]
    if kind == 6:
        least = rng.randint(0, 2)
        return {
            "type": "array",
            "items": value(rng, depth - 1),
            "minItems": least,
            "maxItems": least + rng.randint(0, 2),
        }
    names = rng.sample(NAMES, rng.randint(0, 4))
    made: dict[str, Any] = {
        "type": "object",
        "properties": {name: value(rng, depth - 1) for name in names},
        "required": [name for name in names if rng.random() < 0.4],
    }
    made |= rng.choice(
        [
            {},
            {"additionalProperties": False},
            {"additionalProperties": value(rng, 0)},
            {"additionalProperties": {"type": "string"}, "propertyNames": {"pattern": "^[ab#]"}},
            {"patternProperties": {"^[#$]": {"type": "string"}}, "additionalProperties": False},
            {
                "patternProperties": {"^[#$]": {"type": "string"}, "^a": value(rng, 0)},
                "additionalProperties": value(rng, 0),
            },
        ]
    )
    if rng.random() < 0.2:
        made["maxProperties"] = len(made["required"]) + rng.randint(0, 2)
    return made


def tokens(rng: random.Random, crossing: bool) -> list[bytes]:
    """Cuttings of texts; `crossing`: some go on from before a key into its value."""
    found = {bytes([byte]) for byte in b'"[]{}:,ab1\\n#$x nul'}
    parts = ['"a":"', '"', '","', "},", "]", "}", '"#":1', '"$x":', '{"', '":{"', "[1,", ",1", ' "', "{}", "null", '""']
    while len(found) < 130:
        text = "".join(rng.choices(parts, k=rng.randint(1, 4)))
        start = rng.randrange(len(text))
        token = text[start : start + rng.randint(2, 8)]
        if crossing or not CROSSING.search(token):
            found.add(token.encode())
    return sorted(found)


def follow(rng: random.Random, ours: Matcher, theirs: Matcher) -> None:
    for _ in range(24):
        try:
            allowed = theirs.allowed()
        except VocabularyError:
            with pytest.raises(VocabularyError):
                ours.allowed()
            break
        assert ours.allowed() == allowed, theirs.steps
        token = rng.choice(allowed)
        ours.advance(token)
        theirs.advance(token)
        if theirs.ended:
            break


@pytest.mark.parametrize("crossing", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_schemas_that_are_alike(seed: int, crossing: bool) -> None:
    rng = random.Random(seed)
    spelled = [*tokens(rng, crossing), None]
    shared = Vocabulary(spelled, eos=[len(spelled) - 1])
    for _ in range(40):
        try:
            grammar = Grammar.from_json_schema(value(rng, 3)).core
        except UnsatisfiableSchemaError:
            continue
        ours, theirs = grammar.compile(shared), grammar.compile(Vocabulary(spelled, eos=[len(spelled) - 1]))
        for _ in range(3):
            follow(rng, ours.matcher(), theirs.matcher())


def counted(rng: random.Random) -> dict[str, Any]:
    """Counts that end within the longest tokens, within the others, or beyond both."""
    least, most = rng.choice([0, 0, 1, 2, 17]), rng.choice([17, 18, 20, 30, 60])
    return rng.choice(
        [
            {"type": "string", "minLength": least, "maxLength": most},
            {"type": "string", "pattern": f"^[a-z]{{{least},{most}}}$"},
            {"type": "string", "pattern": f"^1[ab]{{{least},{most}}}1$"},
            {"type": "string", "pattern": f"^([a-z]{{1,{most}}}1)+$"},
            {"type": "string", "pattern": "^[a-z]+$", "maxLength": most},
            {"type": "number", "minimum": -most},
            {"type": "array", "items": {"type": "string"}, "minItems": least, "maxItems": most},
        ]
    )


@pytest.mark.parametrize("seed", range(3))
def test_counts_in_the_reach_of_long_tokens(seed: int) -> None:
    rng = random.Random(seed)
    found = {bytes([byte]) for byte in b'"[]{}:,ab1.-e '} | {b'":', b'",', b'"]', b'"}', b'["', b'","'}
    while len(found) < 120:
        text = "".join(rng.choices("ab", k=rng.choice([2, 3, 8, 15, 16, 17, 18, 24, 40])))
        found.add((rng.choice(["", "", '"', " ", "1"]) + text + rng.choice(["", "", '"', '",', '"]', "1"])).encode())
    spelled = [*sorted(found), None]
    shared = Vocabulary(spelled, eos=[len(spelled) - 1])
    for _ in range(40):
        parts = {name: counted(rng) for name in rng.sample(NAMES, 2)}
        other = rng.choice([False, counted(rng)])
        schema = {"type": "object", "properties": parts, "required": list(parts), "additionalProperties": other}
        grammar = Grammar.from_json_schema(schema).core
        ours, theirs = grammar.compile(shared), grammar.compile(Vocabulary(spelled, eos=[len(spelled) - 1]))
        for _ in range(4):
            follow(rng, ours.matcher(), theirs.matcher())


def test_a_count_beside_another_that_ends_in_the_reach_of_long_tokens() -> None:
    """Beside it the count is read up to where the other tokens end, alone to its end."""
    spelled = [b'"', b"1", *(b"a" * count for count in (1, 2, 15, 16, 17, 19, 20, 21, 22, 30)), None, None, None]

    def vocabulary() -> Vocabulary:
        return Vocabulary(spelled, special={"x": len(spelled) - 3, "y": len(spelled) - 2}, eos=[len(spelled) - 1])

    shared = vocabulary()
    for beside in (True, False, True):
        builder = GrammarBuilder()
        letters = builder.repeat(builder.byte_class([(0x61, 0x7A)]), 0, 20)
        texts = [builder.bounded(builder.any_text(), 0, 20), builder.cat([letters, builder.literal(b"1")])]
        ways = [
            builder.seq([builder.quoted(text), builder.special(end)]) for text, end in zip(texts, "xy", strict=True)
        ]
        grammar = builder.build(builder.alt(ways) if beside else ways[0])
        for seed in range(20):
            follow(random.Random(seed), grammar.compile(shared).matcher(), grammar.compile(vocabulary()).matcher())


@pytest.mark.parametrize("kind", ["regular", "rules", "json"])
def test_grammars_of_other_kinds(kind: str) -> None:
    rng = random.Random(7)
    cases = [case(seed, kind) for seed in range(80)]
    spelled = sorted({token for drawn in cases[:4] for token in drawn.tokens if token})
    special, eos = {SPECIAL: len(spelled)}, [len(spelled) + 1]

    def vocabulary() -> Vocabulary:
        return Vocabulary([*spelled, None, None], special=special, eos=eos)

    shared = vocabulary()
    for drawn in cases:
        try:
            grammar = drawn.engine()
        except EmptyGrammarError:
            continue
        follow(rng, grammar.compile(shared).matcher(), grammar.compile(vocabulary()).matcher())
