"""Conditions on an array → one node."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from frisket.errors import LimitExceededError
from tests.oracle.json_schema.value import ANYTHING, NOTHING, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra
    from tests.oracle.json_schema.layout import Layout
    from tests.oracle.json_schema.lower import Lowering

#: States of the automaton over items that `contains` with counts may need.
STATES = 3000


class Items(NamedTuple):
    """Demands on the items by position, and on all later ones."""

    prefix: tuple[Goal, ...]
    rest: Goal
    kind: str = "array Items"


class Count(NamedTuple):
    least: int
    most: int | None
    kind: str = "array Count"


class Unique(NamedTuple):
    positive: bool
    pointer: str
    kind: str = "array Unique"


class Has(NamedTuple):
    """Among the items from `start` on, `least` to `most` meet the goal."""

    start: int
    goal: Goal
    least: int
    most: int | None
    pointer: str
    kind: str = "array Has"


ArrayAtom = Items | Count | Unique | Has
#: Under `contains`: the position, and how many items were counted for each.
State = tuple[int, tuple[int, ...]]


def negate(algebra: Algebra, atom: ArrayAtom) -> list[tuple[ArrayAtom, ...]]:
    """The alternatives, each a conjunction, that together are the complement."""
    if isinstance(atom, Count):
        shorter: list[tuple[ArrayAtom, ...]] = [(Count(0, atom.least - 1),)] if atom.least > 0 else []
        return shorter + ([(Count(atom.most + 1, None),)] if atom.most is not None else [])
    if isinstance(atom, Unique):
        return [(Unique(not atom.positive, atom.pointer),)]
    if isinstance(atom, Has):
        fewer = [(_has(atom, 0, atom.least - 1),)] if atom.least > 0 else []
        return [*fewer, *([(_has(atom, atom.most + 1, None),)] if atom.most is not None else [])]
    found: list[tuple[ArrayAtom, ...]] = []
    for position, goal in enumerate(atom.prefix):
        if goal:
            wrong = Items((ANYTHING,) * position + (algebra.negated(goal),), ANYTHING)
            found.append((wrong, Count(position + 1, None)))
    if atom.rest:
        start = len(atom.prefix)
        if atom.rest == NOTHING:
            found.append((Count(start + 1, None),))
        else:
            found.append((Has(start, algebra.negated(atom.rest), 1, None, ""),))
    return found


def _has(atom: Has, least: int, most: int | None) -> Has:
    return Has(atom.start, atom.goal, least, most, atom.pointer)


class Shape:
    """The conjunction of array atoms, in one normal form."""

    __slots__ = ("has", "least", "most", "prefix", "repeated", "rest", "unique")

    def __init__(self, algebra: Algebra, atoms: tuple[ArrayAtom, ...]) -> None:
        items = [atom for atom in atoms if isinstance(atom, Items)]
        length = max((len(atom.prefix) for atom in items), default=0)
        self.least, self.most = 0, None
        self.unique: Unique | None = None
        self.repeated: Unique | None = None
        self.has: list[Has] = []
        for atom in atoms:
            if isinstance(atom, Count):
                self.least = max(self.least, atom.least)
                if atom.most is not None:
                    self.most = atom.most if self.most is None else min(self.most, atom.most)
            elif isinstance(atom, Unique):
                if atom.positive:
                    self.unique = atom
                else:
                    self.repeated = atom
            elif isinstance(atom, Has):
                if atom.most == 0:
                    items.append(Items((ANYTHING,) * atom.start, algebra.negated(atom.goal)))
                    length = max(length, atom.start)
                elif atom.least == 0 and atom.most is None:
                    continue
                elif not atom.goal:
                    self.least = max(self.least, atom.start + atom.least if atom.least else 0)
                    if atom.most is not None:
                        self.most = min(atom.start + atom.most, self.most if self.most is not None else 1 << 62)
                else:
                    self.has.append(atom)
                    self.least = max(self.least, atom.start + atom.least if atom.least else 0)
        goals: list[Goal] = [ANYTHING] * length
        rest = ANYTHING
        for atom in items:
            rest = algebra.both(rest, atom.rest)
            for position in range(length):
                demand = atom.prefix[position] if position < len(atom.prefix) else atom.rest
                goals[position] = algebra.both(goals[position], demand)
        self.prefix = goals
        self.rest = rest
        if self.most is not None and self.most < len(goals):
            del goals[self.most :]
        if -1 in rest:
            self.most = len(goals) if self.most is None else min(self.most, len(goals))
        for position, goal in enumerate(goals):
            if -1 in goal:
                self.most = position if self.most is None else min(self.most, position)
                del goals[position:]
                break

    def at(self, position: int) -> Goal:
        return self.prefix[position] if position < len(self.prefix) else self.rest

    def crossed(self) -> bool:
        return self.most is not None and self.most < self.least


def is_void(algebra: Algebra, atoms: tuple[ArrayAtom, ...], depth: int) -> bool:
    """Whether certainly no array is left, looking `depth` levels down."""
    if not atoms:
        return False
    shape = Shape(algebra, atoms)
    if shape.crossed() or (shape.unique and shape.repeated):
        return True
    if shape.repeated and shape.most is not None and shape.most < 2:
        return True
    if depth <= 0:
        return False
    if any(
        algebra.emptiness.is_void(shape.at(position), depth - 1)
        for position in range(min(shape.least, len(shape.prefix) + 1))
    ):
        return True
    if shape.prefix:
        return False
    return any(atom.least and algebra.emptiness.is_void(shape.rest | atom.goal, depth - 1) for atom in shape.has)


def lower(lowering: Lowering, atoms: tuple[ArrayAtom, ...]) -> int | None:
    """The node of the arrays, or None if clearly none is left."""
    shape = Shape(lowering.algebra, atoms)
    if shape.most is None and lowering.options.max_items is not None:
        needed = sum(atom.start + atom.least for atom in shape.has)
        shape.most = max(lowering.options.max_items, shape.least, needed)
    if shape.crossed():
        return None
    if shape.repeated is not None:
        if shape.most is not None and shape.most < 2:
            return None
        lowering.unsupported(shape.repeated.pointer, "uniqueItems", "that some items are equal cannot be enforced")
    if shape.has:
        return with_counts(lowering, shape)
    prefix: list[int] = []
    most = shape.most
    with lowering.deeper() as layout:
        for position, goal in enumerate(shape.prefix):
            node = lowering.lower(goal)
            if node is None:
                most = position
                break
            prefix.append(node)
        rest = None
        if most is None or most > len(prefix):
            rest = lowering.lower(shape.rest)
            if rest is None:
                most = len(prefix)
        if most is not None and most < shape.least:
            return None
        unique = shape.unique is not None and (most is None or most > 1)
        kept = most if most is not None and (rest is not None or most < len(prefix)) else None
        node = lowering.builder.array(
            prefix,
            rest,
            open=layout.open_array,
            close=layout.close_array,
            comma=layout.comma,
            empty=layout.empty_array,
            min_items=shape.least,
            max_items=kept,
            unique=unique,
        )
        if unique:
            lowering.recursive = True
    lowering.structural.add(node)
    return node


def with_counts(lowering: Lowering, shape: Shape) -> int | None:
    """Arrays under `contains`: an automaton whose state is the position and how many items were counted for each."""
    algebra, b = lowering.algebra, lowering.builder
    if len(shape.has) > 6:
        raise LimitExceededError(f"{len(shape.has)} contains at once", where=shape.has[0].pointer)
    has = shape.has
    last = max([len(shape.prefix), *(atom.start for atom in has)])
    tops = [atom.least if atom.most is None else atom.most for atom in has]
    # Beyond the last special position the count of items matters only for bounds that the counters do not imply.
    bound = shape.most if shape.most is not None else shape.least
    if shape.most is None and all(shape.least <= atom.start + atom.least for atom in has[:1]) and last == 0:
        bound = 0
    far = max(last, bound)
    size = far + 1
    for top in tops:
        size *= top + 1
    if size > STATES:
        raise LimitExceededError(
            f"contains with these counts needs {size} states",
            where=has[0].pointer,
            hint=f"keep the product of minContains/maxContains and minItems/maxItems below {STATES}",
        )
    with lowering.deeper() as layout:
        choices: dict[int, list[tuple[int, int]]] = {}

        def classes(position: int) -> list[tuple[int, int]]:
            """(node of items, which counters they advance) at this position."""
            key = min(position, last)
            if key not in choices:
                found: list[tuple[int, int]] = []
                live = [i for i, atom in enumerate(has) if atom.start <= position]
                for chosen in range(1 << len(live)):
                    goal, marks = shape.at(position), 0
                    for bit, i in enumerate(live):
                        if chosen >> bit & 1:
                            goal, marks = goal | has[i].goal, marks | 1 << i
                        elif has[i].most is not None:
                            goal = goal | algebra.negated(has[i].goal)
                    node = lowering.lower(goal)
                    if node is not None:
                        found.append((node, marks))
                choices[key] = found
            return choices[key]

        rules: dict[State, int] = {}
        pending: list[State] = []

        def after(state: State) -> int:
            """The rule of what may follow an item that led to `state`."""
            if state not in rules:
                rules[state] = b.rule(f"items {state}")
                pending.append(state)
            return rules[state]

        def steps(state: State) -> list[tuple[int, State]]:
            position, counts = state
            if shape.most is not None and position >= shape.most:
                return []
            found = []
            for node, marks in classes(position):
                counted = []
                for i, atom in enumerate(has):
                    count = counts[i] + (marks >> i & 1)
                    if atom.most is not None and count > atom.most:
                        break
                    counted.append(min(count, tops[i]))
                else:
                    found.append((node, (min(position + 1, far), tuple(counted))))
            return found

        def accepting(state: State) -> bool:
            position, counts = state
            return (position >= shape.least or (far == 0 and bound == 0)) and all(
                count >= atom.least for count, atom in zip(counts, has, strict=True)
            )

        start: State = (0, (0,) * len(has))
        if shape.unique is not None:
            return with_values(lowering, layout, shape, start, steps, accepting)
        alternatives = [b.seq([node, after(state)]) for node, state in steps(start)]
        whole: list[int] = []
        if alternatives:
            whole.append(b.seq([layout.open_array, b.alt(alternatives)]))
        if accepting(start) and shape.least == 0:
            whole.append(layout.empty_array)
        while pending:
            state = pending.pop()
            follow = [b.seq([layout.comma, node, after(target)]) for node, target in steps(state)]
            if accepting(state):
                follow.append(layout.close_array)
            b.define(rules[state], b.alt(follow) if follow else b.empty())
    if not whole:
        return None
    node = b.alt(whole)
    lowering.structural.add(node)
    lowering.recursive = True
    return node


def with_values(
    lowering: Lowering,
    layout: Layout,
    shape: Shape,
    start: State,
    steps: Callable[[State], list[tuple[int, State]]],
    accepting: Callable[[State], bool],
) -> int:
    """The same automaton over items that are all different: there the engine keeps the count and the values."""
    numbers = {start: 0}
    states: list[tuple[bool, list[tuple[int, int]]]] = []
    pending = [start]
    for state in pending:
        items = []
        for node, target in steps(state):
            if target not in numbers:
                numbers[target] = len(pending)
                pending.append(target)
            items.append((node, numbers[target]))
        states.append((accepting(state), items))
    node = lowering.builder.unique_array(
        states,
        open=layout.open_array,
        close=layout.close_array,
        comma=layout.comma,
        empty=layout.empty_array,
        min_items=shape.least,
        max_items=shape.most,
    )
    lowering.structural.add(node)
    lowering.recursive = True
    return node
