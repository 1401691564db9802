"""Eight threads that share all that may be shared: the same masks as one thread, with the GIL and without it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from frisket import CompiledGrammar, Grammar, JSONSchemaOptions, Matcher, Vocabulary, fill_masks
from frisket._core import GrammarBuilder
from frisket.compiled_schema import compiled_lately
from frisket.errors import FrisketError, TokenRejectedError
from frisket.recent import Recent, content

THREADS = 8
WORDS = [b"true", b"false", b"null", b'": ', b'", "', b"12", b"345", b"[[", b"]]", b"ab", b'{"']
VOCABULARY = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), *WORDS, None], eos=[267])
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 9},
        "sizes": {"type": "array", "items": {"type": "integer"}, "maxItems": 4},
        "parent": {"$ref": "#"},
    },
    "required": ["name"],
}
TEXTS = [b'{"name": "a"}', b'{"name": "ab", "sizes": [1, 23]}', b'{"name": "b", "parent": {"name": "c", "sizes": []}}']


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """The results of threads that begin together, by their numbers; the first error of one of them."""
    results: list[Any] = [None] * THREADS
    errors: list[BaseException] = []
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> None:
        try:
            barrier.wait()
            results[number] = work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=[number]) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def masks(compiled: CompiledGrammar, text: bytes) -> list[bytes]:
    """The masks before each byte of a text, and after the last."""
    matcher = compiled.matcher()
    found = [matcher.mask_bytes()]
    for place, byte in enumerate(text):
        matcher.advance(byte)
        found.append(matcher.mask_bytes() if place % 2 else matcher.mask().tobytes())
    return found


def test_the_gil_stays_off_where_there_is_none() -> None:
    if not hasattr(sys, "_is_gil_enabled"):
        pytest.skip("this Python always has a GIL")
    import sysconfig

    assert sys._is_gil_enabled() is not bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def test_threads_share_a_vocabulary_a_grammar_and_what_was_compiled() -> None:
    expected = [masks(Grammar.from_json_schema(SCHEMA).compile(VOCABULARY), text) for text in TEXTS]
    for round_ in range(5):
        # New each time, so that all threads find the caches empty and fill them together.
        vocabulary = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), *WORDS, None], eos=[267])
        grammar = Grammar.from_json_schema(SCHEMA)
        compiled = grammar.compile(vocabulary)

        def work(number: int, compiled: CompiledGrammar = compiled) -> list[list[bytes]]:
            turned = [(number + place) % len(TEXTS) for place in range(len(TEXTS))]
            found = {place: masks(compiled, TEXTS[place]) for place in turned}
            return [found[place] for place in range(len(TEXTS))]

        assert at_once(work) == [expected] * THREADS, round_


def test_threads_compile_the_same_schema_and_others_at_once() -> None:
    def schema(number: int) -> dict[str, Any]:
        return {"type": "object", "properties": {f"p{number}": {"type": "integer", "minimum": number}}}

    compiled_lately.clear()

    def work(number: int) -> list[bool]:
        return [
            Grammar.from_json_schema(schema(other), JSONSchemaOptions(whitespace="compact")).accepts(
                f'{{"p{other}":{other}}}'
            )
            for turn in range(20)
            for other in [(number + turn) % 5, number * 100 + turn]
        ]

    assert all(all(found) for found in at_once(work))


def test_recent_results_stay_within_their_bounds() -> None:
    recent: Recent[int] = Recent(count=10, weight=1000)

    def work(number: int) -> int:
        hits = 0
        for turn in range(3_000):
            key = (number * turn) % 23
            recent.put(key, key, 1 + key)
            found = recent.get((key + 1) % 23)
            assert found in (None, (key + 1) % 23)
            hits += found is not None
            if turn % 500 == 499:
                recent.clear()
        return hits

    assert sum(at_once(work)) > 0
    recent.clear()
    # Nothing that was dropped counts any more: ten entries of a hundred bytes fill it.
    for key in range(10):
        recent.put(key, key, 100)
    assert [recent.get(key) for key in range(10)] == list(range(10))


def test_a_schema_may_change_while_it_is_read() -> None:
    schema: dict[str, Any] = {"properties": {str(number): {} for number in range(200)}}
    properties = schema["properties"]
    reading = threading.Semaphore(0)

    def work(number: int) -> None:
        if number == 0:
            while not reading.acquire(blocking=False):
                properties["new"] = {}
                del properties["new"]
            return
        for _ in range(300):
            assert content(schema) is not None
            if number == 1:
                Grammar.from_json_schema(schema)
        reading.release()

    at_once(work)


def test_calls_of_one_matcher_take_turns() -> None:
    digits = Grammar.from_regex("[0-9]*").compile(VOCABULARY)
    matcher = digits.matcher()
    bitmask = [np.zeros(VOCABULARY.mask_words, dtype=np.uint32) for _ in range(THREADS)]
    mask = matcher.mask_bytes()

    def work(number: int) -> None:
        for turn in range(200):
            matcher.advance(ord("0") + turn % 10)
            matcher.fill_mask(bitmask[number])
            assert bitmask[number].tobytes() == mask == matcher.mask_bytes()
            assert not matcher.try_advance(ord("x"))
            with pytest.raises(TokenRejectedError):
                matcher.advance(ord("x"))

    at_once(work)
    assert matcher.steps == THREADS * 200
    matcher.rollback(matcher.steps)
    assert matcher.steps == 0


def test_rows_of_one_batch_share_grammars() -> None:
    compiled = Grammar.from_json_schema(SCHEMA).compile(VOCABULARY)
    shared = [compiled.matcher() for _ in range(4)]
    for matcher, text in zip(shared, TEXTS, strict=False):
        matcher.advance_bytes(text[:9])
    expected = np.stack([matcher.mask() for matcher in shared])

    def work(number: int) -> bool:
        same = True
        for _ in range(100):
            bitmask = np.zeros((4, VOCABULARY.mask_words), dtype=np.uint32)
            fill_masks(shared, bitmask)
            same &= bool((bitmask == expected).all())
        return same

    assert all(at_once(work))


def test_a_builder_in_two_threads_is_an_error_or_has_all_nodes() -> None:
    builder = GrammarBuilder()

    def work(number: int) -> int:
        taken = 0
        for turn in range(200):
            try:
                builder.literal(b"%d %d" % (number, turn))
                taken += 1
            except RuntimeError as error:
                assert "borrowed" in str(error)
        return taken

    assert sum(at_once(work)) > 0
    assert builder.build(builder.literal(b"a")).accepts(b"a")


def test_errors_of_threads_are_their_own() -> None:
    def work(number: int) -> str:
        for _ in range(50):
            with pytest.raises(FrisketError) as caught:
                Grammar.from_json_schema({"type": f"kind {number}"})
            assert f"kind {number}" in str(caught.value)
        return str(caught.value)

    assert len(set(at_once(work))) == THREADS


def test_forks_and_matchers_of_threads_are_their_own() -> None:
    compiled = Grammar.from_json_schema(SCHEMA).compile(VOCABULARY)
    start: Matcher = compiled.matcher()
    start.advance_bytes(b'{"name": "')

    def work(number: int) -> list[int]:
        for _ in range(100):
            fork = start.fork()
            fork.advance(ord("a") + number)
            fork.advance_bytes(b'"')
        return fork.allowed()

    assert len({tuple(found) for found in at_once(work)}) == 1
    assert start.steps == 1
