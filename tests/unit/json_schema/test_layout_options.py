"""What callers carry over from other engines: separators, white space by number, escapes by list, caps on arrays."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions, Vocabulary
from frisket.errors import UnsatisfiableSchemaError

OPEN: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}},
    "b": {"type": "object", "properties": {"c": {"type": "string"}}}}}  # fmt: skip
VALUES = [{}, {"a": []}, {"a": [1, 2]}, {"a": [1], "b": {"c": "x"}}, {"b": {}, "z": [{}, [1, {"y": None}]]}]
LETTERS = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), None], eos=[256])


def grammar(schema: Any, **options: Any) -> Grammar:
    return Grammar.from_json_schema(schema, JSONSchemaOptions(**options))


@pytest.mark.parametrize("separators", list(product([",", ", ", ",\n", " , "], [":", ": ", " : "])))
@pytest.mark.parametrize("indent", [None, 2, 0])
def test_separators_are_those_of_json_dumps(separators: tuple[str, str], indent: int | None) -> None:
    options: dict[str, Any] = {"separators": separators}
    if indent is not None:
        options |= {"whitespace": "pretty", "indent": indent}
    made = grammar(OPEN, **options)
    for value in VALUES:
        text = json.dumps(value, separators=separators, indent=indent)
        assert made.accepts(text), text
        assert not made.accepts(" " + text) and not made.accepts(text + " ")
        for other in (json.dumps(value), json.dumps(value, separators=(",", ":")), json.dumps(value, indent=3)):
            assert made.accepts(other) == (other == text)


def test_exact_separators_leave_nothing_to_choose() -> None:
    schema = {"properties": {"a": {"const": 1}, "b": {"const": [1, 2]}}, "required": ["a", "b"], "type": "object",
        "additionalProperties": False}  # fmt: skip
    matcher = grammar(schema, separators=(", ", ": ")).compile(LETTERS).matcher()
    assert matcher.forced_bytes() == b'{"a": 1, "b": [1, 2]}'


@pytest.mark.parametrize("most", [0, 1, 2, 3, 5, 60])
@pytest.mark.parametrize("kind", ["bounded", "free"])
def test_white_space_by_number(kind: str, most: int) -> None:
    made = grammar({"type": "array", "items": {"type": "null"}}, whitespace=kind, max_whitespace=most)
    usual = grammar({"type": "array", "items": {"type": "null"}}, whitespace=kind)
    for gap in ("", " ", "  ", "   ", "\n", "\r\n", "\n ", "\n\t ", "\r\n ", "\n" + " " * 5, "\n" + " " * 41, " " * 61):
        text = f"[{gap}null{gap},{gap}null{gap}]"
        assert made.accepts(text) == (usual.accepts(text) and len(gap) <= most), (gap, most)
        outside = f"{gap}[]{gap}"
        assert made.accepts(outside) == (usual.accepts(outside) and len(gap) <= most)


CHARACTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "u": "\x01", '"': '"', "\\": "\\"}


@pytest.mark.parametrize("letters", ['bfnrtu"\\', 'nt"\\', '"\\', "n", "u", ""])
def test_escapes_by_list(letters: str) -> None:
    bounded = {"type": "string", "minLength": 1, "maxLength": 5}
    for schema in (True, {"type": "string"}, bounded, {"type": "string", "pattern": "^(a|[^a])+$"}):
        made = grammar(schema, escape_letters=letters)
        for letter, character in CHARACTERS.items():
            assert made.accepts(json.dumps(f"é{character}x", ensure_ascii=False)) == (letter in letters), (
                schema,
                letter,
            )
            # A key that no schema names is such a text, too.
            if schema is True:
                assert made.accepts(json.dumps({character: 1})) == (letter in letters)
                assert made.accepts(json.dumps([[character]])) == (letter in letters)
        assert made.accepts('"plain"')
    listed = {"type": "object", "properties": {"\n": {"enum": ["\t", 1]}}, "required": ["\n"]}
    assert grammar(listed, escape_letters=letters).accepts(json.dumps({"\n": "\t"}))


def test_escapes_that_a_text_needs() -> None:
    with pytest.raises(UnsatisfiableSchemaError):
        grammar({"type": "string", "pattern": "^\\n+$"}, escape_letters="t")
    made = grammar({"anyOf": [{"type": "string", "pattern": "^\\n+$"}, {"const": 1}]}, escape_letters="t")
    assert made.accepts("1") and not made.accepts_prefix('"')
    keys = grammar(
        {"type": "object", "patternProperties": {"^\\n$": {}}, "additionalProperties": False}, escape_letters=""
    )
    assert keys.accepts("{}") and not keys.accepts_prefix('{"')


@pytest.mark.parametrize("most", [0, 1, 3])
def test_a_cap_on_arrays(most: int) -> None:
    numbers = {"type": "array", "items": {"type": "integer"}}
    for length in range(6):
        text = json.dumps(list(range(length)))
        assert grammar(numbers, max_items=most).accepts(text) == (length <= most)
        assert grammar(True, max_items=most).accepts(text) == (length <= most)
        assert grammar({**numbers, "uniqueItems": True}, max_items=most).accepts(text) == (length <= most)
        # What the schema says wins.
        assert grammar({**numbers, "maxItems": 4}, max_items=most).accepts(text) == (length <= 4)
        assert grammar({**numbers, "minItems": 2}, max_items=most).accepts(text) == (2 <= length <= max(2, most))
        contains = {**numbers, "contains": {"const": 1}}
        assert grammar(contains, max_items=most).accepts(text) == (2 <= length <= max(1, most))
    inner = grammar({"type": "object", "properties": {"a": numbers}}, max_items=most)
    assert not inner.accepts(json.dumps({"a": [1] * (most + 1)})) and not inner.accepts(json.dumps({"z": [1] * 4}))


@pytest.mark.parametrize(
    "options, error",
    [
        ({"separators": (",", "=")}, ValueError),
        ({"separators": ("", ":")}, ValueError),
        ({"separators": (",", ":\xa0")}, ValueError),
        ({"separators": ", "}, TypeError),
        ({"separators": [",", ":"]}, TypeError),
        ({"separators": (",", ":"), "whitespace": "free"}, ValueError),
        ({"max_whitespace": -1}, ValueError),
        ({"max_whitespace": True}, TypeError),
        ({"max_whitespace": 5, "whitespace": "compact"}, ValueError),
        ({"max_whitespace": 5, "whitespace": "pretty"}, ValueError),
        ({"indent": 4}, ValueError),
        ({"max_items": "3"}, TypeError),
        ({"max_items": -1}, ValueError),
        ({"escape_letters": "x"}, ValueError),
        ({"escape_letters": ["n"]}, TypeError),
        ({"escape_letters": "n", "escapes": "free"}, ValueError),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        JSONSchemaOptions(**options)


@pytest.mark.parametrize("letters", ["", "u", "nt", '"\\', "bfnrt", "bfnrtu", 'fnrtu"\\', 'bfnrtu"\\'])
@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "string", "minLength": 1, "not": {"const": "no"}}])
def test_a_character_is_written_if_its_escape_may_be(letters: str, schema: dict[str, Any]) -> None:
    # RFC 8259, 7: quotes, backslashes and what stands before the blank must be escaped, and nothing else must.
    accepts = Grammar.from_json_schema(schema, JSONSchemaOptions(escape_letters=letters)).accepts
    for point in (*range(0x100), 0x2028, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF):
        text = json.dumps(chr(point), ensure_ascii=False)
        needed = text[2] if text[1] == "\\" else ""
        assert accepts(text) == (needed in letters), (hex(point), text)


def test_members_that_break_a_demand_are_indented_as_deep_as_they_stand() -> None:
    broken = {"type": "object", "not": {"additionalProperties": {"type": "string"}}}
    inner = {"type": "object", "properties": {"c": broken}, "additionalProperties": False}
    made = grammar({"type": "object", "properties": {"a": broken, "b": inner}}, whitespace="pretty", indent=2)
    for value in ({"a": {"k": [1]}}, {"b": {"c": {"k": [1]}}}, {"a": {"k": {"l": 1}}, "b": {"c": {"k": {"l": 1}}}}):
        text = json.dumps(value, indent=2)
        assert made.accepts(text), text
    for value in ({"a": {"k": "x"}}, {"b": {"c": {"k": "x"}}}):
        assert not made.accepts(json.dumps(value, indent=2))
