"""Docstrings → the site's reference: examples and trees are code there (`mkdocs build --strict` checks the rest)."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

from .document import ROOT


def extension(name: str) -> Any:
    """A module of the site's own."""
    pytest.importorskip("griffe", reason="the site needs the extra `docs`")
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "extension" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def fenced() -> Callable[[str], str]:
    found: Callable[[str], str] = extension("docstring_fences").fenced
    return found


def test_an_example_is_code(fenced: Callable[[str], str]) -> None:
    assert fenced("One.\n>>> 1\n1\n\nTwo.") == "One.\n\n```pycon\n>>> 1\n1\n```\n\nTwo."
    assert fenced(">>> 1\n1") == "```pycon\n>>> 1\n1\n```"


def test_a_tree_is_code(fenced: Callable[[str], str]) -> None:
    assert fenced("root\n├── leaf") == "```text\nroot\n├── leaf\n```"


def test_prose_is_left_as_it_is(fenced: Callable[[str], str]) -> None:
    assert fenced("A > b.\n\nC.") == "A > b.\n\nC."


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("k", "the largest (Doe et al. 2019)"),
        ("seed", "`seed` is a number, or None"),
        ("p", "the rest"),
        ("q", ""),
        ("limits", ""),
    ],
)
def test_a_parameter_has_the_sentence_that_begins_with_it(name: str, found: str) -> None:
    docstring = "Text of `q`.\n\n`k`: the largest\n(Doe et al. 2019). `seed` is a number,\nor None; `p`: the rest."
    assert extension("parameter_tables").sentence(name, docstring) == found
