"""Events of named parts: typed values in tool calls, templates and combinations, the same however the text is cut."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import groupby, pairwise
from typing import Any, Literal

import pytest

import frisket
from frisket import Grammar, Thought, Vocabulary, stream, think
from frisket.errors import GrammarError
from frisket.events import Closed, Events, Grew, Opened
from frisket.events.event import Event
from frisket.outline import OutlineEvents, Reader
from frisket.parts import capture, json, regex, repeat, seq, special, template, text, until
from frisket.token_name import token_names
from frisket.tools import families, family
from frisket.tools.message import Message
from tests.unit.tools.test_walks import TOOLS, vocabulary_of, walk


def told(grammar: Grammar, pieces: Iterable[bytes]) -> list[Event]:
    """All events, growth of one text as one."""
    events = Events(grammar)
    found = [event for piece in pieces for event in events.feed(piece)] + events.finish()
    joined: list[Event] = []
    for is_growth, run in groupby(found, lambda event: isinstance(event, Grew)):
        several = list(run)
        if is_growth:
            joined.append(Grew(several[0].path, "".join(event.text for event in several if isinstance(event, Grew))))
        else:
            joined += several
    return joined


def told_in_all_chunks(grammar: Grammar, whole: str) -> list[Event]:
    data = whole.encode()
    wanted = told(grammar, [data])
    assert told(grammar, (bytes([value]) for value in data)) == wanted
    draw = random.Random(whole)
    for _ in range(5):
        cuts = [0, *sorted(draw.sample(range(len(data) + 1), min(4, len(data)))), len(data)]
        assert told(grammar, (data[start:end] for start, end in pairwise(cuts))) == wanted
    return wanted


def closed(events: Iterable[Event]) -> list[tuple[tuple[str | int, ...], Any]]:
    return [(event.path, event.value) for event in events if isinstance(event, Closed)]


CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": False}
PAIR = capture("pair", seq("(", capture("a", json({"type": "number"})), ",", capture("b", regex("[a-z]*")), ")"))
CASES: list[tuple[Grammar, str, list[tuple[tuple[str | int, ...], Any]]]] = [
    (
        template("{who} is {age}, {of}.", who=str, age=int, of=Literal["good", "goo"]),
        "Ada é is 36, good.",
        [(("who",), "Ada é"), (("age",), 36), (("of",), "good")],
    ),
    (template("{n}", n=int), "120", [(("n",), 120)]),
    (
        repeat(PAIR, 1, None, ";"),
        "(1.5,xy);(-2,)",
        [
            (("pair", "a"), 1.5),
            (("pair", "b"), "xy"),
            (("pair",), "(1.5,xy)"),
            (("pair", "a"), -2),
            (("pair", "b"), ""),
            (("pair",), "(-2,)"),
        ],
    ),
    (
        think(json(CITY)),
        '<think>a <b></thi</think>\n{"city": "Rome"}',
        [(("reasoning",), "a <b></thi"), (("city",), "Rome"), ((), {"city": "Rome"})],
    ),
    # Of several readings the first: a part takes as much as it can.
    (seq(capture("a", regex("[a-z]+")), capture("b", text())), "abc", [(("a",), "abc"), (("b",), "")]),
    (seq(capture("a", regex("[a-z]+")), capture("b", regex("[a-z]+"))), "abc", [(("a",), "ab"), (("b",), "c")]),
    (
        seq(until("END", name="t"), capture("rest", json({"type": "integer"}))),
        "EN ENDE END7".replace("ENDE END", "ENEND"),
        [(("t",), "EN EN"), (("rest",), 7)],
    ),
]


@pytest.mark.parametrize(("grammar", "whole", "wanted"), CASES)
def test_values_close_in_all_chunks(
    grammar: Grammar, whole: str, wanted: list[tuple[tuple[str | int, ...], Any]]
) -> None:
    events = told_in_all_chunks(grammar, whole)
    assert closed(events) == wanted
    opened = sorted(event.path for event in events if isinstance(event, Opened))
    assert opened == sorted(path for path, _ in wanted)
    data = whole.encode()
    for event in events:
        if isinstance(event, Closed) and isinstance(event.value, str) and event.path != ("city",):
            assert data[event.start : event.end].decode() == event.value


@pytest.mark.parametrize("name", families())
def test_the_calls_of_every_family(name: str) -> None:
    """The events of random messages hold what the parser reads in the whole text."""
    wanted = family(name)
    vocabulary = vocabulary_of(wanted)
    names = {tool["name"] for tool in TOOLS}
    rng = random.Random(name)
    calls = 0
    for choice in ("auto", "required") * 6:
        grammar = Grammar.from_tools(TOOLS, name, choice=choice)
        whole = walk(grammar, vocabulary, rng)
        if whole is None:
            continue
        message = grammar.value(whole)
        found = [(path[0], value) for path, value in closed(told(grammar, _cut(whole, rng))) if len(path) == 1]
        assert [pair for pair in found if pair[0] in names] == [(call.name, call.arguments) for call in message.calls]
        thoughts = [value.strip() for name, value in found if name == "reasoning"]
        reasoning = "\n".join(thought for thought in thoughts if thought)
        content = "".join(value for name, value in found if name == "content" and value.strip()).strip()
        assert (reasoning or None, content or None) == (message.reasoning, message.content), whole
        calls += len(message.calls)
    assert calls


def _cut(whole: str, rng: random.Random) -> Iterable[bytes]:
    data = whole.encode()
    cuts = [0, *sorted(rng.sample(range(len(data) + 1), min(6, len(data)))), len(data)]
    return (data[start:end] for start, end in pairwise(cuts))


def test_special_tokens_end_a_text() -> None:
    vocabulary = Vocabulary.from_bytes([b"a", b"</t>", None, None], {"</t>": 2, "<end>": 3}, eos="<end>")
    grammar = seq(until(special("</t>"), name="t"), capture("u", repeat("a")))
    events = OutlineEvents(Reader(grammar._outline, vocabulary.special))
    for piece in (b"a", b"</t>", token_names(vocabulary, 2), b"a"):
        events.feed(piece)
    events.finish()
    assert closed(events.told()) == [(("t",), "a</t>"), (("u",), "a")]
    assert events.values == [(("t",), "a</t>"), (("u",), "a")]


def test_an_event_waits_until_all_readings_have_it() -> None:
    grammar = seq(capture("n", regex("[0-9]+")), capture("m", regex("[0-9]*x")), "!")
    events = Events(grammar)
    assert [event for byte in b"123" for event in events.feed(bytes([byte]))] == [
        Opened(("n",), "string", 0),
        Grew(("n",), "1"),
    ]
    assert closed(events.feed(b"x!")) == [(("n",), "123"), (("m",), "x")]


def test_what_is_no_text_of_the_grammar() -> None:
    events = Events(template("Age: {age}", age=int))
    with pytest.raises(GrammarError) as caught:
        events.feed("Age: x")
    assert (caught.value.code, caught.value.where) == ("text-rejected", "byte 5")


def test_a_stream_of_a_template() -> None:
    form = template("Count: {count}\nSure: {sure}\n", count=int, sure=bool)
    model = frisket.models.embedded()
    seen = []
    for _ in (answer := stream(model, "I ordered three lamps", form)):
        if answer.partial not in seen:
            seen.append(answer.partial)
    whole = answer.generation()
    assert seen[0] == type(seen[0])(count=None, sure=None) and seen[-1] == whole.value()
    events = [each for each in stream(model, "I ordered three lamps", form).events() if isinstance(each, Closed)]
    assert [event.path for event in events] == [("count",), ("sure",)]
    for event in events:
        assert event.tokens is not None
        written = b"".join(step.data for step in whole.steps[slice(*event.tokens)]).decode()
        assert whole.text.encode()[event.start : event.end].decode() in written


def test_a_stream_of_calls() -> None:
    tool = {"name": "weather", "parameters": {"properties": {"sky": {"enum": ["clear", "rain"]}}, "required": ["sky"]}}
    closed_tool = {**tool, "parameters": {**tool["parameters"], "additionalProperties": False}}
    model = frisket.models.embedded()
    grammar = Grammar.from_tools([closed_tool], "glm45", choice="weather", thinking="off", vocabulary=model.vocabulary)
    seen: list[Message] = []
    for _ in (answer := stream(model, "What is the sky like?", grammar)):
        assert isinstance(answer.partial, Message)
        seen.append(answer.partial)
    whole = answer.generation().value()
    assert seen[-1] == whole and seen[0].calls == []
    assert any(message.calls and message.calls[0].arguments in ({}, {"sky": ""}) for message in seen)
    partial = think(json({"enum": [1]}))._value.partial([(("reasoning",), " hm ")])
    assert partial == Thought("hm", None)
