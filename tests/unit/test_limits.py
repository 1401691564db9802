"""Limits, cancellation, and the epochs of a compiled grammar whose memory is used up."""

from __future__ import annotations

import json
import random
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from types import FrameType
from typing import Any

import numpy as np
import pytest

from frisket import Cancellation, Grammar, Limits
from frisket._core import CompiledGrammar, GrammarBuilder, Matcher, Vocabulary, fill_masks
from frisket.errors import InvalidSchemaError, LimitExceededError, TokenRejectedError
from frisket.json_schema import JSONSchemaOptions
from frisket.json_schema.compile import prelude_of
from frisket.json_schema.options import DEFAULT
from frisket.recent import content

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


def test_a_matcher_goes_back_no_further_than_it_was_given() -> None:
    compiled = keys().compile(VOCABULARY)
    matcher = compiled.matcher(max_rollback=3)
    for byte in b'{"abc':
        matcher.advance(byte)
    before = state(matcher)
    with pytest.raises(LimitExceededError, match=r"steps of a rollback \(3\)") as caught:
        matcher.rollback(4)
    assert "max_rollback" in str(caught.value)
    with pytest.raises(ValueError, match="only 5 were taken"):
        matcher.rollback(6)
    assert state(matcher) == before
    with pytest.raises(LimitExceededError, match="rollback"):
        matcher.fork().rollback(4)
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
    matcher = Grammar.from_json_schema(schema).compile(vocabulary, limits=Limits(steps=500_000)).matcher()
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


# -- time and cancellation ---------------------------------------------------------------------------------------------


ENDLESS = {"steps": 2**63, "memory_bytes": 2**40}


def periods(builder: GrammarBuilder) -> list[int]:
    """Terms that share the empty text and none shorter than 100 million bytes."""
    letter = builder.byte_class([(97, 98)])
    return [builder.repeat(builder.repeat(letter, period, period), 0) for period in (97, 101, 103, 107)]


def endless(builder: GrammarBuilder) -> None:
    builder.and_([*periods(builder), builder.repeat(builder.byte_class([(97, 98)]), 1)])


def endless_compiled(limits: Limits) -> CompiledGrammar:
    """Its matchers' first byte takes as long as the limits let it."""
    builder = GrammarBuilder()
    return builder.build(builder.and_(periods(builder))).compile(VOCABULARY, limits=limits)


def test_a_deadline_ends_a_build() -> None:
    builder = GrammarBuilder(limits=Limits(**ENDLESS, seconds=0.05))
    with pytest.raises(LimitExceededError, match=r"seconds of one call \(0.05\)"):
        endless(builder)
    with pytest.raises(LimitExceededError, match="seconds"):
        for count in range(10_000):  # the time of a build is over for all that follows
            builder.repeat(builder.byte_class([(97, 98)]), count)


def test_another_thread_cancels_a_build() -> None:
    cancellation = Cancellation()
    builder = GrammarBuilder(limits=Limits(**ENDLESS, cancellation=cancellation))
    timer = threading.Timer(0.05, cancellation.cancel)
    timer.start()
    with pytest.raises(LimitExceededError, match="cancelled") as caught:
        endless(builder)
    assert caught.value.code == "cancelled"
    timer.join()
    with pytest.raises(LimitExceededError, match="cancelled"):
        Grammar.from_choices(["a"], limits=Limits(cancellation=cancellation))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer that sends a signal")
def test_a_signal_ends_a_build() -> None:
    def ring(_: int, frame: FrameType | None) -> None:
        raise InterruptedError(frame and frame.f_code.co_name)

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        # From where Python is asked during the build, not from the making of the error with which it would end.
        with pytest.raises(InterruptedError, match="<lambda>"):
            endless(GrammarBuilder())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert Grammar.from_choices(["a"]).compile(VOCABULARY).matcher().mask_bytes()


@dataclass(frozen=True, slots=True)
class Cancelling:
    """A registry whose document is only asked for by somebody who cancels meanwhile."""

    document: Any
    cancellation: Cancellation

    def contents(self, uri: str) -> Any:
        self.cancellation.cancel()
        return self.document


@pytest.mark.parametrize(
    "document",
    [
        {"properties": {f"p{n}": {"maximum": n} for n in range(5_000)}},
        {"pattern": "^a+$"},
        {"enum": [f"v{n}" for n in range(5_000)]},
        {"enum": [{"a": n} for n in range(5_000)]},
        {"oneOf": [{"const": n} for n in range(5_000)]},
        {"$ref": "#a7", "$defs": {f"d{n}": {"$anchor": f"a{n}", "minimum": n} for n in range(5_000)}},
    ],
)
@pytest.mark.parametrize("relaxed", [False, True])
def test_who_cancels_while_a_schema_is_read_is_told_of_nothing_else(document: Any, relaxed: bool) -> None:
    cancellation = Cancellation()
    with pytest.raises(LimitExceededError) as caught:
        Grammar.from_json_schema(
            {"$ref": "https://x.test/other"},
            JSONSchemaOptions(relaxed=relaxed),
            Cancelling(document, cancellation),
            limits=Limits(**ENDLESS, cancellation=cancellation),
        )
    assert caught.value.code == "cancelled"


#: A schema that is read and lowered in a thread of the core's own, where limits may end that.
LARGE: dict[str, Any] = {"$ref": "https://x.test/other", "$defs": {f"key {n}": {"const": n} for n in range(5_000)}}


@dataclass(frozen=True, slots=True)
class Calling:
    """A registry whose document is what a call gives."""

    call: Callable[[], Any]

    def contents(self, uri: str) -> Any:
        return self.call()


@pytest.mark.parametrize("as_text", [False, True])
def test_a_large_schema_with_limits_is_what_it_is_without_them(as_text: bool) -> None:
    schema = {**LARGE, "$ref": "#/$defs/key 7"}
    given = json.dumps(schema) if as_text else schema
    limits = Limits(seconds=3_600, cancellation=Cancellation())
    assert Grammar.from_json_schema(given, limits=limits).dump() == Grammar.from_json_schema(given).dump()


def test_a_registry_is_asked_in_the_thread_of_its_caller() -> None:
    def document() -> Any:
        threads.append(threading.get_ident())
        return {"type": "integer"}

    threads: list[int] = []
    grammar = Grammar.from_json_schema(LARGE, None, Calling(document), limits=Limits(cancellation=Cancellation()))
    assert grammar.accepts("12") and not grammar.accepts('"12"')
    assert set(threads) == {threading.get_ident()}


def test_what_a_registry_raises_comes_through_a_large_schema() -> None:
    def document() -> Any:
        raise OSError("the disk is gone")

    with pytest.raises(InvalidSchemaError, match="the disk is gone"):
        Grammar.from_json_schema(LARGE, None, Calling(document), limits=Limits(cancellation=Cancellation()))


@pytest.mark.parametrize("as_text", [False, True])
def test_who_cancels_a_large_schema_is_told_so(as_text: bool) -> None:
    cancellation = Cancellation()
    with pytest.raises(LimitExceededError) as caught:
        Grammar.from_json_schema(
            json.dumps(LARGE) if as_text else LARGE,
            None,
            Cancelling({"maximum": 3}, cancellation),
            limits=Limits(cancellation=cancellation),
        )
    assert caught.value.code == "cancelled"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer that sends a signal")
def test_a_signal_ends_the_reading_of_a_large_schema() -> None:
    def ring(_: int, __: FrameType | None) -> None:
        raise InterruptedError

    # The shortest text has a length that all these primes divide.
    periods = [{"pattern": f"^(a{{{prime}}})+$"} for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)]
    endless = {"type": "string", "allOf": periods, "$defs": LARGE["$defs"]}
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(InterruptedError):
            Grammar.from_json_schema(endless, limits=Limits(**ENDLESS, cancellation=Cancellation()))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_no_time_at_all_is_seen_before_a_schema_is_read() -> None:
    with pytest.raises(LimitExceededError, match="seconds"):
        Grammar.from_json_schema({"properties": {"a": {"type": 1}}}, limits=Limits(seconds=0.0))


@pytest.mark.parametrize("is_cancelled", [False, True])
@pytest.mark.parametrize("values", [[0] * 10_000, ["x" * 10_000, Decimal(1)] * 5_000], ids=["plain", "not plain"])
def test_limits_end_the_reading_of_a_value(values: list[object], is_cancelled: bool) -> None:
    cancellation = Cancellation()
    limits = Limits(cancellation=cancellation) if is_cancelled else Limits(seconds=0.0)
    cancellation.cancel()
    with pytest.raises(LimitExceededError):
        content(values, limits)
    with pytest.raises(LimitExceededError):
        prelude_of(DEFAULT).compile({"enum": values}, None, limits)


def test_started_limits_are_the_time_of_several_calls() -> None:
    over = Limits(seconds=0.0).started()
    for _ in range(2):
        with pytest.raises(LimitExceededError, match=r"seconds of one call \(0\)"):
            Grammar.from_json_schema({}, limits=over)
    hour = Limits(seconds=3_600)
    assert hour.started() != hour == Limits(seconds=3_600)
    assert hour.started().started().seconds == 3_600
    assert Limits(steps=5).started() == Limits(steps=5), "no time, no clock"
    assert Grammar.from_json_schema({"const": 1}, limits=hour.started()).accepts("1")
    assert Grammar.from_json_schema({"const": 1}, limits=Limits(seconds=1e300).started()).accepts("1")


def test_what_text_is_forced_comes_in_pieces() -> None:
    matcher = Grammar.from_choices(["a" * 5_000]).compile(VOCABULARY).matcher()
    taken = 0
    while piece := matcher.forced_bytes():
        assert len(piece) <= 5_000 - taken
        matcher.advance_bytes(piece)
        taken += len(piece)
    assert taken == 5_000
    assert matcher.can_end


CALLS: dict[str, Callable[[Matcher], object]] = {
    "advance": lambda matcher: matcher.advance(97),
    "try_advance": lambda matcher: matcher.try_advance(97),
    "advance_bytes": lambda matcher: matcher.advance_bytes(b"ab"),
    "fill_mask": lambda matcher: matcher.mask_bytes(),
    "fill_masks": lambda matcher: fill_masks([matcher], np.zeros((1, 16), np.uint32)),
    "validate": lambda matcher: matcher.validate([97, 98]),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_deadline_ends_a_call_and_nothing_is_remembered_of_it(call: str) -> None:
    compiled = endless_compiled(Limits(**ENDLESS, seconds=0.02))
    matcher = compiled.matcher()
    for _ in range(2):
        with pytest.raises(LimitExceededError, match=r"seconds of one call \(0.02\)"):
            CALLS[call](matcher)
        assert (matcher.steps, matcher.can_end, matcher.ended) == (0, True, False)
    matcher.advance(END)
    assert matcher.ended


@pytest.mark.parametrize("call", CALLS)
def test_another_thread_cancels_one_matcher(call: str) -> None:
    threads = threading.active_count()
    compiled = endless_compiled(Limits(**ENDLESS))
    cancellation = Cancellation()
    matcher, other = compiled.matcher(cancellation=cancellation), compiled.matcher()
    timer = threading.Timer(0.02, cancellation.cancel)
    timer.start()
    with pytest.raises(LimitExceededError, match="cancelled") as caught:
        CALLS[call](matcher)
    assert caught.value.code == "cancelled"
    timer.join()
    assert threading.active_count() == threads
    with pytest.raises(LimitExceededError, match="cancelled"):
        matcher.fork().advance(END)
    assert (matcher.steps, matcher.can_end, matcher.ended) == (0, True, False)
    other.advance(END)
    assert other.ended


def test_another_thread_cancels_a_compiled_grammar() -> None:
    cancellation = Cancellation()
    compiled = endless_compiled(Limits(**ENDLESS, cancellation=cancellation))
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(compiled.matcher().advance, 97) for _ in range(2)]
        cancellation.cancel()
        assert [getattr(one.exception(), "code", None) for one in running] == ["cancelled"] * 2
    assert cancellation.cancelled
    with pytest.raises(LimitExceededError, match="cancelled"):
        endless_compiled(Limits(cancellation=cancellation))


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
