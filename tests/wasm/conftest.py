"""The built package, in Node.js and in Chromium. FRISKET_WASM is its folder: `npm/build.sh FOLDER` makes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.data import find_data_dir
from tests.unit.play.page.browser import launched
from tests.wasm.host import HERE, Host, chromium, node, served

PACKAGE = os.environ.get("FRISKET_WASM")


@pytest.fixture(scope="session")
def package() -> Path:
    """The folder of the package; without one the test is skipped."""
    if PACKAGE is None:
        pytest.skip("no package for JavaScript: npm/build.sh FOLDER makes one; set FRISKET_WASM to the folder")
    return Path(PACKAGE).resolve()


@pytest.fixture(scope="session")
def address(package: Path) -> Iterator[str]:
    """Where the package, the page of the tests and the real tokenizers are served."""
    places = {"/": HERE, "/package/": package}
    data = find_data_dir()
    if data is not None:
        places["/tokenizers/"] = data / "tokenizers"
    with served(places) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with launched() as found:
        yield found


@pytest.fixture(scope="session", params=["node", "chromium"])
def host(request: pytest.FixtureRequest, package: Path, address: str) -> Iterator[Host]:
    # The browser starts where it is needed only.
    is_node = request.param == "node"
    with node(package) if is_node else chromium(request.getfixturevalue("browser"), address) as found:
        yield found
