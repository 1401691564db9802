"""Rules → rules of their texts that hold a terminal, whose first terminal has nothing ignored before it.

Where ignored text belongs to the terminal behind it, the first terminal of a text differs from those behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from frisket.notations.lark.dfa import either
from frisket.notations.production import ast


class Beginnings:
    """Adds a rule `NAME first` for each rule that a text may begin with. `lexemes` are the terminals by identity, each
    with its form at the beginning."""

    def __init__(self, rules: ast.Productions, lexemes: Mapping[int, ast.Node]) -> None:
        self.rules = rules
        self.lexemes = lexemes
        self.empty: set[str] = set()
        self.made: dict[str, str] = {}
        changed = True
        while changed:
            found = {name for name, rule in rules.items() if self.may_be_empty(rule.body)}
            changed, self.empty = found != self.empty, found

    def may_be_empty(self, node: ast.Node) -> bool:
        """Whether a text of the node may hold no terminal."""
        if id(node) in self.lexemes:
            return False
        match node:
            case ast.Reference(name, _):
                return name in self.empty
            case ast.Text(text):
                return not text
            case ast.Seq(items):
                return all(map(self.may_be_empty, items))
            case ast.Alt(items):
                return any(map(self.may_be_empty, items))
            case ast.Repeat(item, low, _):
                return low == 0 or self.may_be_empty(item)
            case ast.Both(items, _):
                return all(map(self.may_be_empty, items))
        return False

    def rule(self, name: str) -> ast.Node:
        """A call of the rule of the texts of a rule."""
        if name not in self.made:
            title = self.made[name] = f"{name} first"
            production = self.rules[name]
            body = self.first(production.body)
            self.rules[title] = ast.Production(title, ast.Alt(()) if body is None else body, production.at)
        return ast.Reference(self.made[name], self.rules[name].at)

    def first(self, node: ast.Node) -> ast.Node | None:
        """The node's texts with a terminal; None if it has none."""
        if id(node) in self.lexemes:
            return self.lexemes[id(node)]
        match node:
            case ast.Reference(name, _):
                return self.rule(name) if name in self.rules else node
            case ast.Seq(items):
                ways: list[ast.Node] = []
                for at, item in enumerate(items):
                    if (begin := self.first(item)) is not None:
                        ways.append(ast.Seq((begin, *items[at + 1 :])))
                    if not self.may_be_empty(item):
                        break
                return either(ways) if ways else None
            case ast.Alt(items):
                found = [begin for item in items if (begin := self.first(item)) is not None]
                return either(found) if found else None
            case ast.Repeat(item, low, high):
                begin = self.first(item)
                if begin is None or high == 0:
                    return None
                return ast.Seq((begin, replace(node, low=max(low - 1, 0), high=None if high is None else high - 1)))
            case ast.Text(text):
                return node if text else None
            case ast.Both(items, _) if any(isinstance(item, ast.Seq) and not item.items for item in items):
                return None
        return node
