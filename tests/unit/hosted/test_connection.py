"""The vendors' own client classes × a server on this machine that speaks their wire formats."""

from __future__ import annotations

import importlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from frisket import hosted
from frisket.errors import EngineError, FrisketError, MissingDependencyError

pytest.importorskip("jsonschema_rs", reason="jsonschema-rs is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "not": {"const": 3}}}, "required": ["n"]}
PACKAGES = {"openai": "openai", "anthropic": "anthropic", "gemini": "google.genai", "mistral": "mistralai.client"}
#: Where each client sends its request; the version of Gemini's API is its client's own matter.
PATHS = {
    "openai": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "/models/large:generateContent",
    "mistral": "/v1/chat/completions",
}
#: The name of a field that each of them takes.
MOST = {"gemini": "maxOutputTokens"}


class Vendor:
    """A vendor whose API plays back answers, each a text with the reason for its end, and keeps the requests."""

    def __init__(self, name: str, url: str) -> None:
        self.name, self.url = name, url
        self.answers: list[tuple[str, str]] = []
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.status = 200

    def client(self) -> Any:
        """The vendor's own client, of its own package."""
        package = pytest.importorskip(PACKAGES[self.name], reason=f"{PACKAGES[self.name]} is not installed")
        match self.name:
            case "openai":
                return package.OpenAI(api_key="none", base_url=f"{self.url}/v1", max_retries=0)
            case "anthropic":
                return package.Anthropic(api_key="none", base_url=self.url, max_retries=0)
            case "gemini":
                return package.Client(api_key="none", http_options={"base_url": self.url})
            case _:
                return package.Mistral(api_key="none", server_url=self.url)

    def answer(self) -> dict[str, Any]:
        text, reason = self.answers.pop(0)
        match self.name:
            case "anthropic":
                return {
                    "id": "m", "type": "message", "role": "assistant", "model": "large", "stop_sequence": None,
                    "content": [{"type": "text", "text": text}] if text else [],
                    "stop_reason": {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}[reason],
                    "usage": {"input_tokens": 1, "output_tokens": 1},
                }  # fmt: skip
            case "gemini":
                finish = {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}[reason]
                content = {"role": "model", "parts": [{"text": text}]}
                return {"candidates": [{"content": content, "finishReason": finish, "index": 0}]}
            case _:
                said = {"role": "assistant", "content": text or None}
                if reason == "refusal":
                    said["refusal"] = "no"
                finish = "stop" if reason == "refusal" else reason
                return {
                    "id": "c", "object": "chat.completion", "created": 0, "model": "large",
                    "choices": [{"index": 0, "message": said, "finish_reason": finish, "logprobs": None}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                }  # fmt: skip

    def schema(self, body: dict[str, Any]) -> Any:
        match self.name:
            case "anthropic":
                return body["output_config"]["format"]["schema"]
            case "gemini":
                return body["generationConfig"]["responseJsonSchema"]
            case _:
                return body["response_format"]["json_schema"]["schema"]


@pytest.fixture(params=hosted.dialects())
def vendor(request: pytest.FixtureRequest) -> Iterator[Vendor]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found.requests.append((self.path.partition("?")[0], body))
            said = found.answer() if found.status == 200 else {"error": {"message": "busy", "type": "x", "code": 500}}
            data = json.dumps(said).encode()
            self.send_response(found.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Vendor(request.param, f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_client_sends_the_converted_schema_and_answers_are_repaired(vendor: Vendor) -> None:
    client = vendor.client()
    vendor.answers = [("no JSON", "stop"), ('{"n": 3}', "stop"), ('{"n": 4}', "stop")]
    most = MOST.get(vendor.name, "max_tokens")
    connection = hosted.connect(client, "large", **{most: 77})
    assert connection.dialect == vendor.name
    assert connection.generate("How many?", SCHEMA) == {"n": 4}
    assert len(vendor.requests) == 3
    for path, body in vendor.requests:
        assert path.endswith(PATHS[vendor.name])
        assert vendor.schema(body) == hosted.convert(SCHEMA, vendor.name).schema
        assert (body.get("generationConfig") or body)[most] == 77
    last = vendor.requests[2][1]
    turns = last.get("contents") or last["messages"]
    assert len(turns) == 5 and "/n" in str(turns[4]) and "How many?" in str(turns[0])


def test_two_repairs_at_most(vendor: Vendor) -> None:
    client = vendor.client()
    vendor.answers = [('{"n": 3}', "stop")] * 4
    with pytest.raises(FrisketError, match="no valid answer in 3") as caught:
        hosted.connect(client, "large").generate("How many?", SCHEMA)
    assert caught.value.code == "value-refused" and len(vendor.answers) == 1


@pytest.mark.parametrize(("reason", "match"), [("length", "was cut"), ("refusal", "refused|stopped|no text")])
def test_what_is_no_answer_is_not_repaired(vendor: Vendor, reason: str, match: str) -> None:
    client = vendor.client()
    vendor.answers = [("" if reason == "refusal" else '{"n": ', reason)] * 2
    with pytest.raises(EngineError, match=match):
        hosted.connect(client, "large").generate("How many?", SCHEMA)
    assert len(vendor.answers) == 1


def test_a_failure_of_the_api_is_chained(vendor: Vendor) -> None:
    client, vendor.status = vendor.client(), 400
    with pytest.raises(EngineError, match="(?i)" + vendor.name) as caught:
        hosted.connect(client, "large").generate("How many?", SCHEMA)
    assert caught.value.__cause__ is not None and len(vendor.requests) == 1


def test_a_type_comes_back(vendor: Vendor) -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    client = vendor.client()
    free = vendor.name == "gemini"
    vendor.answers = [(json.dumps({"tea": 2} if free else {"entries": [{"key": "tea", "value": 2}]}), "stop")]
    assert hosted.connect(client, "large").generate("Order?", dict[str, int]) == {"tea": 2}


@pytest.mark.parametrize("name", hosted.dialects())
def test_a_name_makes_the_client(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(PACKAGES[name], reason=f"{PACKAGES[name]} is not installed")
    for key in ("OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL"):
        monkeypatch.setenv(f"{key}_API_KEY", "none")
    assert hosted.connect(name, "large").dialect == name


@pytest.mark.parametrize("name", hosted.dialects())
def test_without_its_package_a_name_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def missing(module: str, package: str | None = None) -> Any:
        if module == PACKAGES[name]:
            raise ImportError(module)
        return real(module, package)

    monkeypatch.setattr(importlib, "import_module", missing)
    extra = {"mistral": "mistralai"}.get(name, name)
    with pytest.raises(MissingDependencyError, match=rf'pip install "frisket-llm\[{extra}\]"'):
        hosted.connect(name, "large")


def test_other_clients_are_refused() -> None:
    with pytest.raises(FrisketError, match="no client that is known") as caught:
        hosted.connect(object(), "large")
    assert caught.value.code == "client-unknown"
    with pytest.raises(FrisketError, match="no vendor is called") as caught:
        hosted.connect("acme", "large")
    assert caught.value.code == "dialect-unknown"


def test_an_asynchronous_client_is_refused() -> None:
    openai = pytest.importorskip("openai", reason="openai is not installed")
    with pytest.raises(FrisketError, match="AsyncOpenAI"):
        hosted.connect(openai.AsyncOpenAI(api_key="none"), "large")
