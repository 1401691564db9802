"""The glossary, the reference and the table of claims → all that they must name is in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import frisket
import frisket.errors

from .document import ROOT

DOCS = ROOT / "docs"
CORE = ROOT / "crates" / "core" / "src"
SOURCES = {".py", ".pyi", ".rs"}
#: One row of a table: its first cell, and the cells behind it.
_ROW = re.compile(r"^\| (?P<words>[^|]+) \| (?P<meaning>[^|]+) \| (?P<source>[^|]+) \|$", re.MULTILINE)


def glossary() -> str:
    return (DOCS / "glossary.md").read_text(encoding="utf-8")


def entries() -> dict[str, str]:
    """Each word of the glossary, with its meaning."""
    found: dict[str, str] = {}
    for row in _ROW.finditer(glossary()):
        for word in row["words"].split(", "):
            if word.strip("-") and word != "word":
                found[word.strip("`")] = row["meaning"]
    return found


def core_folders() -> set[str]:
    return {path.name for path in CORE.rglob("*") if path.is_dir()}


def core_types() -> set[str]:
    """The public structures and enumerations of the core's sources."""
    declared = re.compile(r"^(?:    )?pub (?:struct|enum) (\w+)", re.MULTILINE)
    return {name for path in CORE.rglob("*.rs") for name in declared.findall(path.read_text(encoding="utf-8"))}


def public() -> set[str]:
    """The names of `frisket`, and of the modules that hold what combines, finds, tells and follows answers."""
    modules = (frisket, frisket.errors, frisket.events, frisket.parts, frisket.reports, frisket.strategies)
    return {name for module in modules for name in module.__all__}


def test_every_public_name_is_in_the_glossary() -> None:
    assert not public() - entries().keys()


def test_every_folder_and_public_type_of_the_core_is_in_the_glossary() -> None:
    folders, types = core_folders(), core_types()
    assert {"vocabulary", "mask", "accelerate"} <= folders and {"Machine", "SharedMasks"} <= types
    assert not (folders | types) - entries().keys()


def test_every_name_of_the_glossary_is_in_the_sources() -> None:
    sources = [path for folder in ("src", "crates") for path in (ROOT / folder).rglob("*") if path.suffix in SOURCES]
    words = {word for path in sources for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
    words |= {path.stem for path in sources} | core_folders()
    named = re.findall(r"`([^`]+)`", "".join(row["words"] for row in _ROW.finditer(glossary())))
    assert len(named) > 200
    assert not [name for name in named if not words.issuperset(re.findall(r"\w+", name))]


def test_a_meaning_is_one_sentence() -> None:
    wrong = [word for word, meaning in entries().items() if not meaning.endswith(".") or ". " in meaning]
    assert not wrong


def test_every_public_name_is_in_the_reference() -> None:
    page = "".join(path.read_text(encoding="utf-8") for path in sorted((DOCS / "reference").glob("*.md")))
    directives = re.findall(r"^::: ([\w.]+)$", page, re.MULTILINE)
    named = {name.rpartition(".")[2] for name in directives} | set(frisket.errors.__all__)
    assert "frisket.errors" in directives and "`frisket.models`" in page
    modules = set(re.findall(r"^\| `frisket\.(\w+)` \|", page, re.MULTILINE))
    assert not public() - named - modules


def test_every_option_of_the_command_line_is_in_the_reference() -> None:
    typer = pytest.importorskip("typer")
    from frisket.cli.app import app

    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    for name, command in typer.main.get_command(app).commands.items():
        section = page.partition(f"## frisket {name}\n")[2].partition("\n## ")[0]
        # A hidden option only says what to write instead.
        shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
        options = {option for parameter in shown for option in parameter.opts if option.startswith("--")}
        assert options - {"--help"} <= set(re.findall(r"--[\w-]+", section)), name


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    assert pages == set(re.findall(r": ([\w/-]+\.md)$", navigation, re.MULTILINE))


def test_every_command_of_a_claim_exists() -> None:
    page = (DOCS / "claims.md").read_text(encoding="utf-8")
    tests = re.findall(r"`pytest (\S+)`", page)
    modules = re.findall(r"`python -m (\S+)", page)
    assert tests and modules
    assert not [name for name in tests if not (ROOT / name).exists()]
    assert not [name for name in modules if not _module(ROOT / name.rstrip("`").replace(".", "/"))]


def _module(path: Path) -> bool:
    return path.with_suffix(".py").exists() or (path / "__main__.py").exists()
