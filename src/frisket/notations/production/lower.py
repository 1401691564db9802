"""Productions × GrammarBuilder → the node of exactly the root's texts.

Rules that call no rule in a cycle and name no token are regular. A small one becomes one regular node, which stands
wherever the rule is called; all others become rules of the engine, which keep their masks apart.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from frisket.errors import EmptyGrammarError, GrammarSyntaxError
from frisket.notations.production.ast import (
    Alt,
    Chars,
    Except,
    Node,
    Octets,
    Production,
    Productions,
    Reference,
    Repeat,
    Seq,
    Text,
    Token,
    children,
    postorder,
)
from frisket.notations.production.source import Source

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

#: Leaves of a concatenation that becomes one regular node. Beyond, its parts stay apart and share their masks.
SMALL = 64


def lower_productions(builder: GrammarBuilder, source: Source, productions: Productions, root: str) -> int:
    """The node of a rule; GrammarError, with its name, for a rule that is not defined or has no text."""
    if not productions:
        source.fail("the grammar has no rules")
    if root not in productions:
        raise GrammarSyntaxError(
            f"there is no rule {root}",
            where=source.where(source.end),
            hint=f"the root is a rule of the grammar: {_listed(productions)}",
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


def _needed_to_be_nullable(node: Node) -> int | None:
    """As for a text; of an exception the answer is that it may be."""
    match node:
        case Text(text):
            return None if text else 0
        case Chars() | Octets() | Token():
            return None
        case Except():
            return 1
    return _needed_for_a_text(node)


@dataclass(frozen=True, slots=True)
class _Lowered:
    node: int
    #: Leaves of a regular node that joins others; None for all that stays apart.
    size: int | None


class _Lowering:
    """Bodies → nodes. A regular node has at most `small` leaves; without that limit, only regular rules are known."""

    def __init__(self, builder: GrammarBuilder, source: Source, productions: Productions, small: float = SMALL) -> None:
        self.builder = builder
        self.source = source
        self.productions = productions
        self.small = small
        self.rules: dict[str, _Lowered] = {}
        for name in derivable(productions, _needed_to_be_regular):
            self.rules[name] = self._named(name)

    def whole(self, root: str) -> int:
        """The node of a rule, after those of all others."""
        builder = self.builder
        structural = [name for name in self.productions if name not in self.rules]
        for name in structural:
            self.rules[name] = _Lowered(builder.rule(self.productions[name].name), None)
        for name in structural:
            builder.define(self.rules[name].node, self._body(self.productions[name].body).node)
        return self.rules[root].node

    def _named(self, name: str) -> _Lowered:
        """What a call of a rule without recursion becomes: its body, or a rule of the engine if that is large."""
        production = self.productions[name]
        body = self._body(production.body)
        if body.size is not None:
            return body
        rule = self.builder.rule(production.name)
        self.builder.define(rule, body.node)
        return _Lowered(rule, None)

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
                return _Lowered(builder.literal(text.encode()), 1)
            case Chars(ranges):
                return _Lowered(builder.char_class(ranges), 1)
            case Octets(ranges):
                return _Lowered(builder.byte_class(ranges), 1)
            case Token(name):
                return _Lowered(builder.special(name), None)
            case Reference(name, _):
                return self.rules[name]
            case Except():
                return self._except(node, below)
        nodes, size = [part.node for part in below], self._size(below)
        if isinstance(node, Repeat):
            return _Lowered(builder.repeat(nodes[0], node.low, node.high), size)
        if isinstance(node, Alt):
            return _Lowered(builder.alt(nodes), size)
        return _Lowered(builder.seq(nodes) if size is None else builder.cat(nodes), size)

    def _size(self, parts: list[_Lowered]) -> int | None:
        """Leaves of the regular node that the parts make; None if they stay apart."""
        total = 0
        for part in parts:
            if part.size is None:
                return None
            total += part.size
        return total if total <= self.small else None

    @cached_property
    def _joined(self) -> _Lowering:
        """The regular rules as one regular node each, however large: exceptions are between such nodes."""
        regular = derivable(self.productions, _needed_to_be_regular)
        return _Lowering(self.builder, self.source, {name: self.productions[name] for name in regular}, math.inf)

    def _join(self, node: Node) -> _Lowered:
        """The regular node of one side of an exception, if it has one."""
        try:
            return self._joined._body(node)
        except KeyError:  # it calls a rule that is not regular
            return _Lowered(0, None)

    def _except(self, node: Except, below: list[_Lowered]) -> _Lowered:
        if any(part.size is None for part in below) and self.small < math.inf:
            below = [self._join(side) for side in children(node)]
        item, excluded = below
        if item.size is None and isinstance(node.excluded, Seq) and not node.excluded.items:
            probe = {**self.productions, "": Production("", node.item, node.at)}
            if "" not in derivable(probe, _needed_to_be_nullable):
                return self._body(node.item)  # the empty text is none of its texts
        if item.size is None or excluded.size is None:
            self.source.fail(
                "an exception is exact only between regular parts, and here a rule calls itself or names a token",
                node.at,
                "exclude characters or words, not whole constructs",
            )
        difference = self.builder.and_([item.node, self.builder.not_(excluded.node)])
        if self.builder.is_empty(difference):
            self.source.fail("the exception leaves nothing", node.at, "exclude less")
        return _Lowered(difference, item.size + excluded.size)
