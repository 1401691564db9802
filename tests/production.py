"""Productions → the reference's nodes: lowered without a thought for speed, rule by rule."""

from __future__ import annotations

from typing import Any

from frisket.errors import GrammarSyntaxError
from frisket.notations.abnf import parse_abnf, with_core
from frisket.notations.ebnf import parse_ebnf
from frisket.notations.gbnf import parse_gbnf
from frisket.notations.lark import parse_lark
from frisket.notations.production import ast
from frisket.notations.production.source import Source
from frisket.reference import (
    NOTHING,
    Node,
    Rule,
    alt,
    both,
    byte,
    cat,
    char,
    complement,
    literal,
    parse_regex,
    repeat,
    special,
)


def to_reference(productions: ast.Productions, root: str) -> Node:
    """The rule of that name."""
    rules = {name: Rule(name) for name in productions}
    for name, production in productions.items():
        rules[name].body = _node(production.body, productions, rules)
    return rules[root]


def parsed(notation: str, text: str, *, root: str | None = None, **keywords: Any) -> Node:
    """The root's rule of a grammar in one of the notations."""
    source = Source(text)
    match notation:
        case "gbnf":
            rules = parse_gbnf(source)
        case "abnf":
            values = keywords.get("values", "characters")
            rules = with_core(parse_abnf(source, values), values)
        case "lark":
            rules, start = parse_lark(source, **keywords)
            return to_reference(rules, start)
        case _:
            rules = parse_ebnf(source, **keywords)
    usual = "root" if notation == "gbnf" or keywords.get("dialect") == "xgrammar" else next(iter(rules))
    return to_reference(rules, usual if root is None else root.lower() if notation == "abnf" else root)


def _node(node: ast.Node, productions: ast.Productions, rules: dict[str, Rule]) -> Node:
    below = [_node(child, productions, rules) for child in ast.children(node)]
    match node:
        case ast.Text(text):
            return literal(text.encode())
        case ast.Chars(ranges):
            return char(*ranges)
        case ast.Octets(ranges):
            return byte(*ranges)
        case ast.Token(name):
            return special(name)
        case ast.Reference(name, _):
            return rules[name]
        case ast.Repeat(_, low, high):
            return repeat(below[0], low, high)
        case ast.Seq():
            return cat(*below)
        case ast.Alt():
            return alt(*below)
        case ast.Except(item, excluded, _):
            sides = [_regular(side, productions) for side in (item, excluded)]
            return both(sides[0], complement(sides[1]))
        case ast.Both(items, _):
            return both(*(_regular(item, productions) for item in items))
        case ast.Complement(item, _):
            return complement(_regular(item, productions))
        case ast.Shortest(item, _):
            texts = _regular(item, productions)
            return both(texts, complement(cat(texts, repeat(byte((0, 255)), 1))))
        case ast.Pattern(pattern, "", _):
            return parse_regex(pattern)
        case ast.Pattern() | ast.Embedded():
            raise GrammarSyntaxError("what the reference does not read")
    raise NotImplementedError(type(node).__name__)


def _regular(node: ast.Node, productions: ast.Productions) -> Node:
    """Of one side of an operator between regular parts: calls are replaced by what they call."""
    if _is_recursive(node, productions):
        raise GrammarSyntaxError("the side of an operator calls itself")
    return _inlined(node, productions)


def _is_recursive(node: ast.Node, productions: ast.Productions, within: tuple[str, ...] = ()) -> bool:
    if isinstance(node, ast.Reference):
        if node.name in within:
            return True
        return _is_recursive(productions[node.name].body, productions, (*within, node.name))
    return any(_is_recursive(child, productions, within) for child in ast.children(node))


def _inlined(node: ast.Node, productions: ast.Productions) -> Node:
    if isinstance(node, ast.Reference):
        return _inlined(productions[node.name].body, productions)
    below = [_inlined(child, productions) for child in ast.children(node)]
    match node:
        case ast.Repeat(_, low, high):
            return repeat(below[0], low, high)
        case ast.Seq():
            return cat(*below)
        case ast.Alt():
            return alt(*below) if below else NOTHING
        case ast.Except():
            return both(below[0], complement(below[1]))
        case ast.Both():
            return both(*below)
        case ast.Complement():
            return complement(below[0])
        case ast.Shortest():
            return both(below[0], complement(cat(below[0], repeat(byte((0, 255)), 1))))
    return _node(node, productions, {})
