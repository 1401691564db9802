"""The path of a step: that of the matcher before it, however the text is cut into tokens."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Grammar, Vocabulary
from frisket.decoding.budget import Budget
from frisket.decoding.document import Document
from frisket.decoding.loop import decode
from frisket.outline import Place

DOCUMENT = '{"a/b":[1,{"é":"\\n"}],"~":true, "n": -1.5e3}'
SCHEMA: dict[str, Any] = {"type": "object"}


def paths(text: bytes) -> list[str]:
    """The path before each byte, and after the last, by a matcher that has read so much."""
    letters = Vocabulary.from_bytes([bytes([value]) for value in range(256)] + [None], eos=[256])
    matcher = Grammar.from_json_schema(SCHEMA).compile(letters).matcher()
    found = [matcher.path]
    for value in text:
        matcher.advance_bytes(bytes([value]))
        found.append(matcher.path)
    return found


def test_the_path_is_that_of_the_matcher_in_all_chunkings() -> None:
    text = '{"a":[1,"é"]}'.encode()
    wanted = paths(text)
    assert set(wanted) == {"", "/a", "/a/0", "/a/1"}
    for cuts in product((False, True), repeat=len(text) - 1):
        ends = [place + 1 for place, cut in enumerate(cuts) if cut] + [len(text)]
        document, start = Document(b""), 0
        for end in ends:
            document.append(text[start:end])
            start = end
        assert len(document) == len(ends) + 1
        assert [str(document[place]) for place in range(len(document))] == [wanted[end] for end in [0, *ends]]


class Writer:
    """A session that wants to write given tokens, one after another."""

    def __init__(self, ids: list[int], size: int) -> None:
        self.ids, self.size, self.place = ids, size, 0

    def logits(self) -> np.ndarray:
        logits = np.zeros(self.size, dtype=np.float32)
        logits[self.ids[self.place]] = 30
        return logits

    def push(self, token_id: int) -> None:
        self.place += 1

    def fork(self) -> Writer:
        raise NotImplementedError


@pytest.mark.parametrize("seed", range(30))
def test_steps_of_random_tokens_carry_the_path_of_their_first_byte(seed: int) -> None:
    text = DOCUMENT.encode()
    rng = np.random.default_rng(seed)
    cuts = sorted({0, len(text), *rng.integers(1, len(text), size=int(rng.integers(0, 30))).tolist()})
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    tokens: list[bytes | None] = list(dict.fromkeys([bytes([value]) for value in range(256)] + pieces))
    ids = [tokens.index(piece) for piece in pieces] + [len(tokens)]
    vocabulary = Vocabulary.from_bytes([*tokens, None], eos=[len(tokens)])
    matcher = Grammar.from_json_schema(SCHEMA).compile(vocabulary).matcher()
    steps = list(decode(Writer(ids, vocabulary.size), matcher, vocabulary, Budget(100)))
    assert [step.data for step in steps if not step.ends] == pieces
    wanted = paths(text)
    assert [step.path for step in steps] == [wanted[place] for place in cuts[: len(steps)]]
    assert json.loads("".join(step.text for step in steps)) == json.loads(DOCUMENT)


def test_other_notations_have_no_path() -> None:
    answer = frisket.stream(frisket.models.embedded(), "?", Grammar.from_regex(r'\{"a": [0-9]\}')).generation()
    assert {step.path for step in answer.steps} == {""}


def test_reading_ahead_changes_no_path() -> None:
    schema = frisket.examples.load("triage")
    ways = [
        frisket.stream(frisket.models.embedded(), "My card was charged twice", schema, jump_forward=way).generation()
        for way in (True, False)
    ]
    assert [step.path for step in ways[0].steps] == [step.path for step in ways[1].steps]
    assert {step.path for step in ways[0].steps} >= {"", "/priority", "/category", "/confidence"}


def test_a_step_is_read_when_it_is_asked_for() -> None:
    answer = frisket.stream(frisket.models.embedded(), "My card was charged twice", frisket.examples.load("triage"))
    steps, asked = [], []
    for step in answer:
        steps.append(step)
        asked.append(step.path)
    assert [step.path for step in reversed(steps)] == asked[::-1]
    copied = pickle.loads(pickle.dumps(steps))
    assert [step.path for step in copied] == asked and copied == steps
    assert [step.path for step in copy.deepcopy(steps)] == asked
    assert "document" not in repr(steps[0])


def test_threads_may_ask_at_once() -> None:
    document = Document(b"[")
    for number in range(3000):
        document.append(b"%d," % number)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda place: document[place], [*range(3000)] * 2))
    assert found == [Place((), place) for place in ((), *((place,) for place in range(1, 3000)))] * 2


def test_a_matcher_that_has_begun() -> None:
    vocabulary = frisket.models.embedded().vocabulary
    matcher = Grammar.from_json_schema(SCHEMA).compile(vocabulary).matcher()
    matcher.advance_bytes(b'{"a": [1')
    session = Writer([vocabulary.size - 1] * 5, vocabulary.size)
    step = next(decode(session, matcher, vocabulary, Budget(5)))
    assert step.path == "/a/0"
