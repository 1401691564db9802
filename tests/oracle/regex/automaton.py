"""Tree × GrammarBuilder → a regular node by way of a deterministic automaton: slow, general, bounded.

Lookarounds may stand anywhere, in loops too. A state is a set of branches; a branch is a place in the pattern and the
lookaheads that are still being checked beside it, each a state of its own, so a negative one is only read the other way
round. A branch is followed through what consumes nothing when the character before and the character after are both
known, which settles anchors and word boundaries. Lookbehinds run along from the start of the text. The automaton is
minimized and its states are eliminated one by one, which leaves a node.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tests.oracle.regex import unicode
from tests.oracle.regex.ast import (
    After,
    Alt,
    Before,
    Boundary,
    Chars,
    FinalNewline,
    Look,
    Node,
    Repeat,
    Seq,
    Text,
)
from tests.oracle.regex.unicode import CharSet

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


class TooManyStates(Exception):
    """The automaton would be too large, or the tree is beyond it."""


def lower_automaton(builder: GrammarBuilder, tree: Node, search: bool) -> int:
    """A regular node of the texts that match the tree, as a whole or somewhere inside.

    Raises TooManyStates where the automaton would be too large to be worth it.
    """
    program = _Program()
    end = program.add(_End())
    start = program.compile(tree, program.add(_Accept()) if search else end)
    if search:
        start = program.any_before(start)
    machine = _Machine(program, start)
    return _eliminate(builder, *machine.minimized())


_MOST_PLACES = 600
_MOST_STATES = 400
_MOST_MINIMAL = 60
_MOST_MOVES = 50_000
_DEEPEST_LOOK = 3
_MOST_PATHS = 5_000


# -- the pattern as places that follow one another --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _End:
    """Matches at the end of the text; for a lookbehind, at the position it is asked about."""


@dataclass(frozen=True, slots=True)
class _Accept:
    """Matches whatever follows."""


@dataclass(frozen=True, slots=True)
class _Char:
    ranges: CharSet
    next: int


@dataclass(slots=True)
class _Fork:
    next: list[int]


@dataclass(frozen=True, slots=True)
class _Neighbour:
    ranges: CharSet
    edge: bool
    ahead: bool
    next: int


@dataclass(frozen=True, slots=True)
class _Ahead:
    start: int
    negative: bool
    next: int


@dataclass(frozen=True, slots=True)
class _Behind:
    """`tracker` is the number of a lookbehind's own run from the start of the text."""

    tracker: int
    negative: bool
    next: int


_Place: TypeAlias = _End | _Accept | _Char | _Fork | _Neighbour | _Ahead | _Behind


class _Program:
    def __init__(self) -> None:
        self.places: list[_Place] = []
        self.trackers: list[int] = []
        self.inside = ""
        self.depth = 0

    def add(self, place: _Place) -> int:
        if len(self.places) >= _MOST_PLACES:
            raise TooManyStates
        self.places.append(place)
        return len(self.places) - 1

    def any_before(self, start: int) -> int:
        fork = _Fork([start])
        place = self.add(fork)
        fork.next.append(self.add(_Char(unicode.ALL, place)))
        return place

    def compile(self, node: Node, then: int) -> int:
        """The place from which the tree, followed by `then`, is matched."""
        if isinstance(node, Text):
            for char in reversed(node.text):
                then = self.add(_Char(((ord(char), ord(char)),), then))
            return then
        if isinstance(node, Chars):
            return self.add(_Char(node.ranges, then))
        if isinstance(node, Seq):
            for item in reversed(node.items):
                then = self.compile(item, then)
            return then
        if isinstance(node, Alt):
            return self.add(_Fork([self.compile(item, then) for item in node.items]))
        if isinstance(node, Repeat):
            return self.repeat(node, then)
        if isinstance(node, (Before, After)):
            return self.add(_Neighbour(node.ranges, node.edge, isinstance(node, After), then))
        if isinstance(node, Boundary):
            return self.boundary(node, then)
        if isinstance(node, FinalNewline):
            if self.inside == "behind":
                raise TooManyStates
            newline = self.add(_Char(unicode.NEWLINE, self.add(_End())))
            check = self.add(_Fork([self.add(_End()), newline]))
            return self.add(_Ahead(check, False, then))
        if isinstance(node, Look):
            return self.look(node, then)
        raise TooManyStates

    def repeat(self, node: Repeat, then: int) -> int:
        if max(node.low, node.high or 0) > _MOST_PLACES:
            raise TooManyStates
        if node.high is None:
            fork = _Fork([then])
            then = self.add(fork)
            fork.next.append(self.compile(node.item, then))
        else:
            end = then
            for _ in range(node.high - node.low):
                then = self.add(_Fork([end, self.compile(node.item, then)]))
        for _ in range(node.low):
            then = self.compile(node.item, then)
        return then

    def boundary(self, node: Boundary, then: int) -> int:
        inside, outside = node.word, unicode.complement(node.word)
        into = self.add(_Neighbour(inside, False, True, then))
        out = self.add(_Neighbour(outside, True, True, then))
        if node.negative:
            into, out = out, into
        return self.add(
            _Fork([self.add(_Neighbour(outside, True, False, into)), self.add(_Neighbour(inside, False, False, out))])
        )

    def look(self, node: Look, then: int) -> int:
        outer = self.inside
        if node.ahead:
            if outer == "behind" or self.depth == _DEEPEST_LOOK:
                raise TooManyStates
            self.inside = "ahead"
            self.depth += 1
            start = self.compile(node.item, self.add(_Accept()))
            self.depth -= 1
            self.inside = outer
            return self.add(_Ahead(start, node.negative, then))
        if outer == "behind":
            raise TooManyStates
        self.inside = "behind"
        start = self.any_before(self.compile(node.item, self.add(_End())))
        self.inside = outer
        self.trackers.append(start)
        return self.add(_Behind(len(self.trackers) - 1, node.negative, then))


# -- running it -------------------------------------------------------------------------------------------------------

# A branch: its place and the lookaheads still being checked, as (negative, state). A state: its branches.
_Branch: TypeAlias = "tuple[int, frozenset[tuple[bool, _State]]]"
_State: TypeAlias = "frozenset[_Branch]"
_Context: TypeAlias = "tuple[int, int, tuple[bool, ...]]"

_NOTHING: frozenset[tuple[bool, _State]] = frozenset()
_NO_BRANCH: _State = frozenset()
_START = -1
_FINISH = -2


class _Machine:
    def __init__(self, program: _Program, start: int) -> None:
        self.program = program
        self.start = start
        sets = {place.ranges for place in program.places if isinstance(place, (_Char, _Neighbour))}
        self.classes = _partition(sets)
        self.members = {
            ranges: frozenset(i for i, part in enumerate(self.classes) if unicode.intersection(part, ranges))
            for ranges in sets
        }
        behinds = [place for place in program.places if isinstance(place, _Neighbour) and not place.ahead]
        # Characters before that no assertion tells apart are one.
        self.before: dict[int, int] = {_START: _START}
        seen: dict[tuple[bool, ...], int] = {}
        for i in range(len(self.classes)):
            self.before[i] = seen.setdefault(tuple(i in self.members[place.ranges] for place in behinds), i)
        self.moves = 0
        self.known: dict[tuple[_State, _Context], _State | None] = {}

    def minimized(self) -> tuple[list[dict[int, CharSet]], set[int]]:
        """Transitions by state (0 is the start) and the accepting states; states without a future are left out."""
        first = (frozenset({(self.start, _NOTHING)}), self.trackers(), _START)
        numbers = {first: 0}
        order = [first]
        table: list[list[int]] = []
        accepting: set[int] = set()
        for state, trackers, before in order:
            row = []
            for char in range(len(self.classes)):
                behind = self.behind(trackers, before, char)
                context = (before, char, behind)
                following = self.step(state, context)
                after = (
                    following if following is not None else frozenset({(self.accept, _NOTHING)}),
                    tuple(self.step(tracker, context) or _NO_BRANCH for tracker in trackers),
                    self.before[char],
                )
                if after not in numbers:
                    if len(order) >= _MOST_STATES:
                        raise TooManyStates
                    numbers[after] = len(order)
                    order.append(after)
                row.append(numbers[after])
            table.append(row)
            if self.matches(state, (before, _FINISH, self.behind(trackers, before, _FINISH))):
                accepting.add(numbers[state, trackers, before])
        return _minimize(table, accepting, self.classes)

    @property
    def accept(self) -> int:
        return next(i for i, place in enumerate(self.program.places) if isinstance(place, _Accept))

    def trackers(self) -> tuple[_State, ...]:
        return tuple(frozenset({(start, _NOTHING)}) for start in self.program.trackers)

    def behind(self, trackers: tuple[_State, ...], before: int, after: int) -> tuple[bool, ...]:
        """Which lookbehinds hold at this position."""
        return tuple(
            any(
                isinstance(self.program.places[place], _End)
                for branch in state
                for place, _ in self.reached(branch[0], (before, after, ()))
            )
            for state in trackers
        )

    def step(self, state: _State, context: _Context) -> _State | None:
        """The state after the context's character; None if the state matches whatever follows."""
        key = (state, context)
        if key not in self.known:
            self.known[key] = self.stepped(state, context)
        return self.known[key]

    def stepped(self, state: _State, context: _Context) -> _State | None:
        char = context[1]
        result: set[_Branch] = set()
        for start, checks in state:
            for place, started in self.reached(start, context):
                found = self.program.places[place]
                if isinstance(found, _Char):
                    if char not in self.members[found.ranges]:
                        continue
                    following = found.next
                elif isinstance(found, _Accept):
                    following = place
                else:
                    continue
                remaining = self.checked(checks | started, context)
                if remaining is None:
                    continue
                if not remaining and isinstance(found, _Accept):
                    return None
                result.add((following, remaining))
        # A branch that still has to check more than another at the same place adds nothing.
        return frozenset(
            branch for branch in result if not any(other[0] == branch[0] and other[1] < branch[1] for other in result)
        )

    def checked(
        self, checks: frozenset[tuple[bool, _State]], context: _Context
    ) -> frozenset[tuple[bool, _State]] | None:
        """The lookaheads after the context's character; None if one has failed."""
        result: set[tuple[bool, _State]] = set()
        for negative, state in checks:
            after = self.step(state, context)
            if after is None or not after:
                if (after is None) == negative:
                    return None
                continue
            result.add((negative, after))
        return frozenset(result)

    def matches(self, state: _State, context: _Context) -> bool:
        """Whether the state matches at the end of the text."""
        return any(
            isinstance(self.program.places[place], (_End, _Accept))
            and all(self.matches(check, context) != negative for negative, check in checks | started)
            for start, checks in state
            for place, started in self.reached(start, context)
        )

    def reached(self, start: int, context: _Context) -> set[tuple[int, frozenset[tuple[bool, _State]]]]:
        """The places that consume or end, with the lookaheads begun on the way."""
        before, after, behind = context
        seen: set[tuple[int, frozenset[tuple[bool, _State]]]] = set()
        result: set[tuple[int, frozenset[tuple[bool, _State]]]] = set()
        waiting = [(start, _NOTHING)]
        while waiting:
            item = waiting.pop()
            self.moves += 1
            if self.moves > _MOST_MOVES:
                raise TooManyStates
            if item in seen:
                continue
            seen.add(item)
            number, checks = item
            place = self.program.places[number]
            if isinstance(place, _Fork):
                waiting.extend((following, checks) for following in place.next)
            elif isinstance(place, _Neighbour):
                char = after if place.ahead else before
                if place.edge if char < 0 else char in self.members[place.ranges]:
                    waiting.append((place.next, checks))
            elif isinstance(place, _Ahead):
                check: tuple[bool, _State] = (place.negative, frozenset({(place.start, _NOTHING)}))
                waiting.append((place.next, checks | {check}))
            elif isinstance(place, _Behind):
                if behind[place.tracker] != place.negative:
                    waiting.append((place.next, checks))
            else:
                result.add(item)
        return result


def _partition(sets: set[CharSet]) -> list[CharSet]:
    """The coarsest classes of characters that no set tells apart."""
    parts = [unicode.difference(unicode.ALL, ((0xD800, 0xDFFF),))]
    for ranges in sorted(sets):
        parts = [
            piece
            for part in parts
            for piece in (unicode.intersection(part, ranges), unicode.difference(part, ranges))
            if piece
        ]
        if len(parts) > 100:
            raise TooManyStates
    return parts


def _minimize(
    table: list[list[int]], accepting: set[int], classes: list[CharSet]
) -> tuple[list[dict[int, CharSet]], set[int]]:
    """Moore's refinement; then live states alone, the start first."""
    block = [int(state in accepting) for state in range(len(table))]
    count = len(set(block))
    while True:
        names: dict[tuple[int, ...], int] = {}
        block = [
            names.setdefault((block[state], *(block[after] for after in row)), len(names))
            for state, row in enumerate(table)
        ]
        if len(names) == count:
            break
        count = len(names)
    rows = {block[state]: [block[after] for after in row] for state, row in enumerate(table)}
    final = {block[state] for state in accepting}
    live = set(final)
    while True:
        more = {state for state, row in rows.items() if state not in live and live.intersection(row)}
        if not more:
            break
        live |= more
    order = [block[0], *sorted(live - {block[0]})]
    if len(order) > _MOST_MINIMAL:
        raise TooManyStates
    numbers = {state: number for number, state in enumerate(order)}
    result: list[dict[int, CharSet]] = []
    for state in order:
        edges: dict[int, list[CharSet]] = defaultdict(list)
        for char, after in enumerate(rows[state]):
            if after in live:
                edges[numbers[after]].append(classes[char])
        result.append({after: unicode.union(*parts) for after, parts in edges.items()})
    return result, {numbers[state] for state in final}


def _eliminate(builder: GrammarBuilder, transitions: list[dict[int, CharSet]], accepting: set[int]) -> int:
    """Kleene's construction, cheapest state first."""
    source, sink = -1, -2
    edges: dict[int, dict[int, int]] = {source: {0: builder.epsilon()}, sink: {}}
    into: dict[int, set[int]] = defaultdict(set)
    for state, row in enumerate(transitions):
        edges[state] = {after: builder.char_class(ranges) for after, ranges in row.items()}
        if state in accepting:
            edges[state][sink] = builder.epsilon()
    for state, out in edges.items():
        for after in out:
            into[after].add(state)
    waiting = set(range(len(transitions)))
    paths = 0
    while waiting:
        state = min(waiting, key=lambda state: (len(into[state]) * len(edges[state]), state))
        waiting.remove(state)
        out = edges.pop(state)
        loop = out.pop(state, None)
        paths += len(into[state]) * len(out)
        if paths > _MOST_PATHS:
            raise TooManyStates
        sources = into.pop(state) - {state}
        around = [] if loop is None else [builder.repeat(loop, 0)]
        for before in sorted(sources):
            enter = edges[before].pop(state)
            for after, leave in out.items():
                path = builder.cat([enter, *around, leave])
                known = edges[before].get(after)
                edges[before][after] = path if known is None else builder.alt([known, path])
                into[after].add(before)
        for after in out:
            into[after].discard(state)
    return edges[source].get(sink, builder.empty())
