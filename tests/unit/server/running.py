"""A model → a server that listens, for tests with real clients; and a model that waits to be told."""

from __future__ import annotations

import contextlib
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Vocabulary
from frisket.models.protocol import Logits, Model


class Running:
    """A server and where it listens."""

    def __init__(self, url: str, service: Any, clients: contextlib.ExitStack) -> None:
        self.url, self.service, self._clients = url, service, clients

    def client(self, key: str = "none") -> Any:
        openai = pytest.importorskip("openai", reason="openai is not installed")
        return self._clients.enter_context(openai.OpenAI(base_url=f"{self.url}/v1", api_key=key, max_retries=0))

    def ask(self, path: str, body: Any = None, *, key: str | None = None, method: str | None = None) -> tuple[int, Any]:
        """Status and body, parsed where it is JSON; a body of bytes is sent as it is."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        if key is not None:
            request.add_header("Authorization", f"Bearer {key}")
        try:
            with urllib.request.urlopen(request) as response:
                status, answer = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, answer = error.code, error.read()
        try:
            return status, json.loads(answer)
        except ValueError:
            return status, answer.decode()

    def error(self, path: str, body: Any, **more: Any) -> tuple[int, str]:
        """Status and code of a refusal, which has OpenAI's shape."""
        status, answer = self.ask(path, body, **more)
        error = answer["error"]
        assert {"message", "type", "param", "code", "where", "hint"} <= set(error)
        assert isinstance(error["message"], str) and error["message"]
        return status, error["code"]


@contextlib.contextmanager
def running(model: Model | None = None, *, times: Any = None, **settings: Any) -> Iterator[Running]:
    for package in ("starlette", "uvicorn", "prometheus_client"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    from frisket.server import Settings, make_application
    from frisket.server.listener import Server, Times

    application = make_application(model or frisket.models.embedded(), Settings(**settings))
    server = Server(application, port=0, times=times or Times(), log_level="warning")
    thread = threading.Thread(target=server.run)
    thread.start()
    until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with contextlib.ExitStack() as clients:
            yield Running(f"http://127.0.0.1:{port}", application.state.service, clients)
    finally:
        server.should_exit = True
        thread.join()
        assert not application.state.service.scheduler.alive


def until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.005)


class Waiting:
    """A model of single bytes that likes `a`; after its first `free` tokens it writes none while its gate is shut."""

    def __init__(self, free: int = 0) -> None:
        self.free = free
        self.eos = [256]
        self.context = 100_000
        self.vocabulary = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), None], eos=[256])
        self.gate = threading.Event()
        self.asked = 0
        self.broken = False

    def encode(self, text: str) -> list[int]:
        return list(text.encode()) or [32]

    def decode(self, ids: Sequence[int]) -> str:
        return bytes(ids).decode()

    def prompt(self, text: str, keys: Sequence[str] | None = None) -> str:
        return text

    def start(self, prompt_ids: Sequence[int]) -> Waiting:
        return self

    def fork(self) -> Waiting:
        return self

    def push(self, token_id: int) -> None:
        pass

    def logits(self) -> Logits:
        self.asked += 1
        if self.asked > self.free:
            self.gate.wait()
        if self.broken:
            raise RuntimeError("the model is broken")
        logits: Logits = np.zeros(257, dtype=np.float32)
        logits[ord("a")] = 9
        return logits
