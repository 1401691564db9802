"""FRK105: where a model that comes late to an optional member must invent a key, as the masks have it."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import Grammar
from frisket._core import Vocabulary
from frisket.errors import TokenRejectedError
from frisket.lint import repair

from .case import INTEGER, STRING, fired, listing

OPEN = listing("forecast", "days", days=INTEGER, required=["days"])


def test_the_trap_is_what_the_masks_do() -> None:
    vocabulary = Vocabulary([bytes([byte]) for byte in range(256)])
    matcher = Grammar.from_json_schema(OPEN).compile(vocabulary).matcher()
    matcher.advance_bytes(b'{"days": 3, "forecast')
    assert ord('"') not in matcher.allowed() and ord("_") in matcher.allowed()
    closed = Grammar.from_json_schema({**OPEN, "additionalProperties": False}).compile(vocabulary).matcher()
    with pytest.raises(TokenRejectedError):
        closed.advance_bytes(b'{"days": 3, "f')


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        (OPEN, ["/properties/forecast"]),
        ({**OPEN, "additionalProperties": True}, ["/properties/forecast"]),
        ({"type": "array", "items": OPEN}, ["/items/properties/forecast"]),
        ({**OPEN, "patternProperties": {"^x-": True}}, ["/properties/forecast"]),
        ({**listing("a", "b", "c"), "allOf": [{"required": ["b"]}]}, ["/properties/a"]),
    ],
)
def test_late_member(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK105", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        {**OPEN, "additionalProperties": False},
        {**OPEN, "additionalProperties": STRING},
        {**OPEN, "unevaluatedProperties": False},
        {**OPEN, "propertyNames": {"enum": ["forecast", "days"]}},
        listing("days", "forecast", required=["days"]),
        listing("forecast", "days", required=["forecast", "days"]),
        listing("forecast", "days"),
        listing("$schema", "days", required=["days"]),
        listing(*"abcdefghijkl", required=["l"]),  # sorted by a tool: in any order
        listing("forecast", "days", forecast=False, required=["days"]),
    ],
)
def test_objects_without_the_trap(schema: Any) -> None:
    assert fired("FRK105", schema) == []


def test_the_object_is_closed() -> None:
    for schema in (OPEN, {**OPEN, "additionalProperties": True}):
        mended = repair(schema, select=["FRK105"], unsafe=True)
        assert mended.schema["additionalProperties"] is False and not mended.left
