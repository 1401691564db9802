"""What is asked wrongly, too much, or given up → a status, OpenAI's shape, and nothing left behind."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from frisket.models.protocol import Logits
from frisket.server.field import UNSERVED
from tests.unit.server.running import Running, Waiting, running, until

pytestmark = pytest.mark.filterwarnings("ignore")

CHAT, TEXT, RESPONSE = "/v1/chat/completions", "/v1/completions", "/v1/responses"
ASK: dict[str, Any] = {"model": "embedded", "messages": [{"role": "user", "content": "x"}]}


def schema(value: Any) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": value}}}


#: An array of arrays of arrays …, 200 deep.
NESTED: Any = {"type": "integer"}
for _ in range(200):
    NESTED = {"items": NESTED}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(max_body_bytes=20_000, max_schema_bytes=5_000, max_tokens=300, max_choices=4) as found:
        yield found


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        (schema({"type": "nope"}), 400, "schema-invalid"),
        (schema([1]), 400, "schema-invalid"),
        (schema({"x": {"type": "string"}}), 400, "schema-invalid"),
        ({"guided_json": {"x": {"type": "string"}}}, 400, "schema-invalid"),
        (schema({"type": "integer", "minimum": 2, "maximum": 1}), 400, "schema-unsatisfiable"),
        (schema({"enum": ["x" * 6000]}), 400, "limit"),
        (schema({"$ref": "http://elsewhere/x"}), 400, "schema-unsupported"),
        ({"guided_regex": "(a"}, 400, "grammar-syntax"),
        ({"guided_regex": r"((a{1,999}){1,999}){1,999}(?=b)c"}, 400, None),
        ({"guided_grammar": "root ::= nobody"}, 400, "grammar-syntax"),
        ({"guided_choice": []}, 400, "grammar-empty"),
        ({"guided_choice": ["\ud800"]}, 400, "request"),
        (schema({"type": "integer", "description": "\ud83d"}), 400, "request"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}], "guided_json": "{"}, 400, "schema-invalid"),
        ({"guided_regex": "a", "guided_choice": ["a"]}, 400, "request"),
        ({"guided_regex": "a", **schema({})}, 400, "request"),
        ({"frisket": {"whitespace": "compact"}}, 400, "request"),
        ({"guided_json": {}, "frisket": {"colour": 1}}, 400, "request"),
        ({"guided_json": {}, "frisket": {"describe": "yaml"}}, 400, "request"),
        ({"guided_json": NESTED, "frisket": {"describe": True}}, 400, "limit"),
        ({"guided_regex": "a", "frisket": {"describe": True}}, 400, None),
        ({"frisket": {"describe": True}}, 400, "request"),
        (
            {"tools": [{"type": "function", "function": {"name": "f"}}], "frisket": {"describe": True}},
            400,
            "unsupported",
        ),
        ({"structured_outputs": {"json": {}, "whitespace_pattern": " "}}, 400, "request"),
        ({"structured_outputs": {"json_object": False}}, 400, "request"),
        ({"response_format": {"type": "xml"}}, 400, "request"),
        ({"response_format": {"type": "text", "schema": {}}}, 400, "request"),
        ({"response_format": {"type": "json_schema"}}, 400, "schema-invalid"),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}}, 400, "schema-invalid"),
        ({"response_format": {"type": "json_object", "schema": {"type": "object"}}}, 400, "request"),
        ({"tools": [{"type": "function", "function": {"name": "a<b"}}]}, 400, "tools-refused"),
        (
            {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "array"}}}]},
            400,
            "tools-refused",
        ),
        ({"tools": [{"type": "web_search"}]}, 400, "request"),
        ({"tools": [{"type": "function", "function": {"name": "f", "description": "x" * 6000}}]}, 400, "limit"),
        ({"tool_choice": "required"}, 400, "tools-refused"),
        ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, 400, "tools-refused"),
        ({"functions": [{"name": "f"}]}, 400, "unsupported"),
        ({"logit_bias": "auto"}, 400, "request"),
        ({"chat_template_kwargs": {"enable_thinking": True}}, 400, "unsupported"),
        ({"chat_template_kwargs": {"colour": True}}, 400, "request"),
        ({"logit_bias": {"1": 101}}, 400, "request"),
        ({"logit_bias": {"100000": 1}}, 400, "request"),
        ({"logit_bias": {"-1": 1}}, 400, "request"),
        ({"logit_bias": {"one": 1}}, 400, "request"),
        ({"bogus": 1}, 400, "request"),
        ({"temperature": -1}, 400, "request"),
        ({"temperature": "1"}, 400, "request"),
        ({"frequency_penalty": 0.5}, 400, "request"),
        ({"n": 0}, 400, "request"),
        ({"n": 5}, 400, "limit"),
        ({"max_tokens": 301}, 400, "limit"),
        ({"max_tokens": 0}, 400, "request"),
        ({"stop": [""]}, 400, "request"),
        ({"top_logprobs": 21, "logprobs": True}, 400, "request"),
        ({"messages": []}, 400, "request"),
        ({"messages": [{"role": "tool", "content": "x"}]}, 400, "request"),
        ({"messages": [{"role": "function", "content": "x"}]}, 400, "unsupported"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400, "unsupported"),
        ({"messages": [{"role": "user", "content": "word " * 3000}]}, 400, "limit"),
        ({"messages": [{"role": "user", "content": "x" * 8000}]}, 400, "limit"),
        ({"model": "other"}, 404, "model-not-found"),
        ({"model": None}, 400, "request"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_asked_wrongly(server: Running, more: Any, status: int, code: str | None, stream: bool) -> None:
    found = server.error(CHAT, {**ASK, **more, "stream": stream})
    assert found[0] == status and (code is None or found[1] == code)


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        (CHAT, b"{", 400, "json"),
        (CHAT, b"", 400, "json"),
        (CHAT, b"[1]", 400, "json"),
        (CHAT, b"\xff", 400, "json"),
        (CHAT, b"[" * 15_000, 400, "limit"),
        (CHAT, b'{"model": "' + b"x" * 20_000, 413, "limit"),
        (TEXT, {"model": "embedded", "prompt": [10**6]}, 400, "request"),
        (TEXT, {"model": "embedded", "prompt": []}, 400, "request"),
        (TEXT, {"model": "embedded", "prompt": ["a", 1]}, 400, "request"),
        (RESPONSE, {"model": "embedded", "input": [{"type": "item_reference", "role": "user"}]}, 400, "request"),
        (RESPONSE, {"model": "embedded", "input": "x", "previous_response_id": "y"}, 400, "unsupported"),
        ("/v1/nothing", {}, 404, "route"),
        ("/v1/models", {}, 405, "route"),
    ],
)
def test_bodies_and_routes(server: Running, path: str, body: Any, status: int, code: str) -> None:
    assert server.error(path, body) == (status, code)


@pytest.mark.parametrize(
    ("more", "where", "said"),
    [
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {}}}},
            "/response_format/json_schema/name",
            "the field name is missing",
        ),
        ({"tools": [{"name": "f", "parameters": {}}]}, "/tools/0", '{"type": "function", "function":'),
        ({"guided_json": {}, **schema({})}, "/guided_json", "/response_format/json_schema/schema and /guided_json"),
    ],
)
def test_slips_of_a_first_request(server: Running, more: Any, where: str, said: str) -> None:
    status, answer = server.ask(CHAT, {**ASK, **more})
    assert (status, answer["error"]["where"]) == (400, where) and said in answer["error"]["message"]


def test_errors_say_where_and_what_helps(server: Running) -> None:
    status, answer = server.ask(CHAT, {**ASK, **schema({"properties": {"a": {"type": "nope"}}})})
    error = answer["error"]
    assert (status, error["where"], error["type"]) == (
        400, "/response_format/json_schema/schema/properties/a/type", "invalid_request_error",
    )  # fmt: skip
    assert error["where"] in error["message"] and error["hint"] in error["message"]


def test_fields_that_are_not_served_are_named(server: Running) -> None:
    for field, said, help in (
        ("colour", "there is no field 'colour' here", "/openapi.json"),
        ("temprature", "there is no field 'temprature' here", "do you mean temperature?"),
        ("frequency_penalty", "frequency_penalty is not served", "repetition_penalty"),
    ):
        status, answer = server.ask(CHAT, {**ASK, field: 1})
        error = answer["error"]
        assert (status, error["code"], error["where"]) == (400, "request", f"/{field}")
        assert said in error["message"] and help in error["hint"]


@pytest.mark.parametrize("name", sorted(UNSERVED))
def test_a_field_may_say_what_is_so_without_it(server: Running, name: str) -> None:
    for path, body in ((CHAT, ASK), (RESPONSE, {"model": "embedded", "input": "x"})):
        for value in (None, *UNSERVED[name].idle):
            assert server.ask(path, {**body, name: value})[0] == 200, (path, value)
        assert server.ask(path, {**body, name: "other"})[0] == 400
    # To Python, 1 is true.
    assert not UNSERVED["best_of"].allows(True) and not UNSERVED["ignore_eos"].allows(0)


def test_fields_that_say_nothing_are_left_alone(server: Running) -> None:
    said = {
        "role": "assistant", "content": "Hm.", "audio": None, "annotations": [], "function_call": None,
        "reasoning": "I thought.", "reasoning_details": [{"type": "text"}], "provider_specific_fields": {"a": 1},
        "thinking_blocks": [{"thinking": "hm"}],
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"},
                        "provider_specific_fields": {"b": 2}}],
    }  # fmt: skip
    result = {"role": "tool", "tool_call_id": "c", "content": "x", "is_error": False}
    marked = {"role": "user", "content": "x", "cache_control": {"type": "ephemeral"}, "annotations": []}
    idle = {"bad_words": [], "return_token_ids": False, "prediction": None, "unheard_of": [], "extra": {}}
    body = {**ASK, "messages": [*ASK["messages"], said, result, marked], **idle}
    assert server.ask(CHAT, body)[0] == 200
    idle = {"conversation": None, "prompt": None, "unheard_of": {}}
    assert server.ask(RESPONSE, {"model": "embedded", "input": "x", **idle})[0] == 200
    # What a user says is read in full, or not at all.
    pictures = {**ASK, "messages": [{"role": "user", "content": "x", "images": ["iVBORw0"]}]}
    status, answer = server.ask(CHAT, pictures)
    assert (status, answer["error"]["where"]) == (400, "/messages/0") and "images" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        (CHAT, {**ASK, **schema({"type": "boolean"})}, "max_tokens"),
        (CHAT, {**ASK, **schema({"type": "boolean"})}, "max_completion_tokens"),
        (CHAT, {**ASK, **schema({"type": "boolean"}), "max_tokens": 90}, "max_completion_tokens"),
        (TEXT, {"model": "embedded", "prompt": "x", **schema({"type": "boolean"})}, "max_tokens"),
        (RESPONSE, {"model": "embedded", "input": "x", "text": {"format": {
            "type": "json_schema", "name": "x", "schema": {"type": "boolean"}}}}, "max_output_tokens"),
    ],
)  # fmt: skip
def test_too_few_tokens_are_told_by_the_field_that_was_sent(
    server: Running, path: str, body: dict[str, Any], name: str
) -> None:
    status, answer = server.ask(path, {**body, name: 1})
    error = answer["error"]
    assert (status, error["code"], error["param"]) == (400, "budget", f"/{name}")
    assert f", and {name} gives 1" in error["message"] and "--on-budget" not in error["message"]
    least = re.search(rf"raise {name} to (\d+), ", error["hint"])
    assert least is not None and server.ask(path, {**body, name: int(least[1])})[0] == 200
    for wrong in (-1, "5", 10**6):
        status, answer = server.ask(path, {**body, name: wrong})
        assert (status, answer["error"]["param"]) == (400, f"/{name}")


def test_the_number_of_tokens_has_another_name_elsewhere(server: Running) -> None:
    bodies = {CHAT: ASK, TEXT: {"model": "embedded", "prompt": "x"}, RESPONSE: {"model": "embedded", "input": "x"}}
    for path, name, meant in (
        (CHAT, "max_output_tokens", "max_tokens"), (TEXT, "max_output_tokens", "max_tokens"),
        (TEXT, "max_completion_tokens", "max_tokens"), (RESPONSE, "max_completion_tokens", "max_output_tokens"),
        (RESPONSE, "max_tokens", "max_output_tokens"), (RESPONSE, "n_predict", "max_output_tokens"),
    ):  # fmt: skip
        status, answer = server.ask(path, {**bodies[path], name: 5})
        assert (status, answer["error"]["param"]) == (400, f"/{name}") and meant in answer["error"]["hint"]
        assert server.ask(path, {**bodies[path], name: None})[0] == 200


def test_the_words_of_other_servers_are_told_in_ours(server: Running) -> None:
    told = {
        "n_predict": (5, "max_tokens"), "max_new_tokens": (5, "max_tokens"),
        "repeat_penalty": (1.1, "repetition_penalty"),
        "json_schema": ({"type": "object"}, "response_format"), "grammar": ('root ::= "a"', "structured_outputs"),
        "regex": ("a+", "structured_outputs"), "ebnf": ('root ::= "a"', "structured_outputs"),
        "sampling_params": ({"top_p": 0.5}, "body itself"), "n_probs": (3, "top_logprobs"), "top_k_": (3, "mean top_k"),
    }  # fmt: skip
    for name, (value, hint) in told.items():
        status, answer = server.ask(CHAT, {**ASK, name: value})
        assert (status, answer["error"]["where"]) == (400, f"/{name}") and hint in answer["error"]["hint"]
    status, answer = server.ask(CHAT, {**ASK, "response_format": {"type": "json_object", "schema": {}}})
    assert answer["error"]["where"] == "/response_format/schema" and "json_schema" in answer["error"]["hint"]


def test_a_format_without_its_schema_is_refused(server: Running) -> None:
    for path, more, where in (
        (CHAT, {**ASK, "response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
         "/response_format/json_schema/schema"),
        (RESPONSE, {"model": "embedded", "input": "x", "text": {"format": {"type": "json_schema", "name": "x"}}},
         "/text/format/schema"),
    ):  # fmt: skip
        status, answer = server.ask(path, more)
        error = answer["error"]
        assert (status, error["code"], error["where"]) == (400, "schema-invalid", where) and error["hint"]


@pytest.mark.parametrize(
    ("options", "where", "hint"),
    [
        ({"colour": 1}, "/frisket/colour", "closed_objects"),
        ({"whitespace": "tabs"}, "/frisket", None),
        ({"on_budget": "cut"}, "/frisket/on_budget", "beside frisket"),
    ],
)
def test_options_are_told_by_their_place_in_the_body(
    server: Running, options: Any, where: str, hint: str | None
) -> None:
    status, answer = server.ask(CHAT, {**ASK, **schema({}), "frisket": options})
    error = answer["error"]
    assert (status, error["code"], error["where"]) == (400, "request", where)
    assert hint is None or hint in error["hint"]


def test_the_key() -> None:
    with running(api_key="sésame") as server:
        assert server.error(CHAT, ASK) == (401, "api-key")
        assert server.error(CHAT, ASK, key="wrong") == (401, "api-key")
        assert server.error("/v1/models", None) == (401, "api-key")
        assert server.ask("/health")[0] == 200
        assert "sésame" not in repr(server.service.settings)
    with running(api_key="sesame") as server:
        assert server.ask(CHAT, {**ASK, "guided_choice": ["a"]}, key="sesame")[0] == 200


LONG = {"model": "embedded", "prompt": "x", "guided_regex": "a{5000}", "max_tokens": 4000, "on_budget": "cut"}


def post(server: Running, body: Any) -> http.client.HTTPConnection:
    """A request whose answer nobody has read yet."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    connection.request("POST", TEXT, json.dumps(body), {"Content-Type": "application/json"})
    return connection


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves_ends_its_answer(stream: bool) -> None:
    # The gate is shut until the server knows: else the answer might be written in full before.
    model = Waiting(free=8 if stream else 0)
    with running(model) as server:
        scheduler = server.service.scheduler
        connection = post(server, {**LONG, "stream": stream, "n": 2})
        until(lambda: scheduler.active == 2 and model.asked > model.free)
        if stream:
            assert connection.getresponse().read(10)
        asked = model.asked
        connection.close()
        until(lambda: 'frisket_answers_total{outcome="left"} 2.0' in server.ask("/metrics")[1])
        model.gate.set()
        until(lambda: (scheduler.active, scheduler.queued) == (0, 0))
        assert model.asked == asked
        # The next one is served.
        assert server.ask(TEXT, {"model": "embedded", "prompt": "x", "guided_choice": ["b"]})[0] == 200


def test_a_client_that_leaves_gives_up_its_place_in_the_queue() -> None:
    model = Waiting()
    with running(model, max_active=1, max_queued=1) as server:
        scheduler = server.service.scheduler
        first = post(server, LONG)
        until(lambda: scheduler.active == 1)
        second = post(server, LONG)
        until(lambda: scheduler.queued == 1)
        assert server.error(TEXT, LONG) == (429, "queue-full")
        second.close()
        first.close()
        model.gate.set()
        until(lambda: (scheduler.active, scheduler.queued) == (0, 0))


def test_a_model_that_fails_fails_its_request_alone() -> None:
    model = Waiting()
    model.gate.set()
    with running(model) as server:
        model.broken = True
        assert server.error(TEXT, LONG) == (500, "server")
        status, text = server.ask(TEXT, {**LONG, "stream": True})
        assert status == 500 and text["error"]["code"] == "server"
        model.broken = False
        assert server.ask(TEXT, {"model": "embedded", "prompt": "x", "guided_choice": ["b"]})[0] == 200


class BreaksInTheMiddle(Waiting):
    """A model that fails at its twentieth token."""

    def logits(self) -> Logits:
        self.broken = self.asked == 20
        return super().logits()


def test_a_model_that_fails_in_the_middle_of_a_stream_ends_it_with_an_error() -> None:
    model = BreaksInTheMiddle()
    model.gate.set()
    with running(model) as server:
        lines = post(server, {**LONG, "stream": True}).getresponse().read().decode().split("\n\n")
        assert json.loads(lines[0].removeprefix("data: "))["choices"][0]["text"]
        assert json.loads(lines[-3].removeprefix("data: "))["error"]["code"] == "server"
        assert lines[-2] == "data: [DONE]"


def test_the_server_ends_while_answers_are_being_written() -> None:
    model = Waiting()
    with running(model) as server:
        connection = post(server, {**LONG, "stream": True})
        until(lambda: model.asked > 0)
        threading.Timer(0.1, model.gate.set).start()
        connection.close()
