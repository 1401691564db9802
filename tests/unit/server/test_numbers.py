"""Every number of every request × extreme values → an answer, or a refusal that says where; never a 500."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from frisket import JSONSchemaOptions, Sampler
from frisket.server import exchange
from tests.unit.server.running import Running, Waiting, running

pytestmark = pytest.mark.filterwarnings("ignore")

ASK: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "x"}]},
    "/v1/completions": {"prompt": "x"},
    "/v1/responses": {"input": "x"},
}
#: As they stand in a body.
EXTREMES = (
    "0", "-0.0", "5e-324", "-5e-324", "1e308", "-1e308", "1e400", "NaN", "Infinity", "-Infinity",
    '"nan"', '"NaN"', '"1e999"', "1", "-1", "4294967296", "9223372036854775808",
    "18446744073709551615", "18446744073709551616",    "-18446744073709551616", "true", "1" * 400, "1" * 5000,
)  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    model = Waiting()
    model.gate.set()
    with running(model, max_tokens=4, max_choices=2) as found:
        yield found


def numbers(schema: Mapping[str, Any], parts: Mapping[str, Any], path: tuple[str | int, ...] = ()) -> Iterator[Any]:
    """The paths to all numbers of a schema; `0` is an item of a list, and a member where names are free."""
    if "$ref" in schema:
        yield from numbers(parts[schema["$ref"].rpartition("/")[2]], parts, path)
    if schema.get("type") in ("integer", "number"):
        yield path
    for choice in schema.get("anyOf", ()):
        yield from numbers(choice, parts, path)
    if "items" in schema:
        yield from numbers(schema["items"], parts, (*path, 0))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from numbers(schema["additionalProperties"], parts, (*path, "0"))
    for name, member in schema.get("properties", {}).items():
        yield from numbers(member, parts, (*path, name))


def nested(path: tuple[str | int, ...], value: str) -> str:
    """The JSON text of a value at a path."""
    for part in reversed(path):
        value = f"[{value}]" if part == 0 else f"{{{json.dumps(part)}: {value}}}"
    return value


@pytest.mark.parametrize("path", ASK)
def test_every_number(server: Running, path: str) -> None:
    document = server.ask("/openapi.json")[1]
    parts = document["components"]["schemas"]
    schema = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    found = set(numbers(schema, parts)) | {("frisket", field.name) for field in dataclasses.fields(JSONSchemaOptions)}
    assert {("temperature",), ("repetition_penalty",), ("seed",), ("top_k",), ("priority",)} < found
    if path != "/v1/responses":
        assert ("logit_bias", "0") in found
    for place in sorted(found, key=str):
        for value in EXTREMES:
            base = {"model": "embedded", "max_tokens": 2, "temperature": 1, "guided_json": True, **ASK[path]}
            if path == "/v1/responses":
                base["max_output_tokens"] = base.pop("max_tokens")
            base.pop(str(place[0]), None)
            rest = json.dumps(base)[1:]
            body = f"{{{json.dumps(place[0])}: {nested(place[1:], value)}, {rest}".encode()
            status, answer = server.ask(path, body)
            if status != 200:
                assert status == 400, (place, value, answer)
                error = answer["error"]
                assert error["where"] or error["code"] in ("json", "limit", "budget"), (place, value, error)


def test_what_pydantic_finds_wrong_many_times_is_worded_once(server: Running) -> None:
    body = {"model": "embedded", "messages": [], "guided_choice": [1] * (exchange.MOST_COMMAS - 10)}
    assert server.error("/v1/chat/completions", body) == (400, "request")
    body = {"model": "embedded", "messages": [{}] * 5_000}
    assert server.error("/v1/chat/completions", body) == (400, "request")


def test_more_values_than_python_reads_in_a_moment(server: Running) -> None:
    status, answer = server.ask("/v1/completions", b'{"prompt": [' + b"1," * (exchange.MOST_COMMAS + 1) + b"1]}")
    assert status == 400 and answer["error"]["code"] == "limit"


@pytest.mark.parametrize("stop", [["x"] * 257, ["x" * 4097], [f"{n}" for n in range(30_000)]])
def test_too_many_stop_strings(server: Running, stop: list[str]) -> None:
    for path in ("/v1/chat/completions", "/v1/completions"):
        status, answer = server.ask(path, {"model": "embedded", **ASK[path], "stop": stop})
        assert (status, answer["error"]["code"], answer["error"]["where"]) == (400, "limit", "/stop")
        assert (
            server.ask(path, {"model": "embedded", **ASK[path], "stop": stop[:256] if len(stop) > 1 else "x"})[0] == 200
        )


@pytest.mark.parametrize("penalty", [5e-324, 1e308, float("inf"), float("nan"), -1.0])
def test_a_sampler_has_the_bounds_too(penalty: float) -> None:
    with pytest.raises(ValueError, match="repetition_penalty"):
        Sampler(repetition_penalty=penalty)
