"""The spellings of characters inside a JSON string that nests another language, against what `json` reads."""

from __future__ import annotations

import json

import pytest

from frisket.notations.regex import is_ecma_regex
from tests.unit.json_schema.test_nested import REGEX, texts_of

#: Where the number of bytes, of code units, or the kind of escape changes, and their neighbours.
EDGES = [0, 0x1F, 0x20, 0x22, 0x2F, 0x5C, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x103FF, 0x10400]
EDGES += [0x10FBFF, 0x10FC00, 0x10FFFF]
POINTS = sorted({*range(0x80), *EDGES, *(edge - 1 for edge in EDGES), *(edge + 1 for edge in EDGES)})
CHARS = [chr(point) for point in POINTS if 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF]


def escaped(char: str) -> str:
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


@pytest.mark.parametrize("lead", ["", "[", "a"])
def test_characters(lead: str) -> None:
    free, plain = texts_of(REGEX, "free"), texts_of(REGEX)
    tail = "]" if lead == "[" else ""
    for char in CHARS:
        valid = is_ecma_regex(lead + char + tail)
        raw = json.dumps(char, ensure_ascii=False)[1:-1]
        for spelled in {raw, escaped(char), escaped(char).upper().replace("\\U", "\\u")}:
            assert free.accepts(f'"{lead}{spelled}{tail}"') == valid, (lead, spelled)
        assert plain.accepts(f'"{lead}{raw}{tail}"') == valid, (lead, raw)
        assert escaped(char) == raw or not plain.accepts(f'"{lead}{escaped(char)}{tail}"')
