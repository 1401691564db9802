"""Definitions → nothing, or an error at a terminal or lazy rule that is no single regular language."""

from __future__ import annotations

from frisket.notations.lark.ast import Definition, Name, Nested, Schema, Sequence, Special, is_terminal, postorder
from frisket.notations.production.source import Source


def check_terminals(source: Source, definitions: dict[str, Definition]) -> None:
    """Terminals and lazy rules are made of terminals alone, and no terminal holds itself."""
    for definition in definitions.values():
        _check_terminal(source, definition)
    _check_recursion(source, definitions)


def _check_terminal(source: Source, definition: Definition) -> None:
    """A terminal or lazy rule may refer to terminals only."""
    attributes = definition.attributes
    is_lazy = attributes.lazy_at is not None or attributes.is_terminal
    if not (definition.is_terminal or is_lazy):
        return
    what = "a terminal" if definition.is_terminal else "a lazy rule"
    nodes = postorder(definition.body)
    ends = definition.body.items[-1:] if isinstance(definition.body, Sequence) else (definition.body,)
    for node in nodes:
        if isinstance(node, Name) and not is_terminal(node.name):
            source.fail(f"{what} calls no rules, and {node.name} is one", node.at, "begin its name with a capital")
        if isinstance(node, (Special, Schema, Nested)):
            if is_lazy and isinstance(node, Special) and node in ends and attributes.ending is None:
                continue
            name = {Special: "a special token", Schema: "%json", Nested: "%lark"}[type(node)]
            source.fail(f"{name} stands in rules only", node.at, "begin the definition's name with a small letter")


def _check_recursion(source: Source, definitions: dict[str, Definition]) -> None:
    """No terminal may lead back to itself."""
    done: set[str] = set()
    for first in [name for name in definitions if is_terminal(name)]:
        path: list[str] = []
        agenda: list[tuple[str, int, bool]] = [(first, definitions[first].at, False)]
        while agenda:
            name, at, is_left = agenda.pop()
            if is_left:
                done.add(path.pop())
            elif name in path:
                circle = " → ".join([*path[path.index(name) :], name])
                source.fail(f"the terminal {name} holds itself: {circle}", at, "only rules may be recursive")
            elif name not in done:
                path.append(name)
                agenda.append((name, at, True))
                body = postorder(definitions[name].body)
                agenda += [(node.name, node.at, False) for node in body if isinstance(node, Name)]
