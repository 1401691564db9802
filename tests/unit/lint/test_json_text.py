"""Where values stand in a text, and edits of it."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from frisket.json_pointer import escape
from frisket.lint.finding import Add, Edit, Reorder, Replace
from frisket.lint.json_text import JSONText, Repeated

TEXT = '{\n  "a": [1, {"b/c": null}],\n  "d~": {},\n  "e": "\\u0041 ]}"\n}\n'


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (1, 1)),
        ("/a", (2, 3)),
        ("/a/0", (2, 9)),
        ("/a/1/b~1c", (2, 13)),
        ("/d~0", (3, 3)),
        ("/e", (4, 3)),
        ("/a/1/no/such", (2, 12)),
    ],
)
def test_places(pointer: str, place: tuple[int, int]) -> None:
    assert JSONText(TEXT).place(pointer) == place


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (Reorder("/a", (1, 0)), TEXT.replace('1, {"b/c": null}', '{"b/c": null}, 1')),
        (Reorder("", (2, 0, 1)), '{\n  "e": "\\u0041 ]}",\n  "a": [1, {"b/c": null}],\n  "d~": {}\n}\n'),
        (Replace("/a/1", [1, "é"]), TEXT.replace('{"b/c": null}', '[1, "é"]')),
        (Replace("/e", 7), TEXT.replace('"\\u0041 ]}"', "7")),
        (Add("/a/-", 2), TEXT.replace("null}]", "null}, 2]")),
        (Add("/d~0/x~1y", True), TEXT.replace('"d~": {}', '"d~": {"x/y": true}')),
        (Add("/f", None), TEXT.replace(']}"\n}', ']}",\n  "f": null\n}')),
    ],
)
def test_edits(edit: Edit, text: str) -> None:
    assert JSONText(TEXT).edited([edit]) == text


def test_several_edits_at_once() -> None:
    edits: list[Edit] = [Reorder("/a", (1, 0)), Add("/d~0/x", 1), Replace("/e", False)]
    assert json.loads(JSONText(TEXT).edited(edits)) == {"a": [{"b/c": None}, 1], "d~": {"x": 1}, "e": False}


def test_the_only_member_is_followed_as_it_is_preceded() -> None:
    assert JSONText('{\n "a": 1\n}').edited([Add("/b", 2)]) == '{\n "a": 1,\n "b": 2\n}'
    assert JSONText("[1]").edited([Add("/-", 2)]) == "[1, 2]"
    assert JSONText("[]").edited([Add("/-", 2)]) == "[2]"


def test_a_repeated_name_is_not_reordered() -> None:
    with pytest.raises(Repeated):
        JSONText('{"a": 1, "b": 2, "a": 3}').edited([Reorder("", (1, 0, 2))])


def value(choose: random.Random, depth: int) -> Any:
    kind = choose.randrange(7 if depth else 5)
    if kind == 5:
        return [value(choose, depth - 1) for _ in range(choose.randrange(4))]
    if kind == 6:
        return {choose.choice(["", "a", 'q"', "ü/~", "\\", "[{,:"]): value(choose, depth - 1) for _ in range(3)}
    return [None, True, choose.randint(-9, 9) * 1.5, "]},{:", 'a"\\\n'][kind]


def test_any_value_is_read_as_json_reads_it() -> None:
    """Each value stands where its pointer says, whatever the white space."""
    choose = random.Random(1)
    for _ in range(500):
        whole = value(choose, 4)
        indent = choose.choice([None, 0, 3, "\t"])
        text = " \n" * choose.randrange(2) + json.dumps(whole, indent=indent, ensure_ascii=choose.random() < 0.5)
        source = JSONText(text)
        stack = [("", whole)]
        while stack:
            pointer, found = stack.pop()
            node = source.node(pointer)
            assert json.loads(text[node.start : node.end]) == found
            if isinstance(found, (dict, list)):
                pairs = found.items() if isinstance(found, dict) else enumerate(found)
                stack += [(f"{pointer}/{escape(key)}", below) for key, below in pairs]


def test_a_deep_text_is_read() -> None:
    text = "[" * 20_000 + "]" * 20_000
    assert JSONText(text).place("/0/0") == (1, 3)
