"""A schema that goes on from the prelude means what it means without one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from frisket import _core
from frisket.grammar import Grammar
from frisket.json_schema import JSONSchemaOptions, compile_json_schema, lower_json_schema

SCHEMAS: list[Any] = [
    True,
    {"type": "object", "properties": {"a": {"type": "integer"}}},
    {"type": "array", "items": {"type": ["string", "null", "number"]}},
    {"type": "object", "additionalProperties": {"$ref": "#"}, "maxProperties": 1},
    {"not": {"type": "object"}},
]
TEXTS = [
    *("{}", '{"a":1}', '{"a":"1"}', '{"b":[{"c":null}]}', '{ "a" : 1 }', '{"a":{},"b":{}}', '{"a":{"b":{}}}'),
    *("[]", '["x",null,2.5]', "[[]]", "[true]", "null", "1", '"x"', " 1 ", "{\n  \"a\": 1\n}", '{"a":01}'),
]  # fmt: skip
OPTIONS = [
    JSONSchemaOptions(),
    JSONSchemaOptions.free(),
    JSONSchemaOptions(whitespace="compact"),
    JSONSchemaOptions(whitespace="pretty"),
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.whitespace)
@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_same_texts(schema: Any, options: JSONSchemaOptions) -> None:
    builder = _core.GrammarBuilder()
    alone = builder.build(lower_json_schema(builder, schema, options)[0])
    forked, _ = compile_json_schema(schema, options)
    for text in TEXTS:
        assert forked.accepts(text.encode()) == alone.accepts(text.encode()), text


def test_many_threads() -> None:
    def work(seed: int) -> bool:
        for i in range(60):
            grammar = Grammar.from_json_schema({"properties": {f"p{seed}-{i}": {"const": i}}, "minProperties": 1})
            if not grammar.accepts(f'{{"p{seed}-{i}":{i}}}') or grammar.accepts(f'{{"p{seed}-{i}":{i + 1}}}'):
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
