"""Docstrings → the site's reference: examples and trees are code there (`mkdocs build --strict` checks the rest)."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import pytest

from .document import ROOT


@pytest.fixture
def fenced() -> Callable[[str], str]:
    pytest.importorskip("griffe", reason="the site needs the extra `docs`")
    path = ROOT / "docs" / "extension" / "docstring_fences.py"
    spec = importlib.util.spec_from_file_location("docstring_fences", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[str], str] = module.fenced
    return found


def test_an_example_is_code(fenced: Callable[[str], str]) -> None:
    assert fenced("One.\n>>> 1\n1\n\nTwo.") == "One.\n\n```pycon\n>>> 1\n1\n```\n\nTwo."
    assert fenced(">>> 1\n1") == "```pycon\n>>> 1\n1\n```"


def test_a_tree_is_code(fenced: Callable[[str], str]) -> None:
    assert fenced("root\n├── leaf") == "```text\nroot\n├── leaf\n```"


def test_prose_is_left_as_it_is(fenced: Callable[[str], str]) -> None:
    assert fenced("A > b.\n\nC.") == "A > b.\n\nC."
