"""Members that are written one by one: what their texts and their other values may be."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import _core
from frisket._core import front_end
from frisket.json_schema import DEFAULT, prelude_of
from frisket.json_schema.parameter import OTHER_TYPES


def member(schema: Any) -> tuple[_core.GrammarBuilder, front_end.MemberValues]:
    """A builder, and the values of the member x."""
    builder = prelude_of(DEFAULT).fork()
    around = {"$defs": {"short": {"maxLength": 2}}, "properties": {"x": schema}}
    return builder, front_end.MemberValues(builder, around)


def values(schema: Any) -> tuple[_core.Grammar | None, _core.Grammar | None]:
    """The grammars of the texts and of the other values of a member."""
    builder, found = member(schema)
    nodes = found.text("x"), found.literals("x", OTHER_TYPES)
    found.raise_unsupported()
    text, other = (None if node is None else builder.fork().build(node) for node in nodes)
    return text, other


def test_texts_stand_as_they_are_and_others_are_json() -> None:
    text, other = values({"enum": ['say "hi"', 7, None]})
    assert text is not None and text.accepts(b'say "hi"') and not text.accepts(b'"say \\"hi\\""')
    assert other is not None and other.accepts(b"7") and other.accepts(b"null") and not other.accepts(b"hi")


def test_there_may_be_neither() -> None:
    assert values({"type": "integer"})[0] is None
    assert values({"type": "string"})[1] is None


def test_a_member_knows_the_definitions_around_it() -> None:
    text, other = values({"$ref": "#/$defs/short", "type": ["string", "boolean"]})
    assert text is not None and text.accepts(b"ab") and not text.accepts(b"abc")
    assert other is not None and other.accepts(b"true") and not other.accepts(b"1")


def test_the_others_of_one_type() -> None:
    builder, found = member({"enum": [1, True, "x"]})
    assert found.has("x", ["number"]) and found.has("x", ["string"]) and not found.has("x", ["array", "null"])
    with pytest.raises(ValueError, match="no type of JSON Schema"):
        found.has("x", ["float"])
    node = found.literals("x", ["number"])
    assert node is not None
    numbers = builder.build(node)
    assert numbers.accepts(b"1") and not numbers.accepts(b"true")


def test_a_builder_of_its_own_has_no_options() -> None:
    with pytest.raises(ValueError, match="no fork of a Prelude"):
        front_end.MemberValues(_core.GrammarBuilder(), {})


def test_a_builder_that_has_built_makes_no_nodes() -> None:
    builder, found = member({"type": "null"})
    node = found.value("x")
    assert node is not None
    builder.build(node)
    with pytest.raises(Exception, match="has built its grammar"):
        found.text("x")


@pytest.mark.parametrize(
    ("text", "fits"),
    [("a</p>", True), ("</p>", True), ("a", False), ("a</p></p>", False), ("</p</p>", True), ("<no></p>", False)],
)
def test_a_marker_ends_a_text_where_it_first_occurs(text: str, fits: bool) -> None:
    builder = _core.GrammarBuilder()
    grammar = builder.build(builder.bounded_text(builder.any_text(), "</p>", ["<no>"]))
    assert grammar.accepts(text.encode()) is fits


def test_a_marker_does_not_occur_across_its_own_beginning() -> None:
    builder = _core.GrammarBuilder()
    grammar = builder.build(builder.bounded_text(builder.any_text(), "##"))
    assert grammar.accepts(b"a##") and not grammar.accepts(b"a###")


def test_what_relates_members_is_named() -> None:
    assert front_end.relating(["type", "x-order", "allOf", "minProperties"]) == ["allOf", "minProperties"]
    assert front_end.relating(["uniqueItems", "minProperties"], "array") == ["uniqueItems"]
