"""Limits of memory and steps, and the epochs of a compiled grammar whose memory is used up."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from frisket import Grammar, Limits
from frisket._core import Matcher, Vocabulary
from frisket.errors import LimitExceededError, TokenRejectedError

BYTES: list[bytes | None] = [bytes([value]) for value in range(256)]
END = 256 + 6
VOCABULARY = Vocabulary([*BYTES, b'{"', b'": ', b', "', b"ab", b"ba", b"1", None], eos=[END])

#: What a compiled grammar of the tests needs for one of its texts, and far less than it needs for all of them.
LITTLE = 700_000


def keys() -> Grammar:
    """An object of any keys: every key is a state of its own, and memory grows with the text."""
    return Grammar.from_json_schema({"type": "object", "additionalProperties": {"type": "integer"}})


def nested() -> Grammar:
    return Grammar.from_json_schema(
        {"$defs": {"x": {"type": "array", "items": {"$ref": "#/$defs/x"}}}, "$ref": "#/$defs/x"}
    )


def text_of_keys(count: int, rng: random.Random) -> bytes:
    return b"{" + b", ".join(b'"%d": %d' % (rng.randrange(10**9), rng.randrange(100)) for _ in range(count)) + b"}"


def state(matcher: Matcher) -> tuple[bytes, bool, bool, int, bytes]:
    return matcher.mask_bytes(), matcher.can_end, matcher.ended, matcher.steps, matcher.forced_bytes()


# -- epochs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_masks_are_the_same_across_epochs(seed: int) -> None:
    rng = random.Random(seed)
    plenty = keys().compile(VOCABULARY)
    little = keys().compile(VOCABULARY, limits=Limits(memory_bytes=LITTLE))
    pairs = [(plenty.matcher(), little.matcher()) for _ in range(8)]
    texts = [text_of_keys(20, rng) for _ in pairs]
    for place in range(max(map(len, texts))):
        for text, pair in zip(texts, pairs, strict=True):
            for matcher in pair if place < len(text) else ():
                matcher.advance(text[place])
            if rng.random() < 0.2:
                assert pair[0].mask_bytes() == pair[1].mask_bytes()
            assert pair[0].can_end == pair[1].can_end
    assert plenty.epoch == 0
    assert little.epoch > 1, "the limit was meant to be reached"
    # The limit is looked at after a table has doubled, not before.
    assert little.memory_bytes < 1.3 * LITTLE


@pytest.mark.parametrize("seed", range(4))
def test_rollback_fork_rejection_and_text_hold_across_epochs(seed: int) -> None:
    """Random calls on two compiled grammars that differ in nothing but their memory."""
    rng = random.Random(seed)
    plenty = keys().compile(VOCABULARY)
    little = keys().compile(VOCABULARY, limits=Limits(memory_bytes=LITTLE))
    pairs = [(plenty.matcher(), little.matcher())]
    for _ in range(600):
        at = rng.randrange(len(pairs))
        pair = pairs[at]
        action = rng.random()
        if action < 0.55:
            token = rng.choice([token for token in pair[0].allowed() if token != END] or [END])
            for matcher in pair:
                matcher.advance(token)
        elif action < 0.65:
            token = rng.randrange(END + 1)
            assert pair[0].try_advance(token) == pair[1].try_advance(token)
        elif action < 0.75:
            text = rng.choice([b'{"a', b'": 1', b'1, "', b"x", b'"'])
            taken = []
            for matcher in pair:
                try:
                    matcher.advance_bytes(text)
                    taken.append(True)
                except TokenRejectedError:
                    taken.append(False)
            assert taken[0] == taken[1]
        elif action < 0.85:
            steps = rng.randint(0, pair[0].steps)
            for matcher in pair:
                matcher.rollback(steps)
        elif action < 0.95:
            pairs.append((pair[0].fork(), pair[1].fork()))
            pairs = pairs[-4:]
        else:
            tokens = [rng.randrange(END) for _ in range(3)]
            assert pair[0].validate(tokens) == pair[1].validate(tokens)
        assert state(pair[0]) == state(pair[1])
    assert little.epoch > 0


def test_a_matcher_goes_back_no_further_than_its_beginning() -> None:
    compiled = keys().compile(VOCABULARY)
    matcher = compiled.matcher()
    for byte in b'{"abc':
        matcher.advance(byte)
    before = state(matcher)
    with pytest.raises(ValueError, match="only 5 were taken"):
        matcher.rollback(6)
    assert state(matcher) == before
    assert matcher.validate(list(b'd": 1')) == 5
    matcher.rollback(3)
    assert matcher.steps == 2
    matcher.reset()
    assert matcher.steps == 0


def test_one_text_may_be_much_longer_than_what_it_teaches_has_room_for() -> None:
    """What lives of it has: keys that came, and the last steps."""
    text = b"{" + b", ".join(b'"%d": %d' % (number * 7919 % 10**6, number) for number in range(2_000)) + b"}"
    little = keys().compile(VOCABULARY, limits=Limits(memory_bytes=LITTLE))
    matcher = little.matcher()
    for byte in text:
        matcher.advance(byte)
    assert matcher.can_end and little.epoch > 5
    assert keys().compile(VOCABULARY).matcher().validate(list(text)) == len(text)
    # No key came twice, also not one that came many epochs ago.
    matcher.rollback(1)
    matcher.advance_bytes(b', "7919')
    assert ord('"') not in matcher.allowed() and matcher.try_advance(ord("1"))


def test_what_was_composed_is_counted_across_epochs() -> None:
    words = Vocabulary([*BYTES, None], eos=[256])
    little = keys().compile(words, limits=Limits(memory_bytes=LITTLE))
    counts = []
    for seed in range(8):
        matcher = little.matcher()
        for byte in text_of_keys(20, random.Random(seed)):
            matcher.advance(byte)
            matcher.mask_bytes()
            counts.append(little.masks_composed)
    assert little.epoch > 0 and counts[0] > 0
    assert counts == sorted(counts)


def test_matchers_of_many_threads_share_epochs() -> None:
    """Each thread replays what it took whenever another one has used the memory up."""
    little = keys().compile(VOCABULARY, limits=Limits(memory_bytes=LITTLE))

    def walk(seed: int) -> bytes:
        matcher, seen = little.matcher(), b""
        for byte in text_of_keys(20, random.Random(seed)):
            matcher.advance(byte)
            seen = matcher.mask_bytes()
        return seen

    with ThreadPoolExecutor(4) as pool:
        masks = list(pool.map(walk, range(8)))
    assert masks == [walk(seed) for seed in range(8)]
    assert little.epoch > 1


def test_keys_that_came_take_no_more_memory_the_more_they_are() -> None:
    def held(count: int) -> int:
        compiled = keys().compile(VOCABULARY)
        matcher = compiled.matcher()
        matcher.advance_bytes(b"{" + b", ".join(b'"k%04x": 1' % number for number in range(count)))
        matcher.mask_bytes()
        return compiled.memory_bytes

    few, many = held(500), held(2000)
    assert many < 5 * few, (few, many)


def test_a_call_that_alone_needs_more_memory_is_an_error_and_changes_nothing() -> None:
    compiled = keys().compile(VOCABULARY, limits=Limits(memory_bytes=LITTLE))
    matcher = compiled.matcher()
    matcher.advance_bytes(b'{"a": 1')
    before = state(matcher)
    with pytest.raises(LimitExceededError, match=f"memory.*{LITTLE}"):
        matcher.advance_bytes(b", " + text_of_keys(2000, random.Random(0))[1:])
    assert state(matcher) == before
    matcher.advance_bytes(b"}")
    assert matcher.can_end


def test_a_grammar_larger_than_the_limit_is_refused_when_it_is_compiled() -> None:
    choices = Grammar.from_choices([str(number) for number in range(20_000)])
    with pytest.raises(LimitExceededError, match="memory"):
        choices.compile(VOCABULARY, limits=Limits(memory_bytes=100_000))
    assert choices.compile(VOCABULARY).matcher().try_advance(ord("7"))


# -- steps -------------------------------------------------------------------------------------------------------------


def test_steps_are_counted_alike_everywhere_and_an_error_changes_nothing() -> None:
    compiled = nested().compile(VOCABULARY, limits=Limits(steps=3_000))
    matcher = compiled.matcher()
    depths = []
    for _ in range(2):
        matcher.reset()
        for _ in range(4):
            matcher.advance(ord("["))
        before = matcher.steps, matcher.can_end
        with pytest.raises(LimitExceededError, match=r"steps of one call \(3000\)") as caught:
            matcher.advance_bytes(b"[" * 2_000)
        assert "Limits" in str(caught.value)
        assert (matcher.steps, matcher.can_end) == before
        depths.append(matcher.mask_bytes())
    assert depths[0] == depths[1]


def test_the_builder_has_steps_too() -> None:
    with pytest.raises(LimitExceededError, match=r"\(100\)"):
        Grammar.from_regex("(?=.*a)(?=.*b)(?=.*c)[a-z]{3,}", limits=Limits(steps=100))
    assert Grammar.from_regex("(?=.*a)(?=.*b)(?=.*c)[a-z]{3,}").accepts("xcab")


def test_a_search_that_is_lost_in_one_order_is_found_in_another() -> None:
    """Every letter brings sixty characters nearer to their end, and few of them lead to all that has to be there."""
    wanted = ["c12", "^.{60}$", "a12", "[b|c]", r"\d\d", "[c|a]", "ac", "a2", r"^[\w]+", "1.*2", "[aA][12].*[zZ]"]
    schema = {"type": "string", "allOf": [{"pattern": pattern} for pattern in wanted]}
    vocabulary = Vocabulary([*BYTES, b'"What', b'"class', None], eos=[258])
    matcher = Grammar.from_json_schema(schema).compile(vocabulary, limits=Limits(steps=1_000_000)).matcher()
    assert matcher.allowed() == [ord('"'), 256, 257]


def test_a_limit_is_not_remembered_as_an_answer() -> None:
    """The refused call learns nothing false: with another budget the same matcher's mask is right."""
    schema = {"type": "array", "items": {"type": "string", "pattern": "^[a-f]{2,9}$"}, "uniqueItems": True}
    right = Grammar.from_json_schema(schema).compile(VOCABULARY).matcher()
    for steps in (10, 100, 300, 1_000, 3_000):
        try:
            tight = Grammar.from_json_schema(schema).compile(VOCABULARY, limits=Limits(steps=steps)).matcher()
        except LimitExceededError:
            continue
        for _ in range(200):  # what a call has found out stays found out, so that one of them succeeds
            try:
                assert tight.mask_bytes() == right.mask_bytes()
                break
            except LimitExceededError:
                continue


def test_what_text_is_forced_comes_in_pieces() -> None:
    matcher = Grammar.from_choices(["a" * 5_000]).compile(VOCABULARY).matcher()
    taken = 0
    while piece := matcher.forced_bytes():
        assert len(piece) <= 5_000 - taken
        matcher.advance_bytes(piece)
        taken += len(piece)
    assert taken == 5_000
    assert matcher.can_end


def test_limits_are_values() -> None:
    limits = Limits(memory_bytes=5, steps=6, seconds=0.5)
    assert (limits.memory_bytes, limits.steps, limits.seconds, limits.cancellation) == (5, 6, 0.5, None)
    assert limits == Limits(memory_bytes=5, steps=6, seconds=0.5) != Limits()
    assert hash(limits) == hash(Limits(memory_bytes=5, steps=6, seconds=0.5))
    assert repr(limits) == "Limits(memory_bytes=5, steps=6, seconds=0.5)"
    with pytest.raises(AttributeError):
        limits.steps = 7  # type: ignore[misc]
    with pytest.raises(ValueError, match="seconds"):
        Limits(seconds=-1)
    assert Grammar.from_choices(["a"]).compile(VOCABULARY).limits == Limits()
    assert Grammar.from_choices(["a"]).compile(VOCABULARY, limits=limits_given()).limits == limits_given()


def limits_given() -> Limits:
    return Limits(memory_bytes=10**7, steps=9_999)
