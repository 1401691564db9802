"""Productions × their source → nothing, or an error that names the rule: undefined references, rules without texts."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from frisket.errors import EmptyGrammarError, GrammarSyntaxError
from frisket.notations.production.ast import (
    Alt,
    Both,
    Chars,
    Except,
    Node,
    Octets,
    Productions,
    Reference,
    Repeat,
    Seq,
    Shortest,
    children,
)
from frisket.notations.production.source import Source


def check_productions(source: Source, productions: Productions, root: str) -> list[str]:
    """The rules that a text of the root may use, in order of first mention; all rules are defined and have texts."""
    if not productions:
        source.fail("the grammar has no rules")
    if root not in productions:
        raise GrammarSyntaxError(
            f"there is no rule {root}",
            where=source.where(source.end),
            hint=f"the root is a rule of the grammar: {_listed(productions)}",
        )
    _check_references(source, productions)
    reached = reachable(productions, root)
    _check_productive(source, productions, reached)
    return reached


def _check_references(source: Source, productions: Productions) -> None:
    for production in productions.values():
        if all(name in productions for name in production.calls):
            continue
        for node in production.nodes:
            if isinstance(node, Reference) and node.name not in productions:
                near = difflib.get_close_matches(node.name, productions, n=1)
                hint = f"is it {productions[near[0]].name}?" if near else f"the rules are {_listed(productions)}"
                source.fail(f"there is no rule {node.name}", node.at, hint)


def _listed(productions: Productions) -> str:
    names = [production.name for production in productions.values()]
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def reachable(productions: Productions, root: str) -> list[str]:
    """The rules that a text of the root may use, in order of first mention."""
    found = {root: None}
    agenda = [root]
    for name in agenda:
        for call in productions[name].calls:
            if call not in found:
                found[call] = None
                agenda.append(call)
    return list(found)


def _check_productive(source: Source, productions: Productions, reached: list[str]) -> None:
    """Every rule in use must have a text: one without is a mistake, even where another alternative has texts."""
    productive = set(derivable({name: productions[name] for name in reached}, needed_for_a_text))
    name = next((name for name in reached if name not in productive), None)
    if name is None:
        return
    # Follow the calls of rules without texts: they end at a rule that is to blame itself, most often in a cycle.
    passed: list[str] = []
    while name is not None and name not in passed:
        passed.append(name)
        calls = [node.name for node in productions[name].nodes if isinstance(node, Reference)]
        name = next((call for call in calls if call not in productive), None)
    blamed = productions[passed[-1] if name is None else name]
    error = EmptyGrammarError if reached[0] not in productive else GrammarSyntaxError
    raise error(
        f"the rule {blamed.name} matches nothing" + (": each of its texts would hold another one" if name else ""),
        where=source.where(blamed.at),
        excerpt=source.excerpt(blamed.at),
        hint="give it an alternative that ends" if name else "leave it out",
    )


def derivable(productions: Productions, needed: Callable[[Node], int | None]) -> list[str]:
    """The rules whose bodies hold, each one after those that it needs.

    `needed` is how many of a node's children must hold before the node does, None for never; a reference holds when
    its rule does. Most rules are decided by one look at each, called ones first; the others need more.
    """
    found: dict[str, None] = {}
    others: Productions = {}
    for name in _called_first(productions):
        production = productions[name]
        held: set[int] = set()
        for node in production.nodes:
            count = needed(node)
            if type(node) is Reference:
                holds = node.name in found
            else:
                holds = count == 0 or (
                    count is not None and len([1 for child in children(node) if id(child) in held]) >= count
                )
            if holds:
                held.add(id(node))
        if id(production.body) in held:
            found[name] = None
        elif production.calls:
            others[name] = production
    if others:
        _derive(others, needed, found)
    return list(found)


def _called_first(productions: Productions) -> list[str]:
    """All rules, each one after those that it calls unless these call it, too."""
    found: list[str] = []
    entered: set[str] = set()
    for first in productions:
        agenda = [(first, False)]
        while agenda:
            name, is_left = agenda.pop()
            if is_left:
                found.append(name)
            elif name not in entered and name in productions:
                entered.add(name)
                agenda.append((name, True))
                agenda += [(call, False) for call in productions[name].calls]
    return found


def _derive(productions: Productions, needed: Callable[[Node], int | None], found: dict[str, None]) -> None:
    """Add to `found`, the rules that hold without these, those of these that hold, too.

    Linear in the grammar (Dowling and Gallier 1984, Horn formulae).
    """
    parents: dict[int, list[Node | str]] = {}
    callers: dict[str, list[Node]] = {}
    missing: dict[int, int] = {}
    agenda: list[Node | str] = []
    for name, production in productions.items():
        parents.setdefault(id(production.body), []).append(name)
        for node in production.nodes:
            if id(node) in missing:
                continue
            for child in children(node):
                parents.setdefault(id(child), []).append(node)
            count = needed(node)
            missing[id(node)] = -1 if count is None else count
            if isinstance(node, Reference) and node.name not in found:
                callers.setdefault(node.name, []).append(node)
            elif count == 0 or isinstance(node, Reference):
                agenda.append(node)
    while agenda:
        held = agenda.pop()
        if isinstance(held, str):
            if held in found:
                continue
            found[held] = None
            agenda += callers.get(held, ())
            continue
        for parent in parents.get(id(held), ()):
            if isinstance(parent, str):
                agenda.append(parent)
                continue
            missing[id(parent)] -= 1
            if missing[id(parent)] == 0:
                agenda.append(parent)


def needed_for_a_text(node: Node) -> int | None:
    kind = type(node)
    if kind in _NEED_ALL:
        return len(children(node))
    if kind is Alt or kind is Reference:
        return 1
    if isinstance(node, Repeat):
        return min(node.low, 1)
    if isinstance(node, (Chars, Octets)):
        return 0 if node.ranges else None
    return 0


_NEED_ALL = (Seq, Except, Both, Shortest)
