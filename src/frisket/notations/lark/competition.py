"""Definitions × lazy rules → definitions in which a lazy rule ends the other terminals that may stand in its place.

Free text and a lazy rule that waits for `<tool>` may begin at one place, as in `(tool_call)* text`. Once `<tool>` is
there, the text is the lazy rule's: the other terminal has only texts in which the lazy rule would not have ended.

What may begin at one place is found along each rule: the alternatives of a choice, the next round of a repetition and
what follows it, the rules that are called there. Calls are replaced by bodies where lazy rules meet what follows.

A rule that calls itself is copied instead. What comes behind its left-recursive calls is not compared with what
follows the rule.

Source: github.com/guidance-ai/llguidance, docs/syntax.md, "Lazy lexemes" and "Tool calling".
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, TypeAlias

from frisket.notations.lark.ast import (
    Branch,
    Choice,
    Cut,
    Definition,
    LarkDialect,
    Name,
    Negation,
    Node,
    Regex,
    Repetition,
    Sequence,
    Span,
    Special,
    Substring,
    Text,
    children,
    postorder,
)
from frisket.notations.production.source import Source

Definitions: TypeAlias = dict[str, Definition]
#: Names of lazy rules.
Lazy: TypeAlias = frozenset[str]

_NONE: Lazy = frozenset()
#: Nodes that replacing calls and alternatives may make.
_MOST = 20_000
#: A repetition with an upper bound is written out as far as this where lazy rules meet it.
_MOST_ROUNDS = 16
#: Patterns that xgrammar takes for free text, in Python's dialect.
_FREE_TEXT = {r"(.|\n)*", r"(\n|.)*", r"(?:.|\n)*", r"(?:\n|.)*", r"(?s:.*)"}


class _Part(NamedTuple):
    """Items that were rewritten, and the lazy rules that may begin where they end."""

    node: Node
    open: Lazy


def is_lexeme(node: Node, definitions: Definitions) -> bool:
    """Whether the node is one terminal where a rule's body names it."""
    while isinstance(node, Negation):
        node = node.item
    if isinstance(node, Name):
        definition = definitions[node.name]
        return definition.is_terminal or definition.attributes.lazy_at is not None or definition.attributes.is_terminal
    return isinstance(node, (Text, Span, Regex, Substring, Cut))


class Competition:
    """Rewrites definitions; those without lazy rules stay as they are."""

    def __init__(self, source: Source, definitions: Definitions, dialect: LarkDialect) -> None:
        self.source = source
        self.known = definitions
        self.dialect = dialect
        self.made = 0
        #: Rules that call themselves, as they are beside lazy rules.
        self.copies: dict[tuple[str, Lazy, Lazy], str] = {}
        self.copied: Definitions = {}
        #: The rule that is rewritten, for errors.
        self.at = 0

    def definitions(self, start: str) -> Definitions:
        lazy = [name for name, found in self.known.items() if self.is_lazy(found)]
        if not lazy or start not in self.known:
            return self.known
        if self.dialect == "xgrammar":
            self.known = {**self.known, start: self.standalone(self.known[start])}
        self.find_first()
        found: Definitions = {}
        for name, definition in self.known.items():
            if definition.is_terminal or definition.attributes.lazy_at is not None:
                found[name] = definition
                continue
            self.at = definition.at
            try:
                body = self.sequence((definition.body,), _NONE, _NONE).node
            except RecursionError:
                self.source.fail("groups beside a lazy rule nest too deep", definition.at, "name some of them")
            found[name] = replace(definition, body=body)
        return found | self.copied

    def is_lazy(self, definition: Definition) -> bool:
        """Whether the rule ends at a text that others may go on behind; a special token is none."""
        body = definition.body
        last = body.items[-1] if isinstance(body, Sequence) and body.items else body
        ends_in_token = isinstance(last, Special) and definition.attributes.ending is None
        return definition.attributes.lazy_at is not None and not ends_in_token

    def standalone(self, start: Definition) -> Definition:
        """xgrammar: where free text up to a mark is all there is, the mark may be missing."""
        called = self.known.get(start.body.name) if isinstance(start.body, Name) else None
        if called is None or called.attributes.lazy_at is None:
            return start
        text = called.body.items[0] if isinstance(called.body, Sequence) and called.body.items else called.body
        if not self.is_free_text(text):
            return start
        return replace(start, body=Choice((Branch(start.body), Branch(text))))

    def is_free_text(self, node: Node) -> bool:
        while isinstance(node, Name) and node.name in self.known and self.known[node.name].is_terminal:
            node = self.known[node.name].body
        if not isinstance(node, Regex):
            return False
        return node.pattern in _FREE_TEXT or (node.pattern == ".*" and "s" in node.flags)

    # -- what may begin -------------------------------------------------------------------------------------------

    def find_first(self) -> None:
        """Which rules may have no terminal at all, which lazy rules may begin each, and which call themselves."""
        self.empty: set[str] = set()
        self.begins: dict[str, Lazy] = dict.fromkeys(self.known, _NONE)
        rules = [found for found in self.known.values() if not is_lexeme(Name(found.name, 0), self.known)]
        changed = True
        while changed:
            changed = False
            for rule in rules:
                begins, is_empty = self.first(rule.body), self.is_empty(rule.body)
                if begins != self.begins[rule.name] or is_empty != (rule.name in self.empty):
                    self.begins[rule.name] = begins
                    if is_empty:
                        self.empty.add(rule.name)
                    changed = True
        calls = {rule.name: self.called(rule.body) for rule in rules}
        self.recursive = {name for name in calls if name in _reached(calls, name)}
        lazy = {name for name, found in self.known.items() if self.is_lazy(found)}
        self.holds_lazy = {name for name in calls if (_reached(calls, name) | {name}) and self.holds(calls, name, lazy)}

    def called(self, body: Node) -> set[str]:
        names = {node.name for node in postorder(body) if isinstance(node, Name)}
        return {name for name in names if not is_lexeme(Name(name, 0), self.known)}

    def holds(self, calls: dict[str, set[str]], name: str, lazy: set[str]) -> bool:
        """Whether a lazy rule is called below the rule."""
        for rule in _reached(calls, name) | {name}:
            if any(isinstance(node, Name) and node.name in lazy for node in postorder(self.known[rule].body)):
                return True
        return False

    def first(self, node: Node) -> Lazy:
        """The lazy rules that may begin a text of the node."""
        if isinstance(node, Name):
            definition = self.known[node.name]
            return frozenset({node.name}) if self.is_lazy(definition) else self.begins[node.name]
        if is_lexeme(node, self.known):
            return _NONE
        if isinstance(node, Sequence):
            return self.first_of(node.items)
        return frozenset().union(*map(self.first, children(node)))

    def first_of(self, items: tuple[Node, ...]) -> Lazy:
        found = _NONE
        for item in items:
            found |= self.first(item)
            if not self.is_empty(item):
                break
        return found

    def is_empty(self, node: Node) -> bool:
        """Whether the node may have no terminal at all."""
        match node:
            case Name(name):
                return name in self.empty
            case Text(text):
                return not text
            case Sequence(items):
                return all(map(self.is_empty, items))
            case Choice(branches):
                return any(self.is_empty(branch.node) for branch in branches)
            case Repetition(item, low, _):
                return low == 0 or self.is_empty(item)
        return False

    # -- rewriting ------------------------------------------------------------------------------------------------

    def sequence(self, items: tuple[Node, ...], rivals: Lazy, follow: Lazy) -> _Part:
        """The items one after the other. `rivals` may begin where the first one does, `follow` behind the last one."""
        self.made += 1
        if self.made > _MOST:
            self.source.fail("lazy rules meet too many others", self.at, "give the lazy rules places of their own")
        if not items:
            return _Part(Sequence(()), rivals)
        item, rest = items[0], items[1:]
        after = self.first_of(rest) | (follow if all(map(self.is_empty, rest)) else _NONE)
        if isinstance(item, Sequence):
            return self.sequence((*item.items, *rest), rivals, follow)
        if is_lexeme(item, self.known) and not self.is_empty(item):
            return self.joined(self.cut(item, rivals), self.sequence(rest, _NONE, follow))
        if isinstance(item, Choice):
            return self.choice(item, rest, rivals, follow, after)
        if isinstance(item, Repetition):
            return self.repetition(item, rest, rivals, follow, after)
        if isinstance(item, Name) and self.must_open(item, rivals, after):
            if item.name not in self.recursive:
                return self.sequence((self.known[item.name].body, *rest), rivals, follow)
            return self.joined(self.copy(item, rivals, after), self.sequence(rest, _NONE, follow))
        open_ = rivals if self.is_empty(item) else _NONE
        return self.joined(item, self.sequence(rest, open_, follow))

    def must_open(self, item: Name, rivals: Lazy, after: Lazy) -> bool:
        """Whether a call must be replaced by the rule's body: lazy rules meet at its begin, within or at its end."""
        if item.name in self.recursive:
            return bool(rivals) or bool(self.begins[item.name] and self.is_empty(item))
        return bool(rivals or after or item.name in self.holds_lazy)

    def copy(self, item: Name, rivals: Lazy, after: Lazy) -> Name:
        """A call of a rule like the one that is called, as it is where the rivals may begin, too."""
        key = item.name, rivals, after
        name = self.copies.get(key)
        if name is None:
            name = self.copies[key] = f"{item.name} beside {', '.join(sorted(rivals))}"
            if name in self.copied:
                name = self.copies[key] = f"{name} before {', '.join(sorted(after))}"
            self.copied[name] = definition = replace(self.known[item.name], name=name)
            part = self.sequence((definition.body,), rivals, after)
            if part.open:
                self.source.fail(
                    f"a lazy rule may stand beside {item.name}, which calls itself, and behind its end, too",
                    item.at,
                    "put a text between them, or write the repetition with *",
                )
            self.copied[name] = replace(definition, body=part.node)
        return Name(name, item.at)

    def joined(self, node: Node, rest: _Part) -> _Part:
        items = rest.node.items if isinstance(rest.node, Sequence) else (rest.node,)
        return _Part(Sequence((node, *items)) if items else node, rest.open)

    def cut(self, item: Node, rivals: Lazy) -> Node:
        """The terminal without the texts in which a rival would have ended."""
        is_lazy = isinstance(item, Name) and self.is_lazy(self.known[item.name])
        rivals -= {item.name} if isinstance(item, Name) else _NONE
        if not rivals or (self.dialect == "xgrammar" and not self.is_free_text(item)):
            return item
        return Cut(item, tuple(sorted(rivals)), is_lazy, getattr(item, "at", self.at))

    def choice(self, item: Choice, rest: tuple[Node, ...], rivals: Lazy, follow: Lazy, after: Lazy) -> _Part:
        firsts = [
            self.first(branch.node) | (after if self.is_empty(branch.node) else _NONE) for branch in item.branches
        ]
        parts = []
        for number, branch in enumerate(item.branches):
            others = rivals.union(*(first for place, first in enumerate(firsts) if place != number))
            parts.append((branch.node, others, self.sequence((branch.node,), others, after)))
        if all(not self.is_empty(node) and not part.open for node, _, part in parts):
            tail = self.sequence(rest, _NONE, follow)
            return self.joined(Choice(tuple(Branch(part.node) for _, _, part in parts)), tail)
        # The rest depends on the alternative: it is written behind each.
        whole = [self.sequence((node, *rest), others, follow) for node, others, _ in parts]
        return _Part(Choice(tuple(Branch(part.node) for part in whole)), _NONE.union(*(part.open for part in whole)))

    def repetition(self, item: Repetition, rest: tuple[Node, ...], rivals: Lazy, follow: Lazy, after: Lazy) -> _Part:
        body, low, high = item.item, item.low, item.high
        begins = self.first(body)
        if not (begins | rivals | after) and not self.reaches_lazy(body):
            return self.joined(item, self.sequence(rest, _NONE, follow))
        if low > _MOST_ROUNDS or (high is not None and high > _MOST_ROUNDS):
            self.source.fail("lazy rules meet a repetition with large counts", self.at, "write * or +")
        if low:
            less = Repetition(body, low - 1, None if high is None else high - 1)
            return self.sequence((body, less, *rest), rivals, follow)
        if high is not None:
            more = Sequence((body, Repetition(body, 0, high - 1), *rest) if high > 1 else (body, *rest))
            branches = (more, Sequence(rest)) if high else (Sequence(rest),)
            return self.sequence((Choice(tuple(map(Branch, branches))),), rivals, follow)
        around = begins | after
        round_ = self.sequence((body,), after, around)
        if not round_.open <= begins:
            self.source.fail("lazy rules meet a repetition within a repetition", self.at, "write one repetition")
        loop = Repetition(round_.node, 0, None)
        if not rivals:
            return self.joined(loop, self.sequence(rest, begins, follow))
        none = self.sequence(rest, rivals | begins, follow)
        head = self.sequence((body,), rivals | after, around)
        some = self.joined(head.node, self.joined(loop, self.sequence(rest, begins, follow)))
        return _Part(Choice((Branch(none.node), Branch(some.node))), none.open | some.open)

    def reaches_lazy(self, body: Node) -> bool:
        names = [node.name for node in postorder(body) if isinstance(node, Name)]
        return any(name in self.holds_lazy or self.is_lazy(self.known[name]) for name in names)


def _reached(calls: dict[str, set[str]], name: str) -> set[str]:
    """The rules that are called below a rule, however far."""
    found: set[str] = set()
    agenda = [name]
    while agenda:
        for called in calls[agenda.pop()] - found:
            found.add(called)
            agenda.append(called)
    return found
