"""Every `pip install` of a document or a message → extras that exist, under the name of the distribution."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.docs.page import PYPROJECT

ROOT = Path(__file__).parents[2]
EXTRAS = set(PYPROJECT["project"]["optional-dependencies"])
NAME = PYPROJECT["project"]["name"]

#: The changelog tells what was; the licence is not ours.
FOLDERS = ("src", "docs", "tests", "benchmarks", "experiments", "examples", "training", ".github")
FILES = [path for name in ("README.md", "CONTRIBUTING.md", "justfile", ".ci/run") if (path := ROOT / name).exists()]
FILES += [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".md", ".yml"} and path != Path(__file__)
]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """(what is installed, its extras) of each `pip install name[extras]`."""
    for line in re.findall(r"pip install([^\n`]*)", text):
        yield from re.findall(r"([\w.-]+)\[([\w,-]+)\]", line)


def test_extras_exist() -> None:
    found = [(path, *command) for path in FILES for command in commands(path.read_text(encoding="utf-8"))]
    ours = {name for _, name, _ in found if "frisket" in name}
    assert ours == {NAME}
    wrong = [
        (path, extras) for path, name, extras in found if name in {".", NAME} and not set(extras.split(",")) <= EXTRAS
    ]
    assert not wrong


def test_errors_name_extras_that_exist() -> None:
    found = set()
    for path in FILES:
        if path.suffix != ".py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case (
                    ast.Call(
                        func=ast.Attribute(value=ast.Name("MissingDependencyError"), attr="of"),
                        args=[_, ast.Constant(str(extra))],
                    )
                    | ast.Call(func=ast.Name("install_command"), args=[ast.Constant(str(extra)), _])
                ):
                    found.add(extra)
    assert {"gguf", "server"} < found <= EXTRAS
