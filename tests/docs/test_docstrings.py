"""Every example of a docstring → runs and prints what it shows."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import frisket
from frisket.errors import MissingDependencyError

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules() -> list[str]:
    """Every Python module of the package, by name, without importing the ones below `frisket`."""
    root = str(Path(frisket.__file__).parent)
    found = [module.name for module in pkgutil.walk_packages([root], "frisket.", onerror=lambda name: None)]
    return ["frisket", *sorted(name for name in found if not name.endswith(("._core", ".__main__")))]


@pytest.mark.parametrize("name", modules())
def test_examples_run(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except MissingDependencyError as missing:
        pytest.skip(f"{name} needs an extra: {missing.hint}")
    failed, _ = doctest.testmod(module, optionflags=FLAGS)
    assert failed == 0, f"{failed} examples of {name} failed; their report is above"


@pytest.mark.parametrize("name", modules())
def test_the_first_line_says_what_becomes_what(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except MissingDependencyError as missing:
        pytest.skip(f"{name} needs an extra: {missing.hint}")
    assert module.__doc__, f"{name} has no first line"
