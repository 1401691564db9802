"""FRK1xx: which orders of properties are found, and which are left alone."""

from __future__ import annotations

from typing import Any

import pytest

from .case import BOOLEAN, INTEGER, STRING, fired, listing

CHOICE = {"enum": ["yes", "no"]}
#: Names that only a tool puts in alphabetical order.
ALPHABET = list("abcdefghijkl")


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        (listing("answer", "reasoning"), ["/properties/answer"]),
        (listing("id", "priority", "rationale", priority=CHOICE), ["/properties/priority"]),
        (listing("is_spam", "thoughts", is_spam=BOOLEAN), ["/properties/is_spam"]),
        (listing("verdict", "reason"), ["/properties/verdict"]),
        (listing("finalAnswer", "stepByStep", stepByStep={"type": "array"}), ["/properties/finalAnswer"]),
        ({"type": "array", "items": listing("score", "explanation", score=INTEGER)}, ["/items/properties/score"]),
        ({"$ref": "#/$defs/a/b", "$defs": {"a/b": listing("label", "analysis")}}, None),
        ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": listing("label", "analysis")}}, ["/$defs/a~1b/properties/label"]),
        # `required` states the other order: a mask holds a model to neither.
        (listing("answer", "reasoning", required=["reasoning", "answer"]), ["/properties/answer"]),
    ],
)
def test_answer_before_reason(schema: Any, pointers: list[str] | None) -> None:
    assert fired("FRK101", schema) == (pointers or [])


@pytest.mark.parametrize(
    "schema",
    [
        listing("reasoning", "answer"),
        listing("name", "reasoning"),
        listing("status", "reason", status=CHOICE),  # why it has the status, not how to find it
        listing("answer", "reasoning", reasoning=CHOICE),  # no free text: one of two words
        listing("kind", "thought", kind={"const": "search"}),  # nothing to decide
        listing("kind", "justification", kind=CHOICE),  # of a suppression, or of a text on a page
        listing(*ALPHABET, "nanswer", "oreasoning"),
        {"not": listing("answer", "reasoning")},
        {"$defs": {"unused": listing("answer", "reasoning")}},
        {"properties": {"answer": True, "reasoning": STRING}},
    ],
)
def test_reasons_that_come_in_time(schema: Any) -> None:
    assert fired("FRK101", schema) == []


def tagged(*names: str, key: str = "kind", **schemas: Any) -> list[dict[str, Any]]:
    """Two alternatives with a constant of their own."""
    return [listing(*names, **{key: {"const": value}}, **schemas) for value in ("one", "two")]


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"oneOf": tagged("path", "kind")}, ["/oneOf/0/properties/kind", "/oneOf/1/properties/kind"]),
        ({"anyOf": [tagged("kind", "path")[0], tagged("path", "kind")[1]]}, ["/anyOf/1/properties/kind"]),
        (
            {"items": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]},
             "$defs": dict(zip("ab", tagged("size", "text", "kind", size=INTEGER), strict=True))},
            ["/$defs/a/properties/kind", "/$defs/b/properties/kind"],
        ),
        ({"oneOf": [listing("text", "t", t={"enum": ["a", "b"]}), listing("text", "t", t={"enum": ["c"]})]},
         ["/oneOf/0/properties/t", "/oneOf/1/properties/t"]),
    ],
)  # fmt: skip
def test_discriminator_late(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK102", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": tagged("kind", "path")},
        {"oneOf": tagged("id", "userName", "kind")},
        {"oneOf": tagged("thought", "kind")},
        {"oneOf": tagged("version", "kind", version={"const": 1})},
        {"oneOf": [listing("path", "kind", kind={"const": "same"})] * 2},  # tells nothing apart
        {"oneOf": [listing("path"), listing("text")]},
        {"anyOf": [tagged("path", "kind")[0], {"type": "null"}]},  # one object only
    ],
)
def test_discriminators_in_time(schema: Any) -> None:
    assert fired("FRK102", schema) == []


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        (listing("description", "name"), ["/properties/description"]),
        (listing("price", "body", "id", price=INTEGER, id=INTEGER), ["/properties/body"]),
        ({"items": listing("content", "slug")}, ["/items/properties/content"]),
        (listing("notes", "uuid", notes={"type": ["string", "null"]}), ["/properties/notes"]),
    ],
)
def test_free_text_before_identifier(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK103", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        listing("name", "description"),
        listing("description", "name", description={"type": "string", "maxLength": 80}),
        listing("text", "id", text={"type": "string", "pattern": "^[a-z]+$"}),
        listing("message", "user_id"),  # another thing's identifier
        listing("content", "key", content={"type": "object"}),
        listing("description", "name", name={"type": "object"}),
        listing(*ALPHABET, "ntext", "oname"),
    ],
)
def test_texts_of_a_known_subject(schema: Any) -> None:
    assert fired("FRK103", schema) == []


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        (listing(*ALPHABET), [""]),
        (listing("answer", "question", "steps", "unit", required=["question", "answer"]), ["/properties"]),
        (listing(*ALPHABET, required=["b", "a"]), ["", "/properties"]),
        ({"items": listing("a", "b", "c", "d", required=["d", "x", "a"])}, ["/items/properties"]),
    ],
)
def test_sorted_by_tool(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK104", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        listing("a", "b", "c", "d"),
        listing("a", "b", "c", "d", required=["a", "c"]),
        listing("b", "a", "c", "d", required=["a", "b"]),
        listing("answer", "reason", required=["reason", "answer"]),  # two names are in order by chance
        listing(*ALPHABET, "a2"),
    ],
)
def test_orders_that_somebody_chose(schema: Any) -> None:
    assert fired("FRK104", schema) == []
