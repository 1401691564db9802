"""No string of a document holds a forbidden text, whoever lowers the schema and however the string is asked for."""

from __future__ import annotations

from typing import Any

import pytest

import frisket.json_schema as front
from frisket import Grammar, JSONSchemaOptions, _core
from frisket.errors import UnsatisfiableSchemaError

OPTIONS = JSONSchemaOptions(forbidden_texts=("</call>", "[END]"))

STRING: dict[str, Any] = {"type": "string"}
SCHEMAS: list[tuple[Any, str]] = [
    (STRING, "TEXT"),
    ({"type": "string", "minLength": 2}, "TEXT"),
    ({"type": "string", "pattern": "^a"}, "aTEXT"),
    ({"anyOf": [{"type": "string", "maxLength": 40}, {"type": "integer"}]}, "TEXT"),
    ({"not": {"const": "x"}, "type": "string"}, "TEXT"),
    (True, "TEXT"),
]


@pytest.mark.parametrize(("schema", "text"), SCHEMAS)
def test_strings(schema: Any, text: str) -> None:
    nested = {"type": "object", "properties": {"a": {"type": "array", "items": schema}}, "additionalProperties": schema}
    grammar = Grammar.from_json_schema(nested, OPTIONS)
    for middle, fine in (("b < c", True), ("</call", True), ("[END", True), ("x</call>", False), ("[END]y", False)):
        said = text.replace("TEXT", middle)
        assert grammar.accepts(f'{{"a": ["{said}"]}}') == fine
        assert grammar.accepts(f'{{"b": "{said}"}}') == fine
        assert grammar.accepts(f'{{"{middle}": "{text.replace("TEXT", "ok")}"}}') == fine


def test_a_constant_that_holds_one_cannot_be_written() -> None:
    grammar = Grammar.from_json_schema({"enum": ["a", "</call>"]}, OPTIONS)
    assert grammar.accepts('"a"') and not grammar.accepts('"</call>"')
    with pytest.raises(UnsatisfiableSchemaError):
        Grammar.from_json_schema({"const": "</call>"}, OPTIONS)


def test_a_builder_of_its_own_is_restricted_too() -> None:
    builder = _core.GrammarBuilder()
    core = builder.build(front.lower_json_schema(builder, STRING, OPTIONS)[0])
    assert core.accepts(b'"a"') and not core.accepts(b'"</call>"')


def test_the_report_says_so() -> None:
    report = Grammar.from_json_schema(STRING, OPTIONS).report
    assert report is not None and report.exact
    assert report.notes == ["no string holds '</call>', '[END]': forbidden_texts"]


def test_bad_texts_are_refused() -> None:
    for wrong in ("</call>", ["a"], ("",), (1,)):
        with pytest.raises(TypeError, match="tuple of texts"):
            JSONSchemaOptions(forbidden_texts=wrong)  # type: ignore[arg-type]
