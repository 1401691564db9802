"""The exported names are a promise, and imports point one way: down the picture of ARCHITECTURE.md."""

from __future__ import annotations

import ast
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import frisket
import frisket._core

PACKAGE = Path(frisket.__file__).parent

NAMES = {
    "AnswerError", "AsyncStream", "Beams", "Best", "BudgetError", "Cancellation", "Closed", "CompiledGrammar",
    "ConversationError", "Description", "Draft",
    "EmptyGrammarError", "EngineError", "Events", "Exact", "Explanation", "FrisketError", "GREEDY", "Generation",
    "Grammar", "GrammarError", "GrammarPart", "GrammarSyntaxError", "Grew", "Guard", "InvalidSchemaError",
    "JSONSchemaOptions", "Least", "LimitExceededError", "Limits", "Matcher", "MessageSyntaxError",
    "MissingDependencyError", "Opened", "PartialValue", "Particles", "Pressure", "PressureReport",
    "RefusedToolsError", "Sampler", "Samples", "SchemaError", "Span", "Step", "Strategy", "StrategyError", "Stream",
    "Thinking", "Thought", "TokenRejectedError", "ToolError", "UnknownFamilyError", "UnreadableTemplateError",
    "UnsatisfiableSchemaError", "UnsupportedSchemaError", "Vocabulary", "VocabularyError", "Weighted", "agenerate",
    "astream", "capture", "choice", "examples", "fill_masks", "generate", "generate_many", "json", "lit",
    "models", "optional", "regex", "repeat", "sample", "seq", "special", "stream", "tags", "template", "text",
    "think", "tools", "until",
}  # fmt: skip

#: The storeys of the house: a module may import at its top only from its own storey or the ones before it.
STOREYS = (
    ("dependency",),
    (
        "errors",
        "_core",
        "least",
        "recent",
        "disk",
        "origin",
        "partial_value",
        "partial_object",
        "event",
        "token_name",
        "span",
        "misuse",
        "json_fault",
        "json_pointer",
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
    ("combinator", "text_template", "thinking", "tools"),
    ("models", "pressure"),
    ("conversation",),
    ("decoding",),
    ("strategy",),
    ("examples",),
    ("engines", "hosted", "lint"),
    ("server",),
    ("play",),
    ("cli", "__main__"),
)


def test_the_exported_names() -> None:
    assert set(frisket.__all__) == NAMES
    for name in NAMES:
        assert getattr(frisket, name) is not None
    assert set(dir(frisket)) >= NAMES


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
            found |= {parts[0]} if parts else {name.name for name in node.names}
        agenda += ast.iter_child_nodes(node)
    return found


def test_importing_frisket_needs_nothing_but_numpy() -> None:
    heavy = ("torch", "transformers", "tokenizers", "pydantic", "typer", "rich", "tiktoken", "sentencepiece")
    code = f"import sys, frisket, frisket.grammar, frisket.reference; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_unit_tests_stand_as_the_sources_do() -> None:
    here = Path(__file__).parent
    folders = {path.parent.relative_to(here) for path in here.rglob("test_*.py")}
    assert not [str(folder) for folder in folders if not (PACKAGE / folder).is_dir()]
