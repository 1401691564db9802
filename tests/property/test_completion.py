"""Matcher → `completion` ends the text, and nothing shorter does: against the reference, on random grammars."""

from __future__ import annotations

import json
import random
from itertools import combinations

import pytest

from frisket import Grammar, JSONSchemaOptions
from frisket._core import Vocabulary
from frisket.errors import EmptyGrammarError, VocabularyError
from frisket.reference import GeneralMask
from tests.property.plans import LETTERS, Case
from tests.property.random_cases import case

#: A search for something shorter ends where it has grown so wide.
WIDEST = 400


def shorter(expected: GeneralMask, text: bytes, length: int) -> bytes | None:
    """Fewer bytes than `length` after which `text` may end."""
    layer = [b""]
    for _ in range(length):
        for written in layer:
            if expected.can_end(text + written):
                return written
        longer = [written + bytes([letter]) for written in layer for letter in LETTERS]
        layer = [written for written in longer if expected.can_begin(text + written)]
        if len(layer) > WIDEST:
            return None
    return None


def check(random_case: Case, seed: int) -> int:
    """One random case, a few prefixes; how many completions were looked at."""
    expected = random_case.reference()
    rng = random.Random(seed)
    try:
        matcher = random_case.engine().compile(random_case.vocabulary()).matcher()
    except (EmptyGrammarError, VocabularyError):
        return 0
    text, seen = b"", 0
    for _ in range(4):
        before = (matcher.can_end, matcher.steps, matcher.forced_bytes())
        rest = matcher.completion()
        assert before == (matcher.can_end, matcher.steps, matcher.forced_bytes())
        assert rest == matcher.completion()
        if rest is not None:
            assert expected.can_end(text + rest), f"{random_case}\nafter {text!r}, {rest!r} is no end"
        found = shorter(expected, text, 4 if rest is None else len(rest))
        assert found is None, f"{random_case}\nafter {text!r}, {found!r} ends it, not only {rest!r}"
        seen += bool(rest)
        tokens = [token for token in range(len(random_case.tokens)) if random_case.tokens[token]]
        follows = [token for token in tokens if matcher.validate([token])]
        if not follows:
            break
        token = rng.choice(follows)
        matcher.advance(token)
        text += random_case.tokens[token] or b""
    return seen


@pytest.mark.parametrize("block", range(3))
@pytest.mark.parametrize("kind", ["regular", "rules", "json"])
def test_random_nodes(kind: str, block: int) -> None:
    seen = sum(check(case(seed, kind), seed) for seed in range(1000 + 16 * block, 1016 + 16 * block))
    assert seen >= 4, "the cases have become too small to say anything"


def test_what_a_key_brings_with_it_counts() -> None:
    """Objects of four members that need each other: the shortest of all sets of members that meet the schema."""
    vocabulary = Vocabulary([*(bytes([value]) for value in range(256)), None], eos=[256])
    rng = random.Random(3)
    for _ in range(150):
        values = {key * rng.choice([1, 1, 5, 20]): "x" * rng.choice([0, 1, 6, 30]) for key in "abcd"}
        needs = {key: rng.sample(sorted(values), rng.randint(0, 2)) for key in values}
        least = rng.randint(1, 3)
        schema = {
            "type": "object",
            "properties": {key: {"const": value} for key, value in values.items()},
            "additionalProperties": False,
            "minProperties": least,
            "dependentRequired": needs,
        }
        options = JSONSchemaOptions(whitespace="compact", property_order=rng.choice(["schema", "any"]))
        found = Grammar.from_json_schema(schema, options).compile(vocabulary).matcher().completion()
        documents = (dict(members) for size in range(least, 5) for members in combinations(values.items(), size))
        valid = [one for one in documents if all(other in one for key in one for other in needs[key])]
        shortest = min(len(json.dumps(one, separators=(",", ":"))) for one in valid)
        assert found is not None and len(found) == shortest, (schema, found)
