"""Python sources × mutants → a copy of the package, with each mutant behind a switch of the extension beside it."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from tests.data import ROOT

from .mutant import Mutant

#: The copy of the package, with the extension that holds the mutants.
COPY = ROOT / "target" / "mutants-package"

#: Beside the package: the second module of the extension, which is asked what is on.
ASKED = """
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

loader = ExtensionFileLoader("_mutants", str(Path(__file__).parent / "frisket" / "_core.abi3.so"))
module = module_from_spec(spec_from_loader("_mutants", loader))
loader.exec_module(module)
is_on, reached = module.is_on, module.reached
"""

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


class Mutation(ast.NodeTransformer):
    """Describe every change of a module; put those in `numbers`, by their place among all, behind switches."""

    def __init__(self, numbers: Mapping[int, int]) -> None:
        self.numbers = numbers
        self.described: list[tuple[int, str]] = []

    def _switched(self, node: ast.expr, *changes: Callable[[], ast.expr]) -> ast.expr:
        """The node, which asks for each of its changes."""
        first, before = len(self.described), ast.unparse(node)
        self.described += [(node.lineno, f"{before} -> {ast.unparse(change())}") for change in changes]
        self.generic_visit(node)
        made = node
        for place, change in enumerate(changes, first):
            if (number := self.numbers.get(place)) is not None:
                asked = ast.parse(f"__import__('frisket_mutants').is_on({number})", mode="eval").body
                made = ast.IfExp(asked, change(), made)
        return made

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        def change(at: int) -> ast.expr:
            operators = [*node.ops[:at], COMPARED[type(node.ops[at])](), *node.ops[at + 1 :]]
            return ast.Compare(node.left, operators, node.comparators)

        return self._switched(node, *(lambda at=at: change(at) for at in range(len(node.ops))))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return self._switched(node, lambda: ast.BoolOp(other, node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        return self._switched(node, *([lambda: node.operand] if isinstance(node.op, ast.Not) else []))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if not isinstance(node.op, (ast.Add, ast.Sub)):
            return self._switched(node)
        other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        return self._switched(node, lambda: ast.BinOp(node.left, other, node.right))

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        value = node.value
        if not isinstance(value, int):
            return node
        return self._switched(node, lambda: ast.Constant(not value if isinstance(value, bool) else value + 1))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        # A pattern has no room for a switch.
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        # What only type checkers read has no tests.
        return node if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)


def mutants(folders: Iterable[str]) -> list[Mutant]:
    """Every possible mutant of these folders of src/frisket."""
    found = []
    for folder in folders:
        for path in sorted((ROOT / "src" / "frisket" / folder).rglob("*.py")):
            if path.name == "torch.py" and find_spec("torch") is None:
                print("logits/torch.py is left out: its tests need torch", flush=True)
                continue
            text = path.read_text(encoding="utf-8")
            mutation = Mutation({})
            mutation.visit(ast.parse(text))
            for place, (line, change) in enumerate(mutation.described):
                # A number alone says little: its line does, too.
                whole = f"{change} in {text.splitlines()[line - 1].strip()}" if change.count(" ") == 2 else change
                found.append(Mutant(str(path.relative_to(ROOT)), line, whole, place))
    return found


def hold(chosen: Mapping[int, Mutant], extension: Path) -> None:
    """Write the package with this extension, and these mutants behind switches, by their numbers."""
    shutil.rmtree(COPY, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "src" / "frisket", COPY / "frisket", ignore=ignored)
    shutil.copy(extension, COPY / "frisket" / "_core.abi3.so")
    (COPY / "frisket_mutants.py").write_text(ASKED, encoding="utf-8")
    for file in {one.file for one in chosen.values()}:
        numbers = {one.made: number for number, one in chosen.items() if one.file == file}
        tree = Mutation(numbers).visit(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        target = COPY / Path(file).relative_to("src")
        target.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
