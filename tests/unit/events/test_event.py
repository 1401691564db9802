"""Events of a document as it grows: the same however the text is cut."""

import json
import random
from collections.abc import Iterable
from itertools import groupby
from typing import Any

import pytest

from frisket import Grammar, examples, generate, models, stream
from frisket.events import Closed, Events, Grew, Opened
from frisket.events.event import Event

DOCUMENTS = [
    '{"size": "large", "count": 12, "extras": ["milk", "oat"], "note": null}',
    " [ ] ",
    "{}",
    '[[], {}, [[1, -2.5e+3], {"a": {"b": [true, false, null]}}], "x"]',
    '{"k\\u00e9y\\n": "caf\\u00e9 \\ud83d\\ude00 \\"q\\" é 😀", "": ""}',
    '{"a": 1, "a": [2]}',
    "-0.5E-2",
    "true",
    '"é"',
]


def told(pieces: Iterable[bytes]) -> list[Event]:
    """All events, growth of one text as one."""
    events = Events()
    found = [event for piece in pieces for event in events.feed(piece)] + events.finish()
    joined: list[Event] = []
    for is_growth, run in groupby(found, lambda event: isinstance(event, Grew)):
        several = list(run)
        if is_growth:
            joined.append(Grew(several[0].path, "".join(event.text for event in several if isinstance(event, Grew))))
        else:
            joined += several
    return joined


@pytest.mark.parametrize("document", DOCUMENTS)
def test_events_do_not_depend_on_chunks(document: str) -> None:
    data = document.encode()
    whole = told([data])
    assert told(bytes([byte]) for byte in data) == whole
    draw = random.Random(document)
    for _ in range(20):
        cuts = sorted(draw.sample(range(len(data) + 1), min(3, len(data))))
        assert told(data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)) == whole


def values(value: Any, path: tuple[str | int, ...] = ()) -> Iterable[tuple[tuple[str | int, ...], Any]]:
    """Every value in a document with its path, innermost first."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield from values(member, (*path, step))
    yield path, value


@pytest.mark.parametrize("document", [text for text in DOCUMENTS if text.count('"a": ') < 2 or "[2]" not in text])
def test_each_value_opens_and_closes_once_and_lies_where_it_says(document: str) -> None:
    data = document.encode()
    events = told([data])
    closed = [event for event in events if isinstance(event, Closed)]
    assert [(event.path, event.value) for event in closed] == list(values(json.loads(document)))
    assert [json.loads(data[event.start : event.end]) for event in closed] == [event.value for event in closed]
    opened = {event.path: event.start for event in events if isinstance(event, Opened)}
    assert opened == {event.path: event.start for event in closed}
    grown = {event.path: event.text for event in events if isinstance(event, Grew)}
    assert grown == {event.path: event.value for event in closed if isinstance(event.value, str) and event.value}


def test_a_key_that_is_written_twice_closes_twice() -> None:
    closed = [event.value for event in told([b'{"a": 1, "a": [2]}']) if isinstance(event, Closed)]
    assert closed == [1, 2, [2], {"a": [2]}]


def test_kinds_are_known_from_the_first_character() -> None:
    kinds = [event.kind for event in told([b'[{}, [], "", -1, true, null]']) if isinstance(event, Opened)]
    assert kinds == ["array", "object", "array", "string", "number", "boolean", "null"]


def test_what_is_not_json_is_an_error() -> None:
    with pytest.raises(ValueError, match="not JSON"):
        Events().feed("[1 2")


def test_a_stream_says_which_steps_wrote_a_value() -> None:
    answer = stream(models.embedded(), "My card was charged twice", examples.load("triage"))
    closed = [event for event in answer.events() if isinstance(event, Closed)]
    result = answer.generation()
    assert closed[-1].value == result.value()
    for event in closed:
        assert event.tokens is not None
        first, last = event.tokens
        written = b"".join(step.data for step in result.steps[first:last])
        assert json.dumps(event.value).encode() in written
        before = sum(len(step.data) for step in result.steps[:first])
        assert before <= event.start < before + len(result.steps[first].data)


def test_events_tell_of_steps_that_were_taken_before() -> None:
    late = stream(models.embedded(), "My card was charged twice", examples.load("triage"))
    for _ in range(5):
        next(late)
    assert list(late.events()) == list(
        stream(models.embedded(), "My card was charged twice", examples.load("triage")).events()
    )


def test_other_notations_have_no_events() -> None:
    with pytest.raises(TypeError, match="JSON documents and named parts"):
        next(stream(models.embedded(), "Hello", Grammar.from_choices(["a", "b"])).events())
    assert generate(models.embedded(), "Hello", ["a"]) == "a"
