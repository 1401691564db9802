"""Productions × GrammarBuilder → the node of exactly the root's texts.

Rules that call no rule in a cycle and name no token are regular. A small one becomes one regular node, which stands
wherever the rule is called; all others become rules of the engine, which keep their masks apart.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frisket.errors import EmptyGrammarError, GrammarSyntaxError
from frisket.notations.production.ast import (
    Alt,
    Chars,
    Except,
    Node,
    Octets,
    Productions,
    Reference,
    Regex,
    Repeat,
    Seq,
    Text,
    Token,
    children,
    postorder,
)
from frisket.notations.production.source import Source
from frisket.notations.regex import lower_regex

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

#: Leaves of a concatenation that becomes one regular node. Beyond, its parts stay apart and share their masks.
SMALL = 64


def lower_productions(builder: GrammarBuilder, source: Source, productions: Productions, root: str) -> int:
    """The node of a rule; GrammarSyntaxError for a rule that is not defined, EmptyGrammarError for one without texts."""
    if root not in productions:
        raise GrammarSyntaxError(
            f"there is no rule {root}",
            where=source.where(source.end),
            hint=f"the root is a rule of the grammar: {_listed(productions)}" if productions else "define it",
        )
    _check_references(source, productions)
    reached = _reachable(productions, root)
    _check_productive(source, productions, reached)
    return _Lowering(builder, source, {name: productions[name] for name in reached}).whole(root)


def _check_references(source: Source, productions: Productions) -> None:
    for production in productions.values():
        for node in postorder(production.body):
            if isinstance(node, Reference) and node.name not in productions:
                near = difflib.get_close_matches(node.name, productions, n=1)
                hint = f"is it {productions[near[0]].name}?" if near else f"the rules are {_listed(productions)}"
                source.fail(f"there is no rule {node.name}", node.at, hint)


def _listed(productions: Productions) -> str:
    names = [production.name for production in productions.values()]
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def _reachable(productions: Productions, root: str) -> list[str]:
    """The rules that a text of the root may use, in order of first mention."""
    found = {root: None}
    agenda = [root]
    for name in agenda:
        for node in reversed(postorder(productions[name].body)):
            if isinstance(node, Reference) and node.name not in found:
                found[node.name] = None
                agenda.append(node.name)
    return list(found)


def _check_productive(source: Source, productions: Productions, reached: list[str]) -> None:
    """Every rule in use must have a text: one without is a mistake, even where another alternative has texts."""
    productive = set(derivable({name: productions[name] for name in reached}, _needed_for_a_text))
    name = next((name for name in reached if name not in productive), None)
    if name is None:
        return
    # Follow the calls of rules without texts: they end at a rule that is to blame itself, most often in a cycle.
    passed: list[str] = []
    while name is not None and name not in passed:
        passed.append(name)
        calls = [node.name for node in postorder(productions[name].body) if isinstance(node, Reference)]
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
    its rule does. Linear in the grammar (Dowling and Gallier 1984, Horn formulae).
    """
    parents: dict[int, list[Node | str]] = {}
    callers: dict[str, list[Node]] = {}
    missing: dict[int, int] = {}
    agenda: list[Node | str] = []
    for name, production in productions.items():
        parents.setdefault(id(production.body), []).append(name)
        for node in postorder(production.body):
            if id(node) in missing:
                continue
            for child in children(node):
                parents.setdefault(id(child), []).append(node)
            count = needed(node)
            missing[id(node)] = -1 if count is None else count
            if isinstance(node, Reference):
                callers.setdefault(node.name, []).append(node)
            elif count == 0:
                agenda.append(node)
    found: dict[str, None] = {}
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
    return list(found)


def _needed_for_a_text(node: Node) -> int | None:
    match node:
        case Seq(items):
            return len(items)
        case Alt():
            return 1
        case Repeat(_, low, _):
            return min(low, 1)
        case Except():
            return 2
        case Reference():
            return 1
        case Chars(ranges) | Octets(ranges):
            return 0 if ranges else None
    return 0


def _needed_to_be_regular(node: Node) -> int | None:
    if isinstance(node, Token):
        return None
    return 1 if isinstance(node, Reference) else len(children(node))


@dataclass(frozen=True, slots=True)
class _Lowered:
    node: int
    #: The regular node of the same texts; None where there is none.
    regular: int | None
    #: Leaves of the regular node.
    size: int


class _Lowering:
    def __init__(self, builder: GrammarBuilder, source: Source, productions: Productions) -> None:
        self.builder = builder
        self.source = source
        self.productions = productions
        self.rules: dict[str, _Lowered] = {}

    def whole(self, root: str) -> int:
        builder = self.builder
        for name in derivable(self.productions, _needed_to_be_regular):
            self.rules[name] = self._body(self.productions[name].body)
        structural = [name for name in self.productions if name not in self.rules]
        for name in structural:
            self.rules[name] = _Lowered(builder.rule(self.productions[name].name), None, 0)
        for name in structural:
            builder.define(self.rules[name].node, self._body(self.productions[name].body).node)
        return self.rules[root].node

    def _body(self, body: Node) -> _Lowered:
        lowered: dict[int, _Lowered] = {}
        for node in postorder(body):
            if id(node) not in lowered:
                lowered[id(node)] = self._node(node, [lowered[id(child)] for child in children(node)])
        return lowered[id(body)]

    def _node(self, node: Node, below: list[_Lowered]) -> _Lowered:
        builder = self.builder
        match node:
            case Text(text):
                return _leaf(builder.literal(text.encode()))
            case Chars(ranges):
                return _leaf(builder.char_class(ranges))
            case Octets(ranges):
                return _leaf(builder.byte_class(ranges))
            case Regex(pattern, at):
                return _leaf(self._regex(pattern, at))
            case Token(name):
                return _Lowered(builder.special(name), None, 0)
            case Reference(name, _):
                return self.rules[name]
            case Except():
                return self._except(node, *below)
            case Repeat(_, low, high):
                return self._of(below, lambda parts: builder.repeat(parts[0], low, high))
            case Alt():
                return self._of(below, builder.alt)
        return self._of(below, builder.seq, regularly=builder.cat)

    def _of(
        self,
        below: list[_Lowered],
        make: Callable[[list[int]], int],
        regularly: Callable[[list[int]], int] | None = None,
    ) -> _Lowered:
        """What `make` makes of the parts; `regularly` (else `make`) of their regular nodes, if all have one."""
        parts = [part.regular for part in below if part.regular is not None]
        regular = (regularly or make)(parts) if len(parts) == len(below) else None
        size = sum(part.size for part in below)
        small = regular is not None and size <= SMALL
        return _Lowered(regular if small else make([part.node for part in below]), regular, size)

    def _regex(self, pattern: str, at: int) -> int:
        try:
            return lower_regex(self.builder, pattern)
        except GrammarSyntaxError as error:
            self.source.fail(error.message, at, error.hint)

    def _except(self, node: Except, item: _Lowered, excluded: _Lowered) -> _Lowered:
        if item.regular is None or excluded.regular is None:
            self.source.fail(
                "an exception is exact only between regular parts, and here a rule calls itself",
                node.at,
                "exclude characters or words, not whole constructs",
            )
        difference = self.builder.and_([item.regular, self.builder.not_(excluded.regular)])
        if self.builder.is_empty(difference):
            self.source.fail("the exception leaves nothing", node.at, "exclude less")
        return _Lowered(difference, difference, item.size + excluded.size)


def _leaf(node: int) -> _Lowered:
    return _Lowered(node, node, 1)
