"""Ignored terminals × the terminals beside them → what may stand between two: each ignored text is the longest there.

`#[^\\n]*` before `b` goes on up to the end of the line, and `b` is part of it. A gap between two terminals ends where
nothing that may follow makes its last ignored text longer. Which gaps those are depends on the terminal: a comment may
stand before a line's end, and not before a word.

Gaps are sorted by what would make their last text longer, which is a state of its terminal's automaton. The gaps of one
kind are a regular language: the equations of a right-linear grammar are solved by elimination (Arden 1961).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from frisket.notations.lark.dfa import Automaton, either, joined
from frisket.notations.production import ast

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

_EACH_BYTE = [bytes([byte]) for byte in range(256)]
#: Most pairs of states that are searched for the end of a longer ignored text.
_MOST_PAIRS = 4_096
_BYTES = ((0, 255),)


class Inexact(Exception):
    """The end of an ignored text depends on more than the next terminal, or its terminal is too large."""


class Texts(NamedTuple):
    """A language, both as a production tree and as a node of the builder that compares languages."""

    tree: ast.Node
    node: int


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A terminal in a rule. `begins` are its first bytes where it is no regular language; None for one."""

    texts: Texts
    begins: frozenset[int] | None = None


class Separation(NamedTuple):
    """The gaps between terminals."""

    common: ast.Node
    """Behind any terminal."""
    lexemes: list[ast.Node | None]
    """Each terminal with the gaps that only it may have before it; None for one without such gaps."""
    last: ast.Node | None
    """Further gaps at the end of a text."""


def separate(
    builder: GrammarBuilder,
    lower: Callable[[ast.Node], int],
    ignored: list[ast.Node],
    lexemes: list[Lexeme],
    once: bool,
) -> Separation | None:
    """The gaps between the terminals; None if they are any ignored texts. Raises Inexact."""
    work = _Work(builder, lower)
    kinds = work.merged([kind for tree in ignored for kind in work.kinds(tree)])
    gaps = [Texts(tree, lower(tree)) for tree in work.gaps(kinds, once)]
    rests = [rest for _, rest in kinds]
    behind = [[work.without(lexeme, rest) for rest in rests] for lexeme in lexemes]
    common = {
        number
        for number in range(len(kinds))
        if all(left[number] == lexeme.texts for left, lexeme in zip(behind, lexemes, strict=True))
    }
    epsilon = builder.epsilon()
    shared = builder.alt([epsilon, *(gaps[number].node for number in common)])
    everything = builder.repeat(builder.alt([texts.node for texts, _ in kinds]), 0, 1 if once else None)
    if work.is_within(everything, shared):
        return None
    others = [number for number in range(len(kinds)) if number not in common]
    if not all(work.is_within(builder.cat([shared, gaps[number].node]), gaps[number].node) for number in others):
        common, others = set(), list(range(len(kinds)))
    return Separation(
        either([ast.Seq(()), *(gaps[number].tree for number in sorted(common))]),
        [
            _before(lexeme.texts, [(gaps[number].tree, left[number]) for number in others])
            for lexeme, left in zip(lexemes, behind, strict=True)
        ],
        either([gaps[number].tree for number in others]) if others else None,
    )


def _before(texts: Texts, gaps: Iterable[tuple[ast.Node, Texts | None]]) -> ast.Node | None:
    """A terminal, by itself or behind gaps with what is left of it there."""
    whole: list[ast.Node] = []
    parts: list[ast.Node] = []
    for gap, left in gaps:
        if left == texts:
            whole.append(gap)
        elif left is not None:
            parts.append(ast.Seq((gap, left.tree)))
    if whole:
        parts.append(ast.Seq((either(whole), texts.tree)))
    return ast.Alt((texts.tree, *parts)) if parts else None


class _Work:
    """Decides about languages with the nodes of one builder."""

    def __init__(self, builder: GrammarBuilder, lower: Callable[[ast.Node], int]) -> None:
        self.builder = builder
        self.lower = lower
        byte = builder.byte_class(_BYTES)
        self.any = builder.repeat(byte, 0, None)
        self.some = builder.repeat(byte, 1, None)
        self.empty = builder.empty()
        self._steps: dict[int, list[tuple[bytes, int]]] = {}

    def is_within(self, inner: int, outer: int) -> bool:
        return self.builder.disjoint(inner, self.builder.not_(outer))

    def kinds(self, tree: ast.Node) -> list[tuple[Texts, int]]:
        """The texts of an ignored terminal by what makes them longer."""
        whole = self.lower(tree)
        is_solid = not self.builder.accepts(whole, b"")
        node = whole if is_solid else self.builder.and_([whole, self.some])
        automaton = Automaton(self.builder, node)
        if not automaton.is_complete:
            raise Inexact
        found: dict[int, list[int]] = {}
        for state in automaton.accepting:
            rest = self.builder.and_([automaton.states[state], self.some])
            found.setdefault(rest, []).append(state)
        if len(found) == 1 and is_solid:
            return [(Texts(tree, node), rest) for rest in found]
        trees = [(automaton.tree(states), rest) for rest, states in found.items()]
        return [(Texts(part, self.lower(part)), rest) for part, rest in trees]

    def merged(self, kinds: list[tuple[Texts, int]]) -> list[tuple[Texts, int]]:
        """The kinds, with kinds of an equal rest merged."""
        found: dict[int, list[Texts]] = {}
        for texts, rest in kinds:
            found.setdefault(rest, []).append(texts)
        return [
            (Texts(either([one.tree for one in some]), self.builder.alt([one.node for one in some])), rest)
            for rest, some in found.items()
        ]

    def gaps(self, kinds: list[tuple[Texts, int]], once: bool) -> list[ast.Node]:
        """The gaps that end with a text of each kind."""
        begins: list[ast.Node] = [texts.tree for texts, _ in kinds]
        if once:
            return begins
        count = range(len(kinds))
        steps: dict[tuple[int, int], ast.Node] = {}
        for last in count:
            for number in count:
                left = self.without(Lexeme(kinds[number][0]), kinds[last][1])
                if left is not None:
                    steps[last, number] = left.tree

        def ended(tree: ast.Node, kind: int) -> list[ast.Node]:
            loop = steps.get((kind, kind))
            return [tree] if loop is None else [tree, ast.Repeat(loop, 0, None)]

        for kind in reversed(count):
            for to in range(kind):
                if (kind, to) not in steps:
                    continue
                begins[to] = either([begins[to], joined([*ended(begins[kind], kind), steps[kind, to]])])
                for start in range(kind):
                    if (start, kind) in steps:
                        way = joined([*ended(steps[start, kind], kind), steps[kind, to]])
                        steps[start, to] = either([steps[start, to], way]) if (start, to) in steps else way
        found: list[ast.Node] = []
        for kind in count:
            ways = [begins[kind]]
            ways += [joined([found[start], steps[start, kind]]) for start in range(kind) if (start, kind) in steps]
            found.append(joined(ended(either(ways), kind)))
        return found

    def without(self, lexeme: Lexeme, rest: int) -> Texts | None:
        """The texts of a terminal that make no ignored text before them longer; None if all do."""
        if rest == self.empty:
            return lexeme.texts
        if lexeme.begins is not None:
            return self._without_first(lexeme, lexeme.begins, rest)
        node = lexeme.texts.node
        longer = self.builder.cat([rest, self.any])
        if self.builder.disjoint(node, longer):
            self.check_end(node, rest)
            return lexeme.texts
        left = self.builder.and_([node, self.builder.not_(longer)])
        if left == self.empty:
            return None
        self.check_end(left, rest)
        automaton = Automaton(self.builder, left)
        if automaton.is_complete:
            return Texts(automaton.tree(automaton.accepting), left)
        automaton = Automaton(self.builder, longer)
        if not automaton.is_complete:
            raise Inexact
        excluded = ast.Complement(automaton.tree(automaton.accepting), 0)
        return Texts(ast.Both((lexeme.texts.tree, excluded), 0), left)

    def _without_first(self, lexeme: Lexeme, begins: frozenset[int], rest: int) -> Texts | None:
        """`without`, decided by the first byte alone."""
        common = [data for data, _ in self.steps(rest) if data[0] in begins]
        if not common:
            return lexeme.texts
        if len(common) == len(begins) and all(self.builder.accepts(rest, bytes([byte])) for byte in begins):
            return None
        raise Inexact

    def steps(self, node: int) -> list[tuple[bytes, int]]:
        """Each byte that a text of the node begins with, and the node of what follows it."""
        if node not in self._steps:
            steps = [(data, self.builder.after(node, data)) for data in _EACH_BYTE]
            self._steps[node] = [(data, further) for data, further in steps if further != self.empty]
        return self._steps[node]

    def check_end(self, node: int, rest: int) -> None:
        """Inexact if a text of the node ends before it is known whether it makes the ignored text longer."""
        builder = self.builder
        agenda = [(node, rest)]
        seen = set(agenda)
        for texts, longer in agenda:
            for data, further in self.steps(longer):
                left = builder.after(texts, data)
                if left == self.empty:
                    continue
                if builder.accepts(left, b"") or len(seen) > _MOST_PAIRS:
                    raise Inexact
                if (left, further) not in seen:
                    seen.add((left, further))
                    agenda.append((left, further))
