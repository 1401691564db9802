"""The value of a document so far: a function of its text, whatever the chunks; nothing invented, nothing taken back."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

import pytest

from frisket.events import PartialValue

DOCUMENTS = [
    '{"size": "large", "count": 12, "extras": ["milk", "oat"], "note": null}',
    " [ ] ",
    "{}",
    '[[], {}, [[1, -2.5e+3], {"a": {"b": [true, false, null]}}], "x"]',
    '{"k\\u00e9y\\n": "caf\\u00e9 \\ud83d\\ude00 \\"q\\" \\\\ \\/ é 😀", "": ""}',
    '"\\ud83d and \\ude00 \\ud83d\\ud83d\\ude00 \\ud83dx \\ud83d\\n \\ud83d"',
    '{"a": 1, "a": [2], "b": {"a": 1}}',
    "-0.5E-2",
    "12",
    "true",
    "null",
    '"text"',
    '\n{"a" :\t1 ,\r\n"b": [ 1 , 2 ] }\n',
]


def after(data: bytes, cuts: list[int]) -> PartialValue:
    """What is known after these bytes, cut at these places."""
    partial = PartialValue()
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        partial.feed(data[start:end])
    return partial


def states(document: str) -> list[tuple[Any, tuple[str | int, ...], bool]]:
    """What is known after each byte, fed one by one."""
    partial, found = PartialValue(), []
    for byte in document.encode():
        partial.feed(bytes([byte]))
        found.append((partial.value, partial.path, partial.whole))
    return found


def grows(before: Any, now: Any) -> bool:
    """Whether nothing of a value was taken back."""
    if isinstance(before, str) and isinstance(now, str):
        return now.startswith(before)
    if isinstance(before, list) and isinstance(now, list):
        return len(before) <= len(now) and all(map(grows, before, now))
    if isinstance(before, dict) and isinstance(now, dict):
        return list(now)[: len(before)] == list(before) and all(grows(before[key], now[key]) for key in before)
    return type(before) is type(now) and before == now


@pytest.mark.parametrize("document", DOCUMENTS)
def test_any_chunks_give_the_same(document: str) -> None:
    data, known = document.encode(), states(document)
    chance = random.Random(document)
    for _ in range(200):
        end = chance.randint(1, len(data))
        cuts = sorted(chance.sample(range(end + 1), chance.randint(0, min(6, end))))
        partial = after(data[:end], cuts)
        assert (partial.value, partial.path, partial.whole) == known[end - 1]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_it_grows_to_the_whole_value(document: str) -> None:
    known = [value for value, _, _ in states(document)]
    unique = '"a": 1, "a"' not in document
    for before, now in pairwise(known):
        assert before is None or not unique or grows(before, now), (before, now)
    partial = after(document.encode(), [])
    partial.finish()
    assert partial.whole and partial.value == json.loads(document) and partial.path == ()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_nothing_is_invented(document: str) -> None:
    whole = json.loads(document)
    for value, path, _ in states(document):
        assert value is None or '"a": 1, "a"' in document or grows(value, whole)
        place = value
        for step in path[:-1]:
            place = place[step]
        assert not path or isinstance(place, dict | list)


@pytest.mark.parametrize(
    ("text", "value", "path"),
    [
        ("", None, ()),
        ("  ", None, ()),
        ("{", {}, ()),
        ('{"si', {}, ()),
        ('{"size"', {}, ()),
        ('{"size": ', {}, ("size",)),
        ('{"size": "', {"size": ""}, ("size",)),
        ('{"size": "a\\u00e', {"size": "a"}, ("size",)),
        ('{"size": "a\\', {"size": "a"}, ("size",)),
        ('{"size": "a\\ud83d\\ude0', {"size": "a"}, ("size",)),
        ('{"size": "a",', {"size": "a"}, ()),
        ('{"n": 1', {}, ("n",)),
        ('{"n": 1 ', {"n": 1}, ()),
        ('{"n": tru', {}, ("n",)),
        ('{"n": true', {"n": True}, ()),
        ("[", [], ()),
        ("[1", [], (0,)),
        ("[1,", [1], (1,)),
        ('[{"a": [[', [{"a": [[]]}], (0, "a", 0)),
        ("1", None, ()),
        ('"', "", ()),
    ],
)
def test_what_is_known(text: str, value: Any, path: tuple[str | int, ...]) -> None:
    partial = PartialValue()
    partial.feed(text)
    assert partial.value == value and partial.path == path and not partial.whole


def test_half_a_character_is_held_back() -> None:
    partial = PartialValue()
    partial.feed(b'"caf' + "é".encode()[:1])
    assert partial.value == "caf"
    partial.feed("é".encode()[1:])
    assert partial.value == "café"


def test_what_was_returned_stays_as_it_is() -> None:
    partial = PartialValue()
    partial.feed('{"a": [1, {"b": "x')
    before = partial.value
    partial.feed('y"}, 2], "c": 3}')
    assert before == {"a": [1, {"b": "x"}]} and partial.value == {"a": [1, {"b": "xy"}, 2], "c": 3}


def test_finish_makes_numbers_of_whole_numerals_only() -> None:
    for text, value, whole in (("12", 12, True), ("-", None, False), ("1.", None, False), ("[12", [], False)):
        partial = PartialValue()
        partial.feed(text)
        partial.finish()
        assert (partial.value, partial.whole) == (value, whole)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("]", 0),
        ("[1 2]", 3),
        ('{"a" 1}', 5),
        ("{1}", 1),
        ('{"a": 1,}', 8),
        ('"\\x"', 1),
        ("nul1", 0),
        ("1.e ", 0),
        ('"\n"', 1),
        ("[] []", 3),
    ],
)
def test_what_is_not_json(text: str, place: int) -> None:
    for cut in range(len(text) + 1):
        partial = PartialValue()
        with pytest.raises(ValueError, match=f"not JSON from character {place}:"):
            partial.feed(text[:cut])
            partial.feed(text[cut:])
