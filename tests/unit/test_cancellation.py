"""Time and cancellation: what ends a build, the reading of a schema, and a matcher's calls."""

from __future__ import annotations

import json
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
from frisket.errors import InvalidSchemaError, LimitExceededError
from frisket.json_schema import JSONSchemaOptions
from frisket.json_schema.compile import prelude_of
from frisket.json_schema.options import DEFAULT
from frisket.recent import content

END = 256
VOCABULARY = Vocabulary([*(bytes([value]) for value in range(256)), None], eos=[END])
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
