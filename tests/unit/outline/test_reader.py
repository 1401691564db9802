"""Named parts of a grammar: the place of a text in each notation, whatever its chunks, and the readings behind it."""

from __future__ import annotations

import random
from itertools import groupby, pairwise
from typing import Any

import pytest

from frisket import Grammar, Vocabulary, think
from frisket.errors import TokenRejectedError
from frisket.outline import Reader
from frisket.parts import capture, choice, json, optional, regex, repeat, seq, special, tags, template, text, until
from frisket.token_name import token_names

CITY = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "array"}}}
WEATHER = {"name": "get_weather", "parameters": CITY}
NUMBERS = Grammar.from_gbnf('root ::= number ("+" number)*\nnumber ::= [0-9]+')


def tag(begin: str, end: str, content: dict[str, Any] | None = None) -> dict[str, Any]:
    schema = {"type": "json_schema", "json_schema": CITY}
    return {"type": "tag", "begin": begin, "content": content or schema, "end": end}


def structural(form: dict[str, Any]) -> Grammar:
    return Grammar.from_structural_tag({"type": "structural_tag", "format": form})


def triggered(*begins: str, **more: Any) -> Grammar:
    several = [tag(begin, "</call>") for begin in begins]
    return structural({"type": "triggered_tags", "triggers": ["<call:"], "tags": several, **more})


#: A grammar, and a text of it in runs: the path before each byte of a run, and the run. Special tokens are written.
CASES: list[tuple[Grammar, list[tuple[str, str]]]] = [
    (
        seq("size: ", capture("size", json(CITY)), ";", until("\n", name="note"), capture("w", regex("[a-z]+"))),
        [
            ("", "size: "),
            ("size", '{"city":'),
            ("size/city", '"a"'),
            ("size", "}"),
            ("", ";"),
            ("note", "hi\n"),
            ("w", "a"),
        ],
    ),
    (
        seq("[", json({"type": "array"}), "|", capture("o", seq("(", capture("i", NUMBERS), ")"))),
        [("", "[[{"), ("/0", '"a":'), ("/0/a", "1}"), ("", "]|"), ("o", "("), ("o/i", "1+2)")],
    ),
    (
        choice(capture("a", json({"type": "array"})), capture("b", "[x]")),
        [("a", "[x"), ("b", "]")],
    ),
    (
        repeat(capture("n/~", regex("[0-9]+")), 1, None, ","),
        [("n~1~0", "12"), ("n~1~0", ","), ("n~1~0", "3")],
    ),
    (
        seq(capture("outer", think(json(CITY))), "!"),
        [
            ("outer", "<think>"),
            ("outer/reasoning", "hm</think>"),
            ("outer", '{"days":'),
            ("outer/days", "[]"),
            ("outer", "}"),
            ("", "!"),
        ],
    ),
    (
        tags({"<call:a>": seq(json(CITY), "</call>"), "<call:ab>": "x"}),
        [
            ("", "free <call:a>"),
            ("<call:a>", '{"city":'),
            ("<call:a>/city", '"x"'),
            ("<call:a>", "}</call>"),
            ("", "then <call:ab>"),
            ("<call:ab>", "x"),
            ("", "."),
        ],
    ),
    (
        template("Name: {name}\nAge: {age}\n", name=str, age=list[int]),
        [("", "Name: "), ("name", "Ada\n"), ("", "Age: "), ("age", "[3"), ("age/0", ","), ("age/1", "4]"), ("", "\n")],
    ),
    (
        think(json(CITY), mode="on"),
        [("", "<think>"), ("reasoning", "so </th</think>"), ("", '\n{"city":'), ("/city", '"Rome"'), ("", "}")],
    ),
    (
        structural(tag("<n>", "</n>")),
        [("", "<n>"), ("<n>", '{"city":'), ("<n>/city", ' "Rome"'), ("<n>", "}"), ("<n>", "<"), ("", "/n>")],
    ),
    (
        structural(tag("<t>", "</t>", {"type": "any_text"})),
        [("", "<t>"), ("<t>", "a<"), ("<t>", "b</t>")],
    ),
    (
        triggered("<call:a>", "<call:b>"),
        [
            ("", "free <call:b>"),
            ("<call:b>", '{"days":'),
            ("<call:b>/days", "[1"),
            ("<call:b>/days/0", "]"),
            ("<call:b>", "}<"),
            ("", "/call> on"),
        ],
    ),
    (
        triggered("<call:a>", at_least_one=True, stop_after_first=True),
        [("", "<call:a>"), ("<call:a>", '{"city":'), ("<call:a>/city", '"x"'), ("<call:a>", "}<"), ("", "/call>")],
    ),
    (
        Grammar.from_tools([WEATHER], "hermes", choice="required"),
        [
            ("", '<tool_call>\n{"name": "get_weather", "arguments": {'),
            ("get_weather", '"city":'),
            ("get_weather/city", ' "Rome"'),
            ("get_weather", "}"),
            ("", "}\n</tool_call>"),
        ],
    ),
    (
        Grammar.from_tools([WEATHER], "glm45", choice="required"),
        [
            ("", "<tool_call>get_weather\n<"),
            ("get_weather", "arg_key>city</arg_key>\n<arg_value>"),
            ("get_weather/city", "Rome</arg_value>"),
            ("get_weather", "\n<arg_key>days</arg_key>\n<arg_value>"),
            ("get_weather/days", "[1"),
            ("get_weather/days/0", "]"),
            ("get_weather", "</arg_value>\n<"),
            ("", "/tool_call>"),
        ],
    ),
    (
        Grammar.from_tools([WEATHER], "llama4_pythonic", choice="required"),
        [
            ("", "[get_weather(c"),
            ("get_weather", "ity="),
            ("get_weather/city", "'Rome'"),
            ("get_weather", ", days="),
            ("get_weather/days", "[T"),
            ("get_weather/days/0", "rue"),
            ("get_weather/days", "]"),
            ("get_weather", ")"),
            ("", "]"),
        ],
    ),
]


def paths(grammar: Grammar, pieces: list[bytes]) -> list[str]:
    """The path before each piece, and after the last."""
    reader = Reader(grammar._outline, is_written=True)
    found = [str(reader.place)]
    for piece in pieces:
        reader.feed(piece)
        found.append(str(reader.place))
    return found


@pytest.mark.parametrize(("grammar", "runs"), CASES, ids=[str(place) for place in range(len(CASES))])
def test_a_place_has_the_names_around_it(grammar: Grammar, runs: list[tuple[str, str]]) -> None:
    whole = "".join(run for _, run in runs)
    found = paths(grammar, [bytes([value]) for value in whole.encode()])
    told = list(zip(found, whole, strict=False))
    shown = [(path, "".join(char for _, char in group)) for path, group in groupby(told, lambda pair: pair[0])]
    wanted = [(path, "".join(run for _, run in group)) for path, group in groupby(runs, lambda pair: pair[0])]
    assert shown == wanted


@pytest.mark.parametrize(("grammar", "runs"), CASES, ids=[str(place) for place in range(len(CASES))])
def test_a_place_does_not_depend_on_chunks(grammar: Grammar, runs: list[tuple[str, str]]) -> None:
    data = "".join(run for _, run in runs).encode()
    wanted = paths(grammar, [bytes([value]) for value in data])
    draw = random.Random(data)
    for _ in range(10):
        cuts = [0, *sorted(draw.sample(range(1, len(data)), min(4, len(data) - 1))), len(data)]
        pieces = [data[start:end] for start, end in pairwise(cuts)]
        assert paths(grammar, pieces) == [wanted[cut] for cut in cuts]


@pytest.mark.parametrize(("grammar", "runs"), CASES, ids=[str(place) for place in range(len(CASES))])
def test_a_reading_ends_where_the_text_may(grammar: Grammar, runs: list[tuple[str, str]]) -> None:
    reader = Reader(grammar._outline, is_written=True)
    reader.feed("".join(run for _, run in runs).encode())
    assert any(thread.leaf is None for thread in reader.threads)
    reader.feed(b"\xff")
    assert not reader.threads and str(reader.place) == ""


def letters(*names: str) -> Vocabulary:
    tokens = [*(bytes([value]) for value in range(256)), *(None for _ in names)]
    return Vocabulary.from_bytes(tokens, special={name: 256 + at for at, name in enumerate(names)}, eos=names[-1])


def test_special_tokens_are_read_as_tokens() -> None:
    vocabulary = letters("<call>", "</call>", "<end>")
    called = tags([(special("<call>"), seq(json(CITY), special("<[257]>")))])
    matcher = called.compile(vocabulary).matcher()
    matcher.advance_bytes(b"ok <call>")
    assert matcher.path == "", "the name of a token, as text, is no token"
    matcher.advance(256)
    matcher.advance_bytes(b'{"city": "')
    assert (matcher.path, matcher.inputs) == ("<call>/city", [b"ok <call>", 256, b'{"city": "'])
    matcher.advance_bytes(b'"}')
    matcher.advance(257)
    assert matcher.path == ""
    named = seq(until(special("<call>"), name="t"), capture("e", repeat(special("<end>"))))
    reader = Reader(named._outline, vocabulary.special)
    for piece, path in ((b"a", "t"), (token_names(vocabulary, 256), "e"), (token_names(vocabulary, 258), "e")):
        reader.feed(piece)
        assert str(reader.place) == path


def test_a_token_within_rules() -> None:
    vocabulary = letters("<x>", "<end>")
    grammar = capture("g", Grammar.from_gbnf('root ::= "a" <x> inner\ninner ::= "b" "c"'))
    reader = Reader(grammar._outline, vocabulary.special)
    for piece in (b"a", token_names(vocabulary, 256), b"b"):
        reader.feed(piece)
        assert str(reader.place) == "g"
    assert not Reader(grammar._outline).threads, "no such token is known"


def test_every_reading_is_kept_until_one_is_left() -> None:
    grammar = seq(capture("a", optional("x")), repeat(capture("b", text(max_chars=2)), 0, 40), capture("c", "xy!"))
    assert paths(grammar, [b"x", b"xxxxxxx", b"xy", b"!"])[1:-1] == ["b", "b", "b"]
    reader = Reader(grammar._outline)
    reader.feed(b"xxxxxxxxxy!")
    assert any(thread.leaf is None for thread in reader.threads)


def test_a_refusal_is_explained_within_a_call() -> None:
    weather = {"name": "w", "parameters": {"properties": {"days": {"type": "integer", "enum": [1, 2]}}}}
    matcher = Grammar.from_tools([weather], "hermes").compile(letters("<end>")).matcher()
    matcher.advance_bytes(b'<tool_call>\n{"name": "w", "arguments": {"days": ')
    with pytest.raises(TokenRejectedError) as caught:
        matcher.advance_bytes(b"3")
    explanation = caught.value.explain()
    assert explanation is not None and explanation.path == "w/days"
    assert explanation.reason is not None and explanation.reason.name == "/properties/days/enum"
    assert "in w/days\nforbidden by /properties/days/enum ([1, 2])" in str(explanation)
    matcher.advance_bytes(b"1}")
    after = matcher.explain(",")
    assert (after.path, after.reason) == ("", None), "the arguments are whole: no schema speaks of what follows"
