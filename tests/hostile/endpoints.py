"""Hostile requests to the server's and the page's endpoints, in the process that answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import frisket

from .case import Case
from .constructors import ambiguous_rules, chained_rules, parametric, structural_tags, wide_words

ANSWERS = "/api/answers"
CHAT, COMPLETIONS, RESPONSES = "/v1/chat/completions", "/v1/completions", "/v1/responses"


def _posted(client: Any, path: str, body: Any) -> str:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post(path, content=data, headers={"Content-Type": "application/json"})
    if response.status_code == 500:
        raise RuntimeError(f"status 500: {response.text[:80]}")
    if response.status_code == 200:
        return "status 200"
    error = response.json().get("error", {})
    return (
        f"status {response.status_code} {error.get('code')}"
        if isinstance(error, dict)
        else f"status {response.status_code}"
    )


def _served(path: str, make: Callable[[], Any], name: str) -> Case:
    def prepare() -> Callable[[], Any]:
        from starlette.testclient import TestClient

        from frisket.server import make_application

        client = TestClient(make_application(frisket.models.embedded()), raise_server_exceptions=False)
        _posted(client, path, {"model": "embedded", **_asked(path), "max_tokens": 1})
        body = make()
        return lambda: _posted(client, path, body)

    return Case(f"POST {path}", name, prepare)


def _asked(path: str) -> dict[str, Any]:
    if path == CHAT:
        return {"messages": [{"role": "user", "content": "Hi"}]}
    return {"prompt": "Hi"} if path == COMPLETIONS else {"input": "Hi"}


def _chat(**more: Any) -> dict[str, Any]:
    return {"model": "embedded", **_asked(CHAT), "max_tokens": 4, **more}


def _schema(schema: Any, **more: Any) -> dict[str, Any]:
    return _chat(response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}, **more)


def _structured(**said: Any) -> dict[str, Any]:
    return _chat(structured_outputs=said)


def _pages(make: Callable[[], dict[str, Any]], name: str, path: str = "/api/check") -> Case:
    def prepare() -> Callable[[], Any]:
        from starlette.testclient import TestClient

        from frisket.play import make_application

        application = make_application({"embedded": frisket.models.embedded})
        client = TestClient(application, base_url="http://127.0.0.1:8765", raise_server_exceptions=False)
        asked = {"prompt": "Hi", "max_tokens": 4} if path == ANSWERS else {}
        body = {"model": "embedded", **asked, **make()}
        return lambda: _posted(client, path, body)

    return Case(f"POST {path}", name, prepare)


_EXAMPLE = {"describe": "example"}

ENDPOINTS: list[Case] = [
    _served(
        CHAT,
        lambda: _schema({"type": "array", "items": {"type": "string"}, "minItems": 10**9}, frisket=_EXAMPLE),
        "describe of minItems 10^9",
    ),
    _served(
        CHAT, lambda: _schema({"type": "string", "minLength": 10**9}, frisket=_EXAMPLE), "describe of minLength 10^9"
    ),
    _served(
        CHAT,
        lambda: _schema({"properties": {f"p{n}": {"type": "string"} for n in range(15_000)}}, frisket=_EXAMPLE),
        "describe of 15,000 properties",
    ),
    _served(CHAT, lambda: _structured(grammar=parametric(20)), "20 bits of a parameter"),
    _served(CHAT, lambda: _structured(grammar=wide_words()), "wide words before nested comments"),
    _served(CHAT, lambda: _structured(grammar=ambiguous_rules()), "nested counts over an empty rule"),
    _served(CHAT, lambda: _structured(grammar=chained_rules(20_000)), "20,000 chained rules"),
    _served(CHAT, lambda: _structured(regex="(a{1000000}){1000000}"), "(a{1000000}){1000000}"),
    _served(CHAT, lambda: _structured(structural_tag=structural_tags(2_000)), "2,000 tags in a dispatch"),
    _served(CHAT, lambda: _chat(stop=[f"{n}" for n in range(100_000)]), "100,000 strings in stop"),
    _served(CHAT, lambda: _chat(repetition_penalty=5e-324), "repetition_penalty of 5e-324"),
    _served(CHAT, lambda: _chat(logit_bias={str(n): 1 for n in range(40_000)}), "a bias of 40,000 tokens"),
    _served(CHAT, lambda: _chat(messages=[{"role": "user", "content": "a " * 1_000_000}]), "a message of 2 MB"),
    _served(CHAT, lambda: b"[" * 4_000_000, "a body that nests 4,000,000 deep"),
    _served(CHAT, lambda: b'{"n": ' + b"1" * 4_000_000 + b"}", "a number of 4,000,000 digits"),
    _served(COMPLETIONS, lambda: {"model": "embedded", "prompt": ["Hi"] * 10_000, "max_tokens": 1}, "10,000 prompts"),
    _served(
        RESPONSES,
        lambda: {"model": "embedded", "input": [{"role": "user", "content": "a"}] * 50_000},
        "50,000 messages",
    ),
    _pages(lambda: {"notation": "lark", "text": parametric(20)}, "20 bits of a parameter"),
    _pages(lambda: {"notation": "gbnf", "text": wide_words()}, "wide words before nested comments"),
    _pages(
        lambda: {"notation": "json_schema", "text": '{"type": "array", "minItems": 1000000000}'}, "minItems of 10^9"
    ),
    _pages(
        lambda: {"notation": "json_schema", "text": '{"type": "array", "minItems": 1000000000}', "describe": "example"},
        "describe of minItems 10^9",
        ANSWERS,
    ),
    _pages(lambda: {"notation": "lark", "text": parametric(20)}, "20 bits of a parameter", ANSWERS),
]
