"""The front end's sources × a seed → mutants, each held against the fast tests in a copy of the package."""

from __future__ import annotations

import ast
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from tests.data import ROOT

from .reach import DATA, Reach, record
from .sample import sampled
from .verdict import Verdict

#: The folders of src/frisket → the fast tests that read what they make, run in this order until one fails.
TESTS = {
    "json_schema": (
        "tests/unit/test_data_class.py", "tests/spec", "tests/property/test_small_documents.py",
        "tests/unit/json_schema/test_metaschema.py", "tests/unit/json_schema/test_json_schema.py",
        "tests/unit/json_schema/test_number.py", "tests/unit/json_schema/test_errors.py",
        "tests/unit/json_schema/test_formats.py", "tests/unit/json_schema/test_report.py",
        "tests/unit/json_schema/test_closed_objects.py", "tests/unit/json_schema/test_order.py",
        "tests/unit/json_schema/test_prelude.py", "tests/unit/test_errors.py", "tests/unit/test_python_type.py",
        "tests/unit/json_schema/test_unique_items.py", "tests/unit/json_schema/test_room.py",
        "tests/unit/json_schema/test_stored.py", "tests/unit/test_grammar.py", "tests/property/test_front_end.py",
        "tests/property/test_draft4_numbers.py", "tests/unit/_core/test_many_words.py", "tests/unit/test_hostile.py",
        "tests/unit/json_schema/test_spelling.py", "tests/unit/json_schema/test_alternatives.py",
        "tests/conformance/test_conformance.py", "tests/unit/json_schema/test_forbidden_texts.py",
        "tests/unit/json_schema/test_layout_options.py", "tests/unit/json_schema/test_parameter.py", "tests/golden",
        "tests/property/test_small_numerals.py",
    ),
    "notations": (
        "tests/unit/test_data_class.py", "tests/spec", "tests/unit/notations/regex/test_regex.py",
        "tests/unit/notations/regex/test_unicode.py", "tests/unit/notations/test_production.py",
        "tests/property/test_regex.py", "tests/unit/test_grammar.py", "tests/unit/json_schema/test_formats.py",
        "tests/unit/json_schema/test_json_schema.py", "tests/unit/test_errors.py", "tests/unit/test_hostile.py",
        "tests/unit/notations", "tests/unit/test_combinator.py", "tests/unit/test_span.py",
        "tests/unit/test_text_template.py", "tests/golden", "tests/property/test_notations.py",
        "tests/property/test_broken_notations.py", "tests/property/test_lark.py", "tests/property/test_conditions.py",
        "tests/property/test_combinations.py",
    ),
    "decoding": (
        "tests/unit/test_data_class.py", "tests/unit/decoding", "tests/unit/test_partial_value.py",
        "tests/unit/models/test_transformers.py", "tests/unit/models/test_embedded.py",
    ),
    "logits": (
        "tests/unit/logits/test_logits.py", "tests/unit/decoding/test_loop.py",
        "tests/unit/models/test_transformers.py",
    ),
}  # fmt: skip

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip

#: Seconds of a processor. A mutant that loops is noticed, too: all tests of a folder take two minutes.
SECONDS = 300

#: Bytes of address space. A mutant that grows without end is noticed before the machine feels it.
MEMORY = 6 << 30


class Mutation(ast.NodeTransformer):
    """Count the places that can change; change the one whose number is `wanted`."""

    def __init__(self, wanted: int | None = None) -> None:
        self.wanted, self.count = wanted, 0
        self.place, self.last, self.change = 0, 0, ""

    def _is_it(self, node: ast.AST) -> bool:
        self.count += 1
        if self.count - 1 != self.wanted:
            return False
        self.place = getattr(node, "lineno", 0)
        self.last = getattr(node, "end_lineno", 0)
        return True

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        before = ast.unparse(node)
        for at, operator in enumerate(node.ops):
            if self._is_it(node):
                node.ops[at] = COMPARED[type(operator)]()
                self.change = f"{before} -> {ast.unparse(node)}"
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        before = ast.unparse(node)
        if self._is_it(node):
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            self.change = f"{before} -> {ast.unparse(node)}"
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not) and self._is_it(node):
            self.change = f"{ast.unparse(node)} -> {ast.unparse(node.operand)}"
            return node.operand
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        before = ast.unparse(node)
        if isinstance(node.op, (ast.Add, ast.Sub)) and self._is_it(node):
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            self.change = f"{before} -> {ast.unparse(node)}"
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            if self._is_it(node):
                self.change = f"{node.value} -> {not node.value}"
                return ast.Constant(not node.value)
        elif isinstance(node.value, int) and self._is_it(node):
            self.change = f"{node.value} -> {node.value + 1}"
            return ast.Constant(node.value + 1)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        # What only type checkers read has no tests.
        return node if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)


def mutants() -> list[tuple[Path, int]]:
    """(file, number of the place) of every possible mutant."""
    found = []
    for folder in TESTS:
        for path in sorted((ROOT / "src" / "frisket" / folder).rglob("*.py")):
            if path.name == "torch.py" and find_spec("torch") is None:
                print("logits/torch.py is left out: its tests need torch", flush=True)
                continue
            counting = Mutation()
            counting.visit(ast.parse(path.read_text(encoding="utf-8")))
            found += [(path, number) for number in range(counting.count)]
    return found


def run(sample: int, seed: int, jobs: int, again: frozenset[str]) -> Iterator[Verdict]:
    """The verdicts of a sample; of the mutants with the keys `again` alone, if there are any."""
    missing = {path for paths in TESTS.values() for path in paths if not (ROOT / path).exists()}
    if missing:
        # pytest would fail for want of them, and every mutant seem to be noticed.
        sys.exit(f"tests/mutants/front.py names tests that are no more: {', '.join(sorted(missing))}")
    everything = mutants()
    if again:
        chosen = [mutant for mutant in everything if Verdict(*described(*mutant), "survived").key in again]
    else:
        chosen = sampled(everything, lambda mutant: f"{mutant[0].relative_to(ROOT)} {mutant[1]}", sample, seed)
    print(f"{len(chosen)} of {len(everything):,} mutants of the front end, seed {seed}", flush=True)
    if not DATA.exists():
        record(sorted({test for paths in TESTS.values() for test in paths}))
    # A survivor is judged again by all tests: some keep in a cache what an earlier one computed.
    reach = None if again else Reach()
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda mutant: judge(*mutant, reach), chosen)


def mutated(path: Path, number: int) -> tuple[str, Mutation]:
    """The file's text as the mutant has it."""
    mutation = Mutation(number)
    tree = mutation.visit(ast.parse(path.read_text(encoding="utf-8")))
    return ast.unparse(ast.fix_missing_locations(tree)), mutation


def described(path: Path, number: int) -> tuple[str, str]:
    """Where a mutant is, and what it changes; of a number alone, in which line."""
    mutation = mutated(path, number)[1]
    change = mutation.change
    if change.count(" ") == 2:
        change += f" in {path.read_text(encoding='utf-8').splitlines()[mutation.place - 1].strip()}"
    return f"{path.relative_to(ROOT / 'src')}:{mutation.place}", change


def judge(path: Path, number: int, reach: Reach | None) -> Verdict:
    """Whether the fast tests notice a mutant: those that run its lines, or without `reach` all of them."""
    text, mutation = mutated(path, number)
    relative = path.relative_to(ROOT / "src")
    every = list(TESTS[relative.parts[1]])
    chosen = None if reach is None else reach.tests(path, mutation.place, mutation.last)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(
            ROOT / "src" / "frisket", Path(folder) / "frisket", ignore=shutil.ignore_patterns("__pycache__")
        )
        (Path(folder) / relative).write_text(text, encoding="utf-8")
        passed = chosen == [] or passes(folder, every if chosen is None else chosen)
    return Verdict(*described(path, number), "survived" if passed else "killed")


def passes(folder: str, tests: list[str]) -> bool:
    """Whether these tests pass with the package in a folder."""
    environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", "--no-header", *tests]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    return not subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, preexec_fn=limit).returncode
