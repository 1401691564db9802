"""_core/*.pyi × `help()`: what the stub says of the extension's public names, the extension says of itself."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frisket import _core

STUBS = Path(__file__).parents[2] / "src" / "frisket" / "_core"


def described() -> Iterator[tuple[str, str | None]]:
    """Every class, function, method and property of the stubs, by dotted name, and its docstring."""
    for stub, module in ((STUBS / "__init__.pyi", ""), (STUBS / "front_end.pyi", "front_end.")):
        for node in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                yield module + node.name, ast.get_docstring(node)
            if isinstance(node, ast.ClassDef):
                for member in node.body:
                    if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                        yield f"{module}{node.name}.{member.name}", ast.get_docstring(member)


@pytest.mark.parametrize(("name", "said"), list(described()))
def test_help_says_what_the_stub_says(name: str, said: str | None) -> None:
    found: Any = _core
    for part in name.split("."):
        found = getattr(found, part)
    assert said, f"{name} has no docstring in its stub"
    assert inspect.getdoc(found) == said


def test_what_is_for_everybody() -> None:
    public = {"Cancellation", "CompiledGrammar", "Grammar", "GrammarBuilder", "Limits", "Matcher", "Vocabulary"}
    functions = {
        "apply_mask",
        "copy_masked",
        "core_build",
        "core_version",
        "feasible_mass",
        "fill_masks",
        "replay_timed",
    }
    assert set(_core.__all__) == public | functions
    assert not set(_core.__all__) & set(_core.front_end.__all__)
