"""`python -m tests.docs.page docs/quickstart.md` → every block of a document runs, and prints what it shows.

The Python blocks of a document share a namespace and run in order, as a reader would type them. Fences:

* `python`     runs; an `output` block right below is what it prints (`...` stands for anything)
* `pycon`      a session with `>>>`, checked as a doctest
* `console`    `$ command` lines, each with its output; `frisket` runs, every other command is checked to exist
* `json` `toml`  must parse
* `text`       a picture, the only fence that nobody checks

A document runs with the packages of the extras that it names (`pip install "frisket-llm[cli]"`), and with no others:
what it forgets to name fails here. Where such a package is not installed, a `python` block that imports it, or that
says in a comment which extra it needs, is compiled only. So is a later block that needs a name of one that did not run.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib.util
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from .document import ROOT, Block, Command, blocks, commands
from .environment import extras_of, keep_only, reached

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
#: Distributions that are imported by another name.
IMPORTED = {"llama-cpp-python": "llama_cpp"}
#: Fences that other tests run: tests/ffi those of C, `cargo test -p frisket --doc` those of Rust, tests/wasm others.
ELSEWHERE = {
    "c": ("from-c.md", "in-llama-cpp.md", "in-ollama.md"),
    "rust": ("from-rust.md",),
    "html": ("in-the-browser.md",),
    "js": ("in-the-browser.md",),
}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
#: `frisket` as the document's reader has it: arguments are the extras, and then those of the command.
RUN_FRISKET = """
import sys
from tests.docs.environment import keep_only
keep_only(sys.argv.pop(1).split(","))
sys.argv[0] = "frisket"
from frisket.cli import main
sys.exit(main())
"""


def run(path: Path) -> None:
    """Run every block of the document; AssertionError that names the place, or whatever a block raises."""
    os.chdir(ROOT)
    extras = extras_of(path.read_text(encoding="utf-8"))
    keep_only(extras)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    previous, printed = "", None
    absent: set[str] = set()
    for block in blocks(path):
        if block.language == "python":
            printed = run_python(block, namespace, absent, extras)
        elif block.language == "output":
            assert previous == "python", f"{block.place}: an `output` block follows a `python` block"
            if printed is not None:
                compare(block.place, block.text, printed)
        elif block.language == "pycon":
            run_session(block, namespace)
        elif block.language == "console":
            for command in commands(block):
                run_command(command, extras)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "toml":
            tomllib.loads(block.text)
        elif path.name in ELSEWHERE.get(block.language, ()):
            pass
        else:
            assert block.language == "text", f"{block.place}: nobody checks a ```{block.language} block; see {__name__}"
        previous = block.language


def run_python(block: Block, namespace: dict[str, Any], absent: set[str], extras: list[str]) -> str | None:
    """What the block prints, or None where a package it needs is missing (it is compiled all the same).

    `absent` are the names of blocks that did not run.
    """
    code = compile("\n" * (block.line - 1) + block.text, str(block.path), "exec", dont_inherit=True)
    needed = (imported(block.text) & of_extras()) | named(block.text)
    unnamed = needed - packages(list(reached(extras)))
    assert not unnamed, f"{block.place}: imports {', '.join(sorted(unnamed))}; the document names no extra that has it"
    read = names(block.text, ast.Load) - names(block.text, ast.Store)
    if any(importlib.util.find_spec(name) is None for name in needed) or absent & read:
        absent |= names(block.text, ast.Store) - namespace.keys()
        return None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, namespace)
    return out.getvalue()


def imported(code: str) -> set[str]:
    """The packages that a block imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def names(code: str, context: type[ast.expr_context]) -> set[str]:
    """The variables that a block reads, or sets; what it defines and imports is set."""
    found = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name) and type(node.ctx) is context}
    if context is ast.Store:
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return found


def named(code: str) -> set[str]:
    """The packages of the extras that a comment says the block needs."""
    offered = PYPROJECT["project"]["optional-dependencies"]
    found = [extra for line in re.findall(r"# .*pip install \"\S*\[(.+)\]", code) for extra in line.split(",")]
    return packages([name for extra in found for name in offered[extra]])


def of_extras() -> set[str]:
    """The packages that only extras of frisket install, as they are imported."""
    return packages([name for names in PYPROJECT["project"]["optional-dependencies"].values() for name in names])


def packages(requirements: list[str]) -> set[str]:
    """What requirements install, as it is imported."""
    return {IMPORTED.get(name, name.replace("-", "_")) for name in map(distribution, requirements)} - {"frisket_llm"}


def distribution(requirement: str) -> str:
    return re.split(r"[^\w-]", requirement)[0]


def run_session(block: Block, namespace: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, namespace, block.place, str(block.path), block.line)
    report = io.StringIO()
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.write, clear_globs=False)
    assert failed == 0, report.getvalue()


def run_command(command: Command, extras: list[str]) -> None:
    """Run the `frisket` parts of a line; make sure that the others name things that exist.

    `pip install`, `pytest`, `just` and `cargo` are what brought us here: `.ci/run` runs them from the README itself.
    """
    for part in command.line.split(" && "):
        words = shlex.split(part, comments=True)
        if words[:2] in (["frisket", "serve"], ["frisket", "play"]):
            check_options(command.place, words)
        elif words[0] == "frisket":
            environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120", "PYTHONIOENCODING": "utf-8"}
            run = subprocess.run(
                [sys.executable, "-c", RUN_FRISKET, ",".join(extras), *words[1:]],
                capture_output=True,
                text=True,
                env=environment,
            )
            assert run.returncode == 0, f"{command.place}: {part}\n{run.stdout}{run.stderr}"
            if command.shown.strip():
                compare(command.place, command.shown, run.stdout)
        else:
            check_exists(command.place, words)


def check_options(place: str, words: list[str]) -> None:
    """A command that would never end: at least it takes the options that are shown."""
    import typer.main

    from frisket.cli.app import app

    parameters = typer.main.get_command(app).commands[words[1]].params  # type: ignore[attr-defined]
    known = {name for one in parameters for name in (*one.opts, *one.secondary_opts)}
    unknown = {word for word in words if word.startswith("-")} - known
    assert not unknown, f"{place}: `{' '.join(words[:2])}` does not take {unknown}"


def check_exists(place: str, words: list[str]) -> None:
    """A command that the tests cannot run (it would run them): at least its parts are real."""
    if words[:2] == ["pip", "install"]:
        offered = set(PYPROJECT["project"]["optional-dependencies"])
        wanted = {extra for word in words for extras in re.findall(r"\[(.+)\]", word) for extra in extras.split(",")}
        assert wanted <= offered, f"{place}: no such extra: {wanted - offered}"
    elif words[0] == "just":
        recipes = re.findall(r"^(\w+)[^:=\n]*:(?!=)", (ROOT / "justfile").read_text(encoding="utf-8"), re.MULTILINE)
        assert not words[1:] or words[1] in recipes, f"{place}: the justfile has no `{words[1]}`"
    elif words[:2] == ["python", "-m"]:
        name = words[2].partition(".")[0]
        here = (ROOT / name).is_dir()
        assert here or importlib.util.find_spec(name) is not None, f"{place}: no module {words[2]}"
    elif words[0].endswith(".sh"):
        assert (ROOT / words[0]).exists(), f"{place}: no file {words[0]}"
    elif words[0] in {"python", ".ci/run"}:
        assert (ROOT / words[-1 if words[0] == ".ci/run" else 1]).exists(), f"{place}: no file {words}"
    else:
        known = {"pytest", "maturin", "cargo", "ruff", "mypy", "mkdocs", "pre-commit", "git", "cd", "source"}
        assert words[0] in known, f"{place}: `{words[0]}`: nobody runs this"


def compare(place: str, shown: str, printed: str) -> None:
    same = doctest.OutputChecker().check_output(shown.strip() + "\n", printed.strip() + "\n", FLAGS)
    assert same, f"{place}: the document shows\n{shown}\nbut it prints\n{printed}"


if __name__ == "__main__":
    run(Path(sys.argv[1]).resolve())
