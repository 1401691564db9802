"""contentMediaType: application/json → the JSON strings whose text is a JSON document (RFC 8259)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn

from tests.oracle.json_schema.formats.spelling import LAST, Spelling

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


def is_json(text: str) -> bool:
    """Whether the text is one JSON document.

    >>> is_json('{"a": 1}'), is_json("NaN")
    (True, False)
    """

    def refuse(_: str) -> NoReturn:
        raise ValueError

    try:
        json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return False
    return True


def json_node(builder: GrammarBuilder, escapes: str, nonempty: bool = False) -> int:
    """A structural node: JSON inside a JSON string, quotes included; no document is empty anyway."""
    b, s = builder, Spelling(builder, escapes)
    gap = b.repeat(s.any_of(" \t\n\r"), 0)
    digit = s.chars([(0x30, 0x39)])
    whole = b.alt([s.text("0"), b.cat([s.chars([(0x31, 0x39)]), b.repeat(digit, 0)])])
    part = b.cat([s.text("."), b.repeat(digit, 1)])
    exponent = b.cat([s.any_of("eE"), b.repeat(s.any_of("+-"), 0, 1), b.repeat(digit, 1)])
    number = b.cat([b.repeat(s.text("-"), 0, 1), whole, b.repeat(part, 0, 1), b.repeat(exponent, 0, 1)])
    hexadecimal = s.chars([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)])
    backslash = s.text("\\")
    escaped = b.alt([s.any_of('"\\/bfnrt'), b.cat([s.text("u"), b.repeat(hexadecimal, 4, 4)])])
    plain = s.chars([(0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, LAST)])
    string = b.cat([s.text('"'), b.repeat(b.alt([plain, b.cat([backslash, escaped])]), 0), s.text('"')])
    scalar = b.alt([s.text("null"), s.text("true"), s.text("false"), number, string])
    value = b.rule("JSON in a string")
    comma = b.cat([gap, s.text(","), gap])
    member = b.seq([b.cat([string, gap, s.text(":"), gap]), value])
    kinds = [scalar]
    for opening, item, closing in (("[", value, "]"), ("{", member, "}")):
        items = b.seq([item, b.repeat(b.seq([comma, item]), 0)])
        inside = b.alt([b.cat([gap, s.text(closing)]), b.seq([gap, items, b.cat([gap, s.text(closing)])])])
        kinds.append(b.seq([s.text(opening), inside]))
    b.define(value, b.alt(kinds))
    return b.seq([b.cat([b.literal(b'"'), gap]), value, b.cat([gap, b.literal(b'"')])])
