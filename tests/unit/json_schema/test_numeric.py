"""The formats of numbers: int8 to uint64, and those of OpenAPI."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import Grammar
from frisket.json_schema import JSONSchemaOptions


def grammar(schema: Any, **options: Any) -> Grammar:
    return Grammar.from_json_schema(schema, JSONSchemaOptions(**{"property_order": "any", **options}))


BOUNDS = {f"int{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (8, 16, 32, 64)}
BOUNDS |= {f"uint{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)}


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize("mode", ["assert", "openapi", "python"])
def test_integer_formats_are_those_integers(name: str, mode: str) -> None:
    least, most = BOUNDS[name]
    for schema in ({"type": "integer"}, {"type": "number"}, {}, {"anyOf": [{"type": "integer"}, {"type": "null"}]}):
        made = grammar({"type": ["integer", "number", "null"], **schema, "format": name}, formats=mode)
        assert made.accepts(str(least)) and made.accepts(str(most)) and made.accepts("1")
        assert not made.accepts(str(least - 1)) and not made.accepts(str(most + 1)) and not made.accepts("1.5")
    assert grammar({"type": "integer", "format": name}, formats="annotate").accepts(str(most + 1))


def test_integer_formats_say_nothing_of_texts_and_negate() -> None:
    assert grammar({"format": "int8"}).accepts('"1000"') and grammar({"type": "string", "format": "int8"}).accepts('""')
    made = grammar({"type": "number", "not": {"format": "int8"}})
    assert [made.accepts(text) for text in ("127", "128", "-129", "1.5")] == [False, True, True, True]
    both = grammar({"type": "integer", "format": "int8", "minimum": 100})
    assert [both.accepts(text) for text in ("99", "100", "127", "128")] == [False, True, True, False]


def test_precisions_are_openapi() -> None:
    wide = "1" + "0" * 39
    assert grammar({"type": "number", "format": "float"}).accepts(wide)
    assert not grammar({"type": "number", "format": "float"}, formats="openapi").accepts(wide)
