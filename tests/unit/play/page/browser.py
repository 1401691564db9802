"""Models → the page in a real Chromium: a server that can go away, and a browser that reports what goes wrong."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import frisket

#: What the browser is started with; root has no sandbox.
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage"]
#: Milliseconds until a page counts as broken: a machine may be busy with other things.
PATIENCE = 120_000
#: So often a pointer is laid anew where it belongs.
TRIES = 20


def chromium() -> str:
    """Where the browser is; the test is skipped where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("FRISKET_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("chromium is not installed")
    return found


class Server:
    """The page over some models, on a port of its own, that can stop and start again."""

    def __init__(self, models: Mapping[str, Any] | None = None, **settings: Any) -> None:
        for package in ("starlette", "uvicorn", "prometheus_client"):
            pytest.importorskip(package, reason=f"{package} is not installed")
        self._models = models or {"embedded": frisket.models.embedded}
        self._settings = settings
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        import uvicorn

        from frisket.play import Settings, make_application

        listening = socket.create_server(("127.0.0.1", self.port))
        self.port = listening.getsockname()[1]
        application = make_application(self._models, Settings(**self._settings))
        self.server = uvicorn.Server(uvicorn.Config(application, log_level="error", timeout_graceful_shutdown=1))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]})
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join()


@contextlib.contextmanager
def serving(models: Mapping[str, Any] | None = None, **settings: Any) -> Iterator[Server]:
    server = Server(models, **settings)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def launched() -> Iterator[Any]:
    """A browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Page:
    """The page as a person uses it. What the console complains of fails the test."""

    def __init__(self, browser: Any, url: str, *, unfolds: bool = True, **context: Any) -> None:
        from playwright.sync_api import expect

        self.expect = expect
        #: Whether the controls of decoding are unfolded, for a test to use them.
        self.unfolds = unfolds
        expect.set_options(timeout=PATIENCE)
        self.context = browser.new_context(accept_downloads=True, **context)
        self.tab = self.context.new_page()
        self.tab.set_default_timeout(PATIENCE)
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        self.tab.on(
            "request", lambda request: request.url.startswith(url.partition("#")[0]) or self.foreign.append(request.url)
        )
        self.open(url)

    def open(self, url: str) -> None:
        self.tab.goto(url)
        self.ready()

    def ready(self) -> None:
        self.tab.wait_for_selector("html[data-ready]", state="attached")
        if self.unfolds and self("#decoding[open]").count() == 0:
            self.tab.click("#decoding > summary")

    def __call__(self, selector: str) -> Any:
        return self.tab.locator(selector)

    def example(self, name: str) -> None:
        self.tab.select_option("#example", label=name)

    def text(self, notation: str, text: str) -> None:
        self.tab.select_option("#notation", notation)
        self.tab.fill("#text", text)

    def verdict(self, pattern: str) -> None:
        self.expect(self("#verdict")).to_have_text(re.compile(pattern))

    def progress(self, pattern: str) -> None:
        self.expect(self("#progress")).to_have_text(re.compile(pattern))

    def run(self) -> None:
        self.tab.click("#run")
        self.progress("^done")

    def point(self, selector: str, shown: str) -> None:
        """Rest the pointer on it until the inspector shows this; a page that still moves may slip away from it."""
        facts = re.compile(shown)
        for _ in range(TRIES):
            self(selector).hover()
            with contextlib.suppress(AssertionError):
                self.expect(self("#inspector .facts")).to_contain_text(facts, timeout=PATIENCE / TRIES)
                return
            self.tab.mouse.move(0, 0)
        pytest.fail(f"the inspector never showed {shown!r} with the pointer on {selector}")

    def boxes(self, id: str = "masked") -> list[str]:
        """The texts of the steps."""
        # Not the inner texts: what is out of sight is not laid out, and has none.
        found: list[str] = self(f"#{id} .box:not(.next)").all_text_contents()
        return found

    def written(self) -> str:
        """The text of the answer."""
        found: str = self("#masked ~ details pre").text_content()
        return found

    def close(self) -> None:
        self.context.close()
        foreign = [url for url in self.foreign if not url.startswith(("blob:", "data:"))]
        # A refusal is an answer of ours, which the console lists all the same.
        complaints = [said for said in self.complaints if not said.startswith("Failed to load resource")]
        if complaints or foreign:
            pytest.fail(f"{complaints} {foreign}")


@contextlib.contextmanager
def opened(browser: Any, url: str, *, unfolds: bool = True, **context: Any) -> Iterator[Page]:
    page = Page(browser, url, unfolds=unfolds, **context)
    try:
        yield page
    except BaseException:
        page.context.close()
        raise
    page.close()
