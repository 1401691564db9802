"""The exported names are a promise, and imports point one way: down the picture of ARCHITECTURE.md."""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

import frisket
import frisket._core

PACKAGE = Path(frisket.__file__).parent

#: The names of the first room, which a newcomer can take in at once.
NAMES = {
    "AsyncStream", "Cancellation", "CompiledGrammar", "FrisketError", "Generation", "Grammar", "Guard",
    "JSONSchemaOptions", "Limits", "Matcher", "Sampler", "Step", "Stream", "Thought", "Vocabulary", "agenerate",
    "astream", "errors", "events", "examples", "fill_masks", "generate", "generate_many", "models", "parts", "sample",
    "strategies", "stream", "think", "tools",
}  # fmt: skip
MOST_NAMES = 30

#: Public modules beside it, each with names of its own. `docs/reference/python.md` lists what is in each.
MODULES = (
    "errors",
    "events",
    "examples",
    "hosted",
    "lint",
    "models",
    "options",
    "parts",
    "reports",
    "strategies",
    "tools",
)

#: The storeys of the house: a module may import at its top only from its own storey or the ones before it.
STOREYS = (
    ("argument_name", "dependency", "foreign_name"),
    (
        "errors",
        "_core",
        "least",
        "recent",
        "disk",
        "environment",
        "origin",
        "events",
        "token_name",
        "misuse",
        "options",
        "json_fault",
        "json_pointer",
        "log",
        "markup",
        "chat_template",
    ),
    ("reference", "notations", "json_schema", "vocabulary", "limit", "matcher", "logits"),
    ("compiled_schema", "python_pattern", "python_set"),
    ("python_key",),
    ("python_schema",),
    ("python_type",),
    ("description",),
    ("language",),
    ("grammar",),
    ("outline", "explanation", "target"),
    ("parts", "thinking", "tools"),
    ("models", "pressure"),
    ("reports",),
    ("conversation",),
    ("decoding",),
    ("engines",),
    ("extension",),
    ("strategies",),
    ("examples",),
    ("hosted", "lint"),
    ("server",),
    ("play",),
    ("cli", "__main__"),
)


#: The module of the house that a name of `frisket` comes from.
HOMES = {name: home.split(".")[0] for home, names in frisket._HOMES.items() for name in names}

#: Programs on top of the library, which could be a distribution of their own.
APPLICATIONS = ("examples", "hosted", "lint", "play", "server", "strategies")
#: Public modules that they may import from.
SURFACE = {
    *("frisket", "frisket.extension", "frisket.json_pointer", "frisket.logits.numpy", "frisket.logits.torch"),
    *(
        f"frisket.{module}"
        for module in ("errors", "events", "models", "options", "parts", "reports", "thinking", "tools")
    ),
}
#: Names of `frisket.extension`: no more of them. Each is one that the applications would miss on their own.
MOST_EXTENSION = 47


def test_the_exported_names() -> None:
    assert set(frisket.__all__) == NAMES and len(frisket.__all__) <= MOST_NAMES
    for name in NAMES:
        assert getattr(frisket, name) is not None


def test_only_what_is_public_is_listed() -> None:
    assert set(dir(frisket)) == NAMES | {"__version__", "hosted", "lint", "options", "reports", "thinking"}
    for name in dir(frisket):
        assert getattr(frisket, name) is not None


def test_no_name_of_an_everyday_module_is_shadowed() -> None:
    assert not set(frisket.__all__) & (set(sys.stdlib_module_names) | set(dir(builtins)))


@pytest.mark.parametrize(
    "module", ["errors", "events", "options", "parts", "reports", "strategies", "thinking", "tools"]
)
def test_a_name_of_another_module_is_found(module: str) -> None:
    public = {"Thinking"} if module == "thinking" else set(importlib.import_module(f"frisket.{module}").__all__)
    for name in public - NAMES:
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}': it is in frisket\.{module}$"):
            getattr(frisket, name)


def test_a_name_that_is_nowhere_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        _ = frisket.nothing  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"it is frisket\.Sampler\.GREEDY$"):
        _ = frisket.GREEDY  # type: ignore[attr-defined]


def test_the_reference_has_a_table_of_all_names() -> None:
    page = PACKAGE.parents[1] / "docs" / "reference" / "python.md"
    if not page.exists():
        pytest.skip("the tests run on an installed package alone")
    rows = dict(re.findall(r"^\| `(frisket[\w.]*)` \| (.*) \|$", page.read_text("utf-8"), re.MULTILINE))
    listed = {module: set(re.findall(r"`(\w+)`", names)) for module, names in rows.items()}
    whole = {"frisket", *(f"frisket.{module}" for module in MODULES)}
    assert whole <= listed.keys()
    for module, names in listed.items():
        made = importlib.import_module(module)
        assert names == set(made.__all__) if module in whole else all(hasattr(made, name) for name in names), module


def test_the_version_stands_in_one_place() -> None:
    assert frisket.__version__ == importlib.metadata.version("frisket-llm") == frisket._core.core_version()
    root = PACKAGE.parents[1]
    if (root / "Cargo.toml").exists():  # not where the tests run on an installed package alone
        said = [name for name in ("pyproject.toml", "CITATION.cff") if "\nversion" in (root / name).read_text("utf-8")]
        assert not said


def test_imports_point_one_way() -> None:
    storey_of = {name: storey for storey, names in enumerate(STOREYS) for name in names}
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        here = path.relative_to(PACKAGE).with_suffix("").parts
        if here == ("__init__",):
            continue
        assert here[0] in storey_of, f"{here[0]} has no storey: where does it stand in the picture?"
        for name in imported(path):
            if name in storey_of and storey_of[name] > storey_of[here[0]]:
                wrong.append(f"{'.'.join(here)} imports {name}")
    assert not wrong


def imported(path: Path) -> set[str]:
    """The parts of frisket that a module imports while it is itself imported (not later, and not for types only)."""
    found: set[str] = set()
    agenda: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while agenda:
        node = agenda.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            agenda += node.orelse
            continue
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[1] for name in node.names if name.name.startswith("frisket.")}
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "frisket":
            parts = node.module.split(".")[1:]
            found |= {parts[0]} if parts else {HOMES.get(name.name, name.name) for name in node.names}
        agenda += ast.iter_child_nodes(node)
    return found


def library_imports(path: Path) -> set[tuple[str, str]]:
    """(module, name) of all that an application imports from the library, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "frisket":
            if node.module.split(".")[1:2] not in [[application] for application in APPLICATIONS]:
                found |= {(node.module, name.name) for name in node.names if name.name not in APPLICATIONS}
        elif isinstance(node, ast.Import):
            found |= {(name.name, "*") for name in node.names if name.name.startswith("frisket.")}
    return found


def test_applications_import_the_public_surface_alone() -> None:
    files = [path for application in APPLICATIONS for path in sorted((PACKAGE / application).rglob("*.py"))]
    taken = {path: library_imports(path) for path in files}
    wrong = [
        f"{path.relative_to(PACKAGE)}: {module}.{name}"
        for path, names in taken.items()
        for module, name in names
        if module not in SURFACE or name not in public_names(module)
    ]
    assert not wrong
    used = {name for names in taken.values() for module, name in names if module == "frisket.extension"}
    assert used == set(frisket.extension.__all__) == set().union(*frisket.extension._HOMES.values())
    assert len(used) <= MOST_EXTENSION


def public_names(module: str) -> set[str]:
    """What a module of the surface offers, as the reference lists it."""
    if module == "frisket":
        return set(dir(frisket))
    made = importlib.import_module(module)
    return set(getattr(made, "__all__", ())) or {name for name in vars(made) if not name.startswith("_")}


def test_the_library_works_without_its_applications() -> None:
    code = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.startswith({tuple(f"frisket.{name}" for name in APPLICATIONS)}):
            raise ImportError(name)

sys.meta_path.insert(0, Missing())
import frisket
model = frisket.models.embedded()
print(frisket.generate(model, "She wrote a book", ["yes", "no"]) in ("yes", "no"))
print(len(frisket.generate_many(model, ["a"], frisket.think(["yes"]))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "1"], done.stderr


def test_importing_frisket_needs_nothing_but_numpy() -> None:
    heavy = ("torch", "transformers", "tokenizers", "pydantic", "typer", "rich", "tiktoken", "sentencepiece")
    code = f"import sys, frisket, frisket.grammar, frisket.reference; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_unit_tests_stand_as_the_sources_do() -> None:
    here = Path(__file__).parent
    folders = {path.parent.relative_to(here) for path in here.rglob("test_*.py")}
    assert not [str(folder) for folder in folders if not (PACKAGE / folder).is_dir()]
