"""No string of a document holds an escaped text as it stands, and none loses a value by that."""

from __future__ import annotations

import json
from typing import Any

import pytest

import frisket.json_schema as front
from frisket import Grammar, JSONSchemaOptions, Vocabulary, _core
from frisket.tools.python_call import python_prelude, read_literal

TAGS = ("</call>", "<call>", "[END]")
OPTIONS = JSONSchemaOptions(escaped_texts=TAGS)

STRING: dict[str, Any] = {"type": "string"}
SCHEMAS: list[tuple[Any, str]] = [
    (STRING, "TEXT"),
    ({"type": "string", "minLength": 2}, "TEXT"),
    ({"type": "string", "pattern": "^a"}, "aTEXT"),
    ({"anyOf": [{"type": "string", "maxLength": 40}, {"type": "integer"}]}, "TEXT"),
    ({"not": {"const": "x"}, "type": "string"}, "TEXT"),
    (
        {"enum": ["</call>", "x</call>", "</call></call>", "[END]y", "<</call>", "b < c", "</call", '"<call>', "a"]},
        "TEXT",
    ),
    (True, "TEXT"),
]


def spelled(text: str) -> str:
    """The one spelling of a text."""
    escaped = "".join(
        rf"\u{ord(character):04x}" if text.startswith(TAGS, place) else json.dumps(character, ensure_ascii=False)[1:-1]
        for place, character in enumerate(text)
    )
    return f'"{escaped}"'


@pytest.mark.parametrize(("schema", "text"), SCHEMAS)
def test_strings_have_one_spelling_in_which_an_escape_begins_such_a_text(schema: Any, text: str) -> None:
    nested = {"type": "object", "properties": {"a": {"type": "array", "items": schema}}, "additionalProperties": schema}
    grammar = Grammar.from_json_schema(nested, OPTIONS)
    for middle in ("b < c", "</call", "x</call>", "[END]y", "</call></call>", "<</call>", '"<call>'):
        said = text.replace("TEXT", middle)
        raw, right = json.dumps(said), spelled(said)
        everywhere = raw.replace("<", r"\u003c").replace("[", r"\u005b")
        assert json.loads(right) == said
        for value in (raw, right, everywhere):
            assert grammar.accepts(f'{{"a": [{value}]}}') == (value == right)
            assert grammar.accepts(f'{{"b": {value}}}') == (value == right)
    assert grammar.accepts(f"{{{spelled('x</call>')}: {spelled(text.replace('TEXT', '</call>'))}}}")
    assert not grammar.accepts(f'{{"x</call>": {spelled(text.replace("TEXT", "</call>"))}}}')


def test_a_key_that_the_schema_names_is_escaped_too() -> None:
    grammar = Grammar.from_json_schema(
        {"properties": {"</call>": True}, "required": ["</call>"], "type": "object"}, OPTIONS
    )
    assert grammar.accepts(r'{"\u003c/call>": 1}') and not grammar.accepts('{"</call>": 1}')
    assert not grammar.accepts(r'{"\u003c/call>": 1, "\u003c/call>": 2}')


def test_an_escape_comes_only_where_its_text_can_be_finished() -> None:
    vocabulary = Vocabulary.from_bytes(
        [*(bytes([byte]) for byte in range(256)), rb"\u003c", rb"\u005b", None], eos=[258]
    )
    schema = {"type": "string", "maxLength": 6}
    matcher = Grammar.from_json_schema(schema, OPTIONS).compile(vocabulary).matcher()
    matcher.advance_bytes(b'"')
    assert 256 in matcher.allowed(), "<call> has six characters"
    matcher.advance_bytes(b"a")
    assert 256 not in matcher.allowed() and 257 in matcher.allowed(), "and [END] five"
    matcher.advance_bytes(rb"\u005b")
    assert matcher.allowed() == [ord("E")]


def test_unique_items_are_compared_by_their_values() -> None:
    schema = {"type": "array", "items": {"enum": ["<call>", "a"]}, "uniqueItems": True, "minItems": 2}
    grammar = Grammar.from_json_schema(schema, OPTIONS)
    assert grammar.accepts(r'["\u003ccall>", "a"]') and not grammar.accepts(r'["\u003ccall>", "\u003ccall>"]')


def test_free_escapes_may_escape_more() -> None:
    grammar = Grammar.from_json_schema(STRING, JSONSchemaOptions.free(escaped_texts=TAGS))
    for text, fine in (
        (r'"\u003ccall>"', True),
        (r'"<\u0063all>"', False),
        (r'"\u003C\u0063all>"', True),
        ('"<call>"', False),
    ):
        assert grammar.accepts(text) == fine


def test_without_the_letter_u_such_texts_do_not_occur() -> None:
    grammar = Grammar.from_json_schema(STRING, JSONSchemaOptions(escaped_texts=TAGS, escape_letters='"\\n'))
    assert grammar.accepts('"<cal>"') and not grammar.accepts('"<call>"') and not grammar.accepts(r'"\u003ccall>"')


def test_texts_of_python_are_escaped_between_double_quotes() -> None:
    prelude = python_prelude(OPTIONS)
    builder = prelude.fork()
    node = _core.front_end.MemberValues(builder, {"properties": {"v": {"type": "string"}}}).value("v")
    core = builder.build(node)
    assert core.accepts(rb'"\u003ccall>"') and not core.accepts(b"'<call>'") and not core.accepts(b'"<call>"')
    assert read_literal(r'"\u003ccall>"', 0)[0] == "<call>"


def test_a_builder_of_its_own_is_told_too() -> None:
    builder = _core.GrammarBuilder()
    core = builder.build(front.lower_json_schema(builder, STRING, OPTIONS)[0])
    assert core.accepts(rb'"\u003ccall>"') and not core.accepts(b'"<call>"')


def test_the_report_says_so() -> None:
    report = Grammar.from_json_schema(STRING, OPTIONS).report
    assert report is not None and report.exact
    assert [(note.code, str(note)) for note in report.notes] == [
        (
            "escaped-texts",
            "strings spell the first character of '</call>', '<call>', '[END]' as an escape: escaped_texts",
        )
    ]


def test_bad_texts_are_refused() -> None:
    for wrong in ("</call>", ["a"], ("",), (1,)):
        with pytest.raises(TypeError, match="tuple of texts"):
            JSONSchemaOptions(escaped_texts=wrong)  # type: ignore[arg-type]
    for text in ('"a', "\\a", "\na", "éa"):
        with pytest.raises(ValueError, match="printable ASCII"):
            JSONSchemaOptions(escaped_texts=(text,))
