"""Asking by a recorded transport: requests of each vendor, repairs, and what is refused at last."""

from __future__ import annotations

import re
from typing import Any

import pytest

from frisket import Grammar, hosted
from frisket.errors import EngineError, FrisketError, UnsupportedSchemaError

pytest.importorskip("jsonschema_rs")


class Recorded:
    """A transport that plays back answers and keeps the requests."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []

    def __call__(self, request: dict[str, Any]) -> str:
        self.requests.append(request)
        return self.answers.pop(0)


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "not": {"const": 3}}}, "required": ["n"]}


def schema_of(request: dict[str, Any]) -> Any:
    if "generationConfig" in request:
        return request["generationConfig"]["responseJsonSchema"]
    if "output_config" in request:
        return request["output_config"]["format"]["schema"]
    return request["response_format"]["json_schema"]["schema"]


@pytest.mark.parametrize("to", hosted.dialects())
def test_an_answer_is_repaired(to: str) -> None:
    transport = Recorded("no JSON", '{"n": 3}', '{"n": 4}')
    assert hosted.generate(transport, "How many?", SCHEMA, dialect=to) == {"n": 4}
    assert all(schema_of(request) == hosted.convert(SCHEMA, to).schema for request in transport.requests)
    turns = transport.requests[2].get("messages") or transport.requests[2]["contents"]
    assert len(turns) == 5 and "/n" in str(turns[4])


def test_two_repairs_at_most() -> None:
    transport = Recorded(*['{"n": 3}'] * 4)
    with pytest.raises(FrisketError, match="no valid answer in 3") as caught:
        hosted.generate(transport, "How many?", SCHEMA)
    assert caught.value.code == "value-refused" and len(transport.answers) == 1


def test_a_type_comes_back() -> None:
    pytest.importorskip("pydantic")
    transport = Recorded('{"entries": [{"key": "tea", "value": 2}]}')
    assert hosted.generate(transport, "Order?", dict[str, int]) == {"tea": 2}


def test_a_target_is_that_of_every_other_call() -> None:
    pytest.importorskip("pydantic")
    assert hosted.generate(Recorded('{"value": "b"}'), "Which?", ["a", "b"]) == "b"
    assert hosted.generate(Recorded('{"n": 4}'), "How many?", Grammar.from_json_schema(SCHEMA)) == {"n": 4}
    grammar = Grammar.from_type(dict[str, int])
    transport = Recorded('{"entries": [{"key": "tea", "value": 2}]}')
    assert hosted.generate(transport, "Order?", grammar) == {"tea": 2}
    for target in (Grammar.from_regex("[a-z]+"), re.compile("[a-z]+")):
        with pytest.raises(UnsupportedSchemaError, match="takes a JSON Schema") as caught:
            hosted.generate(Recorded(), "Which?", target)
        assert caught.value.where == "target"
    with pytest.raises(TypeError, match="Literal"):
        hosted.generate(Recorded(), "Which?", [1, 2])


def test_what_the_transport_raises_is_chained() -> None:
    with pytest.raises(EngineError) as caught:
        hosted.generate(Recorded(), "How many?", SCHEMA)
    assert isinstance(caught.value.__cause__, IndexError)
