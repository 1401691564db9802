"""One browser and one server for the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.play.page.browser import Page, Server, launched, opened, serving


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Page]:
    with opened(browser, server.url) as found:
        yield found
