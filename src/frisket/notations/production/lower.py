"""Productions × GrammarBuilder → the node of exactly the root's texts.

Rules that call no rule in a cycle and name no token are regular. A small one becomes one regular node, which stands
wherever the rule is called; all others become rules of the engine, which keep their masks apart.

Where rules are recursive, a name of any length stays apart from what stands beside it. Its mask is the dearest of a
programming language, and in a larger regular node it would be made again for everything that may follow.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from frisket.errors import EmptyGrammarError, GrammarSyntaxError
from frisket.notations.production.ast import (
    Alt,
    Both,
    Chars,
    Complement,
    Embedded,
    Except,
    Node,
    Octets,
    Pattern,
    Production,
    Productions,
    Reference,
    Repeat,
    Seq,
    Shortest,
    Text,
    Token,
    children,
    postorder,
)
from frisket.notations.production.check import check_productions, derivable, needed_for_a_text
from frisket.notations.production.name import is_name, is_optional
from frisket.notations.production.source import Source
from frisket.notations.regex import lower_part
from frisket.notations.regex.lower import prepared
from frisket.notations.regex.measure import ends_in_name

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

#: Leaves of a concatenation that becomes one regular node. Beyond, its parts stay apart and share their masks.
SMALL = 64


def lower_productions(builder: GrammarBuilder, source: Source, productions: Productions, root: str) -> int:
    """The node of a rule; GrammarError, with its name, for a rule that is not defined or has no text."""
    reached = {name: productions[name] for name in check_productions(source, productions, root)}
    lowering = _Lowering(builder, source, reached)
    node = lowering.whole(root)
    if any(type(part) in _MAY_BE_EMPTY for production in reached.values() for part in production.nodes):
        lowering.check_empty(root)
    return node


#: What may have no text although its parts have some.
_MAY_BE_EMPTY = (Both, Complement, Shortest, Pattern, Embedded)


def _regular(productions: Productions) -> list[str]:
    """The rules that lead into no circle of calls and to no token, each one after those that it calls.

    Linear in the grammar (Kahn 1962).
    """
    callers: dict[str, list[str]] = {}
    missing: dict[str, int] = {}
    found: list[str] = []
    for name, production in productions.items():
        if any(type(node) is Token or (type(node) is Embedded and not node.is_regular) for node in production.nodes):
            continue
        missing[name] = len(production.calls)
        for call in production.calls:
            callers.setdefault(call, []).append(name)
        if not production.calls:
            found.append(name)
    for name in found:
        for caller in callers.get(name, ()):
            missing[caller] -= 1
            if missing[caller] == 0:
                found.append(caller)
    return found


def _needed_to_be_nullable(node: Node) -> int | None:
    """As for a text; of what only its automaton knows, the answer is that it may be."""
    match node:
        case Text() | Chars() | Octets() | Token():  # no text is empty: that is a sequence of nothing
            return None
        case Except():
            return 1
        case Both() | Complement() | Shortest():
            return 0
    return needed_for_a_text(node)


class _Lowered(NamedTuple):
    node: int
    #: Leaves of a regular node that joins others; None for all that stays apart.
    size: int | None
    #: Leaves if no name stayed apart; None if something else does.
    joined: int | None = None
    #: Whether a text may begin with a name.
    begins_with_name: bool = False


class _Lowering:
    """Bodies → nodes. A regular node has at most `small` leaves; without that limit, only regular rules are known."""

    def __init__(self, builder: GrammarBuilder, source: Source, productions: Productions, small: float = SMALL) -> None:
        self.builder = builder
        self.source = source
        self.productions = productions
        self.small = small
        #: What other notations say. It is lowered while no rule waits for its body: they may ask whether it is empty.
        self.embedded = {
            id(node): node.lower(builder)
            for production in productions.values()
            for node in production.nodes
            if type(node) is Embedded
        }
        self.patterns: dict[tuple[str, str], int] = {}
        self.rules: dict[str, _Lowered] = {}
        regular = _regular(productions)
        self.has_names = small < math.inf and len(regular) < len(productions)
        for name in regular:
            self.rules[name] = self._named(name)

    def whole(self, root: str) -> int:
        """The node of a rule, after those of all others."""
        builder = self.builder
        structural = [name for name in self.productions if name not in self.rules]
        for name in structural:
            self.rules[name] = _Lowered(builder.rule(self.productions[name].name), None)
        for name in structural:
            builder.define(self.rules[name].node, self._body(self.productions[name].nodes).node)
        return self.rules[root].node

    def check_empty(self, root: str) -> None:
        """An error if the root has no text; it names the rule that is to blame."""
        builder = self.builder
        if not builder.is_empty(self.rules[root].node):
            return
        name = next(name for name in reversed(self.productions) if builder.is_empty(self.rules[name].node))
        blamed = self.productions[name]
        raise EmptyGrammarError(
            f"the rule {blamed.name} matches nothing",
            where=self.source.where(blamed.at),
            excerpt=self.source.excerpt(blamed.at),
            hint="what is asked of its texts excludes all of them",
        )

    def _named(self, name: str) -> _Lowered:
        """What a call of a rule without recursion becomes: its body, or a rule of the engine if that is large."""
        production = self.productions[name]
        body = self._body(production.nodes)
        if body.size is not None:
            return body
        rule = self.builder.rule(production.name)
        self.builder.define(rule, body.node)
        return _Lowered(rule, None, body.joined, body.begins_with_name)

    def _body(self, nodes: list[Node]) -> _Lowered:
        """The node of a body, given in postorder."""
        lowered: dict[int, _Lowered] = {}
        for node in nodes:
            if id(node) not in lowered:
                lowered[id(node)] = self._node(node, [lowered[id(child)] for child in children(node)])
        return lowered[id(nodes[-1])]

    def _node(self, node: Node, below: list[_Lowered]) -> _Lowered:
        builder = self.builder
        if isinstance(node, Reference):
            return self.rules[node.name]
        if isinstance(node, (Seq, Alt, Repeat)):
            nodes = [part.node for part in below]
            size, joined = self._size([part.size for part in below]), self._size([part.joined for part in below])
            if isinstance(node, Seq):
                is_whole_name = size is None and joined is not None and is_name(node)
                # Behind what may be empty, a text begins with the next part.
                solid = next((at for at, item in enumerate(node.items) if not is_optional(item)), len(below))
                begins = is_whole_name or any(part.begins_with_name for part in below[: solid + 1])
                is_regular = is_whole_name or size is not None
                return _Lowered(builder.cat(nodes) if is_regular else builder.seq(nodes), size, joined, begins)
            begins = any(part.begins_with_name for part in below)
            if isinstance(node, Alt):
                return _Lowered(builder.alt(nodes), size, joined, begins)
            if begins and joined is not None and node.high != 1:
                # A loop whose rounds may begin within a name is one regular language, which has masks of its own.
                nodes, size = [self._join(node.item).node], joined
            elif self.has_names and size is not None and is_name(node):
                size, begins = None, True
            return _Lowered(builder.repeat(nodes[0], node.low, node.high), size, joined, begins)
        match node:
            case Text(text):
                return _Lowered(builder.literal(text.encode()), 1, 1)
            case Pattern(pattern, flags):
                made = self._pattern(node)
                is_apart = self.has_names and ends_in_name(prepared(pattern, "python", flags)[0])
                return _Lowered(made, None if is_apart else 1, 1, is_apart)
            case Chars(ranges):
                return _Lowered(builder.char_class(ranges), 1, 1)
            case Octets(ranges):
                return _Lowered(builder.byte_class(ranges), 1, 1)
            case Token(name):
                return _Lowered(builder.special(name), None)
            case Embedded(_, is_regular, _):
                size = 1 if is_regular else None
                return _Lowered(self.embedded[id(node)], size, size)
            case Except():
                return self._except(node, below)
        return self._operator(node, below)

    def _size(self, sizes: list[int | None]) -> int | None:
        """Leaves of the regular node that parts make; None if they stay apart."""
        total = 0
        for size in sizes:
            if size is None:
                return None
            total += size
        return total if total <= self.small else None

    @cached_property
    def _joined(self) -> _Lowering:
        """The regular rules as one regular node each, however large: exceptions are between such nodes."""
        regular = {name: self.productions[name] for name in _regular(self.productions)}
        return _Lowering(self.builder, self.source, regular, math.inf)

    def _join(self, node: Node) -> _Lowered:
        """The regular node of one side of an exception, if it has one."""
        try:
            return self._joined._body(postorder(node))
        except KeyError:  # it calls a rule that is not regular
            return _Lowered(0, None)

    def _pattern(self, node: Pattern) -> int:
        key = node.pattern, node.flags
        known = self.patterns.get(key)
        if known is not None:
            return known
        try:
            known = self.patterns[key] = lower_part(self.builder, node.pattern, flags=node.flags)
            return known
        except GrammarSyntaxError as error:
            self.source.fail(error.message, node.at, error.hint)

    def _joined_sides(self, node: Node, below: list[_Lowered]) -> list[_Lowered]:
        """The operands of an operator between regular parts, each as one regular node if it is one."""
        if any(part.size is None for part in below) and self.small < math.inf:
            return [self._join(side) for side in children(node)]
        return below

    def _operator(self, node: Both | Complement | Shortest, below: list[_Lowered]) -> _Lowered:
        builder, is_apart = self.builder, any(part.size is None for part in below)
        below = self._joined_sides(node, below)
        size = 0
        for part in below:
            if part.size is None:
                self.source.fail(
                    "this is exact only of regular parts, and here a rule calls itself or names a token", node.at
                )
            size += part.size
        nodes = [part.node for part in below]
        if isinstance(node, Both):
            return _Lowered(builder.and_(nodes), None if is_apart else size, size, is_apart)
        if isinstance(node, Complement):
            return _Lowered(builder.not_(nodes[0]), size, size)
        longer = builder.cat([nodes[0], builder.repeat(builder.byte_class([(0, 255)]), 1)])
        return _Lowered(builder.and_([nodes[0], builder.not_(longer)]), size, size)

    def _except(self, node: Except, below: list[_Lowered]) -> _Lowered:
        item, excluded = self._joined_sides(node, below)
        if item.size is None and isinstance(node.excluded, Seq) and not node.excluded.items:
            probe = {**self.productions, "": Production("", node.item, node.at)}
            if "" not in derivable(probe, _needed_to_be_nullable):
                return self._body(postorder(node.item))  # the empty text is none of its texts
        if item.size is None or excluded.size is None:
            self.source.fail(
                "an exception is exact only between regular parts, and here a rule calls itself or names a token",
                node.at,
                "exclude characters or words, not whole constructs",
            )
        difference = self.builder.and_([item.node, self.builder.not_(excluded.node)])
        if self.builder.is_empty(difference):
            self.source.fail("the exception leaves nothing", node.at, "exclude less")
        size = item.size + excluded.size
        return _Lowered(difference, size, size)
