"""Masks with room against brute force: what they allow can be finished, and they are empty where nothing can."""

from __future__ import annotations

import random
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions
from frisket._core import Matcher, Vocabulary
from frisket.errors import BudgetError, EmptyGrammarError, TokenRejectedError, VocabularyError
from tests.property.random_cases import case

#: Texts that the brute force looks at before it gives up on a position.
MOST_TEXTS = 1_500


def fewest(matcher: Matcher) -> int | None:
    """The fewest tokens to an end, by trying all; 0 at an end, None if there are too many to try."""
    if matcher.can_end:
        return 0
    layer, seen, count = [matcher], {matcher.text}, 0
    eos = set(matcher.compiled.vocabulary.eos)
    while layer:
        count += 1
        following = []
        for one in layer:
            try:
                allowed = one.allowed()
            except VocabularyError:
                continue  # no token goes on from here
            for token in allowed:
                if token in eos:
                    continue
                after = one.fork()
                after.advance(token)
                if after.can_end:
                    return count
                # A special token has no bytes: then equal texts may stand at different places.
                if after.text == one.text or after.text not in seen:
                    seen.add(after.text)
                    following.append(after)
            if len(seen) + len(following) > MOST_TEXTS:
                return None
        layer = following
    return 10**6


def check(matcher: Matcher, rng: random.Random, what: object) -> tuple[int, int]:
    """Walk to an end within a random room; how many positions were compared, and at how many no fewer suffice."""
    eos = set(matcher.compiled.vocabulary.eos)
    try:
        room = matcher.least_tokens() + rng.choice((0, 0, 1, 2, 5))
    except VocabularyError:
        known = fewest(matcher)
        assert known is None or known > 0, what
        return 0, 0
    compared = fewest_of_all = 0
    while room:
        least, known = matcher.least_tokens(), fewest(matcher)
        assert least <= room, f"{what}\nafter {matcher.text!r}: {room} tokens no longer suffice"
        if known is not None:
            compared, fewest_of_all = compared + 1, fewest_of_all + (least == known)
            assert least >= known, f"{what}\nafter {matcher.text!r}: {least}, and no fewer than {known} are enough"
        if least:
            assert matcher.can_finish(least) and not matcher.can_finish(least - 1), what
            with pytest.raises(BudgetError) as refusal:
                matcher.allowed(room=least - 1)
            assert refusal.value.least == least, what
        allowed = matcher.allowed(room=room)
        assert allowed, what
        assert set(allowed) <= set(matcher.allowed()), what
        for token in rng.sample(allowed, min(len(allowed), 6)):
            after = matcher.fork()
            after.advance(token)
            needed = 0 if token in eos else fewest(after)
            assert needed is None or needed < room, f"{what}\nafter {matcher.text!r}: {token} leaves too few tokens"
            assert matcher.validate([token], room=room) == 1, what
        forbidden = sorted(set(matcher.allowed()) - set(allowed))
        assert all(matcher.validate([token], room=room) == 0 for token in forbidden[:3]), what
        following = [token for token in allowed if token not in eos]
        if not following or (matcher.can_end and rng.random() < 0.3):
            break
        matcher.advance(rng.choice(following))
        room -= 1
    assert matcher.can_end, f"{what}\n{matcher.text!r} is not finished"
    return compared, fewest_of_all


@pytest.mark.slow
@pytest.mark.parametrize("block", range(12))
@pytest.mark.parametrize("kind", ["regular", "rules", "json"])
def test_random_walks_end_within_their_room(kind: str, block: int) -> None:
    """Some 2,000 positions whose fewest tokens are known by trying all."""
    compared = fewest_of_all = 0
    for seed in range(8 * block, 8 * block + 8):
        random_case = case(seed, kind)
        try:
            compiled = random_case.engine().compile(random_case.vocabulary())
        except (EmptyGrammarError, VocabularyError):
            continue
        for walk in range(5):
            found = check(compiled.matcher(), random.Random(seed + walk), random_case)
            compared, fewest_of_all = compared + found[0], fewest_of_all + found[1]
    assert compared >= 3, "the cases have become too small to say anything"
    assert fewest_of_all >= 0.5 * compared, "of most positions the short text takes the fewest tokens"


KEYS = {"propertyNames": {"pattern": "^a*$"}, "additionalProperties": {"enum": [1, 2]}}
OBJECTS: list[dict[str, Any]] = [
    KEYS,
    {**KEYS, "minProperties": 3},
    {**KEYS, "not": {"additionalProperties": {"const": 1}}},
    {**KEYS, "properties": {"aa": {"const": 2}}, "required": ["aa"]},
    {**KEYS, "dependentRequired": {"a": ["aaa"]}},
    {"type": "array", "items": {**KEYS, "type": "object"}, "maxItems": 2},
    {"type": "array", "items": {"type": "string", "pattern": "^a*$"}, "uniqueItems": True, "minItems": 2},
    {"type": "array", "items": {**KEYS, "type": "object"}, "uniqueItems": True, "minItems": 2, "maxItems": 3},
]
#: What was written; then the text must go on with another key, or a key that came is near.
BEGUN = [
    "",
    '{"": 1',
    '{"": 1,',
    '{"": 1, ',
    '{"": 1, "',
    '{"": 1, "a": 1, "',
    '[{"": 1, "',
    '["", "',
    '["a", "',
    '[{"a": 1}, {"',
]


@pytest.mark.parametrize("schema", OBJECTS)
@pytest.mark.parametrize("separators", [(", ", ": "), None])
def test_keys_that_came_do_not_come_again(schema: dict[str, Any], separators: tuple[str, str] | None) -> None:
    options = JSONSchemaOptions() if separators is None else JSONSchemaOptions(separators=separators)
    texts = ["{", "}", "[", "]", '"', "a", "aa", ",", ":", "1", "2", '""', '"a', " ", ": ", ", ", '": 1']
    tokens = [*(text.encode() for text in texts), None]
    schema = schema if "type" in schema else {"type": "object", **schema}
    compiled = Grammar.from_json_schema(schema, options).core.compile(Vocabulary(tokens, eos=[len(texts)]))
    compared = 0
    for seed, begun in enumerate(BEGUN):
        for walk in range(6):
            matcher = compiled.matcher()
            try:
                matcher.advance_bytes(begun.encode())
            except TokenRejectedError:
                break
            compared += check(matcher, random.Random(10 * seed + walk), (schema, begun))[0]
    assert compared > 30


REMEMBERED: list[tuple[dict[str, Any], bytes]] = [
    ({"type": "object", "minProperties": 3}, b'{"abc": 1, "x'),
    ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, b'["abc", "x'),
    ({"type": "array", "items": {"type": "object"}, "uniqueItems": True}, b'[{"abc": 1}, {"x'),
]


@pytest.mark.parametrize(("schema", "begun"), REMEMBERED)
def test_words_of_a_string_that_must_not_be_repeated_take_no_memory_each(schema: dict[str, Any], begun: bytes) -> None:
    """Each word leads to a position of its own: 20,000 of them once filled the memory of a call."""
    words = [f"{letter}{number:04}".encode() for letter in "qr" for number in range(10_000)]
    tokens = [*(bytes([byte]) for byte in range(32, 127)), *words, None]
    compiled = Grammar.from_json_schema(schema).core.compile(Vocabulary(tokens, eos=[len(tokens) - 1]))
    matcher = compiled.matcher()
    matcher.advance_bytes(begun)
    matcher.mask()
    before = compiled.memory_bytes
    allowed = matcher.allowed(room=40)
    assert len(allowed) > len(words)
    assert compiled.memory_bytes - before < 4 << 20
    least = matcher.least_tokens()
    cheap = set(matcher.allowed(room=least + 1))
    assert cheap >= set(range(95, 95 + len(words))), "a word more, then the same end"
