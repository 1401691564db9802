"""Clients that take too long → connections that are closed; signals → a server that ends."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from frisket.server.listener import Times
from tests.unit.server.running import Waiting, running

ASK = {"model": "embedded", "messages": [{"role": "user", "content": "x"}], "guided_regex": "[a-z ]{200}"}
HALF = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"


def connection(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)))


def rest(held: socket.socket) -> bytes:
    """All that comes until the server ends the connection, in whichever way."""
    data = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := held.recv(1 << 16):
            data += chunk
    return data


@pytest.mark.parametrize("sent", [b"", b"GET /health HT", b"GET /health HTTP/1.1\r\nHost: x\r\n"])
def test_headers_that_do_not_come(sent: bytes) -> None:
    with running(Waiting(), times=Times(header_seconds=0.2)) as server, connection(server.url) as held:
        held.sendall(sent)
        assert rest(held) == b""


def test_headers_of_a_second_request_that_do_not_come() -> None:
    with running(Waiting(), times=Times(header_seconds=0.2)) as server, connection(server.url) as held:
        held.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200 OK" in held.recv(1 << 16)
        held.sendall(b"GET /health HT")
        assert b"HTTP/1.1" not in rest(held)


def test_a_connection_without_a_request_is_closed() -> None:
    with running(Waiting(), times=Times(idle_seconds=1)) as server, connection(server.url) as held:
        held.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200 OK" in rest(held)


def test_clients_let_go_of_a_connection_first() -> None:
    httpx = pytest.importorskip("httpx", reason="httpx is not installed")
    assert Times().idle_seconds > 2 * httpx.Limits().keepalive_expiry


def test_a_body_that_does_not_come() -> None:
    with running(Waiting(), body_seconds=0.2) as server, connection(server.url) as held:
        held.sendall(HALF)
        said = rest(held)
        assert said.startswith(b"HTTP/1.1 408") and b'"code":"timeout"' in said
        assert server.service.bodies.total == 0


def test_answers_that_nobody_reads() -> None:
    with running(Waiting(), times=Times(stall_seconds=0.2)) as server, connection(server.url) as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with contextlib.suppress(ConnectionError):  # more than any system buffers
            for _ in range(1_000):
                held.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
        rest(held)


def test_an_answer_may_take_longer_than_all_limits() -> None:
    model = Waiting()
    times = Times(header_seconds=0.1, stall_seconds=0.1)
    with running(model, times=times, body_seconds=0.1, max_tokens=1) as server, connection(server.url) as held:
        body = json.dumps({"model": "embedded", "prompt": "x"}).encode()
        held.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        held.settimeout(0.5)
        with pytest.raises(TimeoutError):
            held.recv(1)
        held.settimeout(None)
        model.gate.set()
        assert b"200 OK" in held.recv(1 << 16)


@contextlib.contextmanager
def served(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`frisket serve` in a process of its own, and its address."""
    program = "from frisket.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            lines = iter(process.stderr.readline, "")
            found = next(found for line in lines if (found := re.search(r"http://[\d.]+:\d+", line)))
            yield process, found.group()
        finally:
            process.kill()


@contextlib.contextmanager
def asked(url: str) -> Iterator[http.client.HTTPResponse]:
    """A stream that has begun."""
    with contextlib.closing(http.client.HTTPConnection(url.removeprefix("http://"))) as client:
        client.request("POST", "/v1/chat/completions", json.dumps({**ASK, "stream": True}))
        with client.getresponse() as answer:
            assert answer.status == 200
            yield answer


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM for another process")
class TestSignals:
    def test_answers_end_within_the_grace_period(self) -> None:
        with served("--grace-seconds", "1000") as (process, url):
            with contextlib.ExitStack() as clients:
                answers = [clients.enter_context(asked(url)) for _ in range(8)]
                process.send_signal(signal.SIGTERM)
                assert all(answer.read().endswith(b"data: [DONE]\n\n") for answer in answers)
            process.wait()

    def test_a_client_that_holds_half_a_body_holds_no_server(self) -> None:
        with served("--grace-seconds", "1") as (process, url), connection(url) as held:
            held.sendall(HALF)
            with asked(url):  # by now the server has read the half
                process.send_signal(signal.SIGTERM)
            process.wait()

    def test_a_client_that_does_not_read_holds_no_server(self) -> None:
        with served("--grace-seconds", "1") as (process, url), connection(url) as held:
            held.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            for _ in range(100):
                held.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
            process.send_signal(signal.SIGTERM)
            process.wait()

    def test_a_second_signal_ends_the_process_at_once(self) -> None:
        with served("--grace-seconds", "1000") as (process, url), connection(url) as held:
            held.sendall(HALF)
            with asked(url):
                process.send_signal(signal.SIGTERM)
            assert process.stderr
            assert any("Shutting down" in line for line in iter(process.stderr.readline, ""))
            process.send_signal(signal.SIGTERM)
            assert process.wait() == -signal.SIGTERM


def test_the_times_are_options() -> None:
    from typer.testing import CliRunner

    from frisket.cli.app import app

    said: Any = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "200"}).output
    for name in ("header", "body", "stall", "grace", "cpu"):
        assert f"--{name}-seconds" in said
