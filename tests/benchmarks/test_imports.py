"""Every module of the benchmarks can be imported: nobody runs all of them after each change."""

from __future__ import annotations

import importlib

import pytest

from tests.data import ROOT

NAMES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "benchmarks").rglob("*.py")
    if path.name != "__init__.py"
)


@pytest.mark.parametrize("name", NAMES)
def test_a_module_can_be_imported(name: str) -> None:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("benchmarks", "frisket", "tests"):
            raise
        pytest.skip(f"{package} is not installed")
