"""The spellings of characters inside a JSON string, against what `json` reads."""

from __future__ import annotations

import json

import pytest

from frisket._core import GrammarBuilder
from tests.oracle.json_schema.formats.spelling import Spelling

#: Where the number of bytes, of code units, or the kind of escape changes, and their neighbours.
EDGES = [0, 0x1F, 0x20, 0x22, 0x2F, 0x5C, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x103FF, 0x10400]
EDGES += [0x10FBFF, 0x10FC00, 0x10FFFF]


def escaped(point: int) -> bytes:
    units = chr(point).encode("utf-16-be")
    return b"".join(b"\\u%02x%02x" % (units[at], units[at + 1]) for at in range(0, len(units), 2))


@pytest.mark.parametrize("low", EDGES)
@pytest.mark.parametrize("width", [0, 1, 0x400])
def test_a_class_of_characters(low: int, width: int) -> None:
    high = min(low + width, 0x10FFFF)
    if low < 0xD800 <= high:
        high = 0xD7FF
    builder = GrammarBuilder()
    node = Spelling(builder, "free").chars([(low, high)])
    plain = Spelling(builder, "raw").chars([(low, high)])
    for point in {*range(0x30), *EDGES, low, high, *(edge - 1 for edge in EDGES), *(edge + 1 for edge in EDGES)}:
        if not 0 <= point <= 0x10FFFF or 0xD800 <= point <= 0xDFFF:
            continue
        inside = low <= point <= high
        assert builder.accepts(node, escaped(point)) == inside, hex(point)
        assert builder.accepts(node, escaped(point).upper().replace(b"\\U", b"\\u")) == inside, hex(point)
        raw = json.dumps(chr(point), ensure_ascii=False)[1:-1].encode()
        assert builder.accepts(node, raw) == inside, hex(point)
        assert builder.accepts(plain, raw) == inside, hex(point)
        assert not builder.accepts(plain, escaped(point)) or escaped(point) == raw
    assert builder.accepts(node, b"\\/") == (low <= 0x2F <= high)
