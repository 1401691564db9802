"""What the API refuses: other hosts and sites, what is too large, what no request may say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.play.client import ASK, Client


@pytest.fixture(scope="module")
def client() -> Client:
    return Client(max_body_bytes=20_000, max_source_bytes=10_000, max_tokens=100, max_prompt_bytes=1000)


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765"])
def test_loopback_names_are_served(client: Client, host: str) -> None:
    assert client.http.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example:8765", "127.0.0.1.evil.example", "0.0.0.0:8765", "", "[::1"])
def test_other_names_are_not(client: Client, host: str) -> None:
    for path in ("/", "/api/offer", "/page/main.js"):
        response = client.http.get(path, headers={"host": host})
        assert response.status_code == 403 and response.json()["error"]["code"] == "host"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_other_sites_may_not_ask(client: Client, headers: dict[str, str]) -> None:
    response = client.http.post("/api/check", json={}, headers=headers)
    assert response.status_code == 403 and response.json()["error"]["code"] == "origin"


def test_a_form_may_not_ask(client: Client) -> None:
    response = client.http.post("/api/answers", content=json.dumps(ASK), headers={"content-type": "text/plain"})
    assert response.status_code == 415


def test_every_response_is_fenced_in(client: Client) -> None:
    for response in (client.http.get("/"), client.http.get("/api/offer"), client.http.get("/nowhere")):
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert response.headers["x-content-type-options"] == "nosniff"


def test_nothing_beside_the_page_is_shipped(client: Client) -> None:
    for name in ("../settings.py", "..%2Fsettings.py", "settings.py", "%2e%2e/settings.py", "nothing.js"):
        assert client.http.get(f"/page/{name}").status_code == 404


def test_the_page_names_no_other_host_and_no_inline_script(client: Client) -> None:
    page = client.http.get("/").text
    assert "http:" not in page and "https:" not in page and "style=" not in page and " on" + "click" not in page
    assert "<script>" not in page and "<style" not in page


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "json"),
        (b"[]", 400, "json"),
        (b"[" * 19_000, 400, "limit"),
        ({}, 400, "request"),
        ({**ASK, "colour": 1}, 400, "request"),
        ({**ASK, "notation": "prose"}, 400, "request"),
        ({**ASK, "model": "nobody"}, 404, "model-not-found"),
        ({**ASK, "temperature": -1}, 400, "request"),
        ({**ASK, "temperature": 1e9}, 400, "request"),
        ({**ASK, "seed": -1}, 400, "request"),
        ({**ASK, "seed": 1 << 64}, 400, "request"),
        ({**ASK, "max_tokens": 0}, 400, "request"),
        ({**ASK, "max_tokens": 101}, 400, "limit"),
        ({**ASK, "max_tokens": "7"}, 400, "request"),
        ({**ASK, "describe": "yaml"}, 400, "request"),
        ({**ASK, "prompt": "x" * 1001}, 413, "limit"),
        ({**ASK, "prompt": "many words " * 90}, 400, "limit"),
        ({**ASK, "text": '{"enum": ["' + "x" * 10_000 + '"]}'}, 413, "limit"),
        ({**ASK, "text": '{"enum": ["' + "x" * 30_000 + '"]}'}, 413, "limit"),
        ({**ASK, "text": '{"type": "nope"}'}, 400, "schema-invalid"),
    ],
)
def test_requests_are_refused_with_a_code(client: Client, body: Any, status: int, code: str) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.http.post("/api/answers", content=content, headers={"content-type": "application/json"})
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (status, code) and error["message"]


def test_what_is_not_there(client: Client) -> None:
    name = client.begin()
    client.run(name)
    assert client.get("/api/answers/nobody")["error"]["code"] == "answer-gone"
    assert client.get(f"/api/answers/{name}/steps/99")["error"]["code"] == "step"
    assert client.post(f"/api/answers/{name}/run", back=99)["error"]["code"] == "request"
    assert client.post(f"/api/answers/{name}/run", tokens=[-1])["error"]["code"] == "request"
    assert client.get(f"/api/answers/{name}/export/pdf")["error"]["code"] == "export"
    assert client.http.delete(f"/api/answers/{name}").status_code == 200
    assert client.get(f"/api/answers/{name}")["error"]["code"] == "answer-gone"


def test_a_model_that_breaks_says_so() -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            import frisket

            return getattr(frisket.models.embedded(), name)

        def start(self, ids: Any) -> Any:
            raise RuntimeError("the model is broken")

    client = Client({"embedded": Broken})
    steps, error = client.run(client.begin())
    assert not steps and error["code"] == "server"


def test_half_a_surrogate_in_a_key_can_be_sent(client: Client) -> None:
    schema = '{"properties": {"\\ud800": {"type": "integer"}}, "required": ["\\ud800"], "additionalProperties": false}'
    begun = client.post("/api/answers", **{**ASK, "text": schema})
    if "error" in begun:
        assert begun["error"]["code"]
    else:
        assert client.run(begun["id"])[1]
