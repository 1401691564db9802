"""Conditions on an object → one node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frisket.errors import LimitExceededError
from frisket.json_schema.value import ANYTHING, NOTHING, Goal

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.algebra import Algebra
    from frisket.json_schema.lower import Lowering

#: Regions that overlapping key patterns may cut the keys into.
REGIONS = 512
#: Demands of the kind "some member …" that one object may carry.
DEMANDS = 8


class Fields:
    """Demands on members by key: `names`, every pattern that matches, and `rest` for keys that neither covers.

    Compared by identity: each is made once for each place of the schema.
    """

    __slots__ = ("names", "patterns", "rest")

    def __init__(
        self, names: dict[str, Goal], patterns: tuple[tuple[int, Goal], ...] = (), rest: Goal = ANYTHING
    ) -> None:
        self.names = names
        self.patterns = patterns
        self.rest = rest

    def at(self, builder: GrammarBuilder, key: str) -> Goal:
        goal = self.names.get(key)
        if not self.patterns:
            return self.rest if goal is None else goal
        covered = goal is not None
        goal = goal or ANYTHING
        text = key.encode("utf-8", "surrogatepass")
        for pattern, demand in self.patterns:
            if builder.accepts(pattern, text):
                covered = True
                goal |= demand
        return goal if covered else self.rest


@dataclass(frozen=True, slots=True)
class Required:
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Count:
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Names:
    """Every key, as a string, meets the goal."""

    goal: Goal


@dataclass(frozen=True, slots=True)
class Some:
    """Some member whose key is in the regular node `keys` has a value that meets the goal."""

    keys: int
    goal: Goal


@dataclass(frozen=True, slots=True)
class Implies:
    """If the first key is there, so is the second."""

    key: str
    needs: str


ObjectAtom = Fields | Required | Count | Names | Some | Implies


def negate(algebra: Algebra, atom: ObjectAtom) -> list[tuple[ObjectAtom, ...]]:
    """The alternatives, each a conjunction, that together are the complement."""
    b = algebra.builder
    if isinstance(atom, Required):
        return [(algebra.single(key, NOTHING),) for key in atom.keys]
    if isinstance(atom, Count):
        fewer: list[tuple[ObjectAtom, ...]] = [(Count(0, atom.least - 1),)] if atom.least > 0 else []
        return fewer + ([(Count(atom.most + 1, None),)] if atom.most is not None else [])
    if isinstance(atom, Implies):
        return [(Required((atom.key,)), algebra.single(atom.needs, NOTHING))]
    if isinstance(atom, Names):
        allowed = algebra.texts(atom.goal)
        wrong = b.any_text() if allowed is None else b.and_([b.any_text(), b.not_(allowed)])
        return [(Some(wrong, ANYTHING),)]
    if isinstance(atom, Some):
        fields = Fields({}, ((atom.keys, algebra.negated(atom.goal)),))
        return [(fields,)]
    found: list[tuple[ObjectAtom, ...]] = []
    for key, goal in atom.names.items():
        if goal:
            found.append((Required((key,)), algebra.single(key, algebra.negated(goal))))
    found += [(Some(pattern, algebra.negated(goal)),) for pattern, goal in atom.patterns if goal]
    if atom.rest:
        found.append((Some(other_keys(b, atom), algebra.negated(atom.rest)),))
    return found


def other_keys(builder: GrammarBuilder, fields: Fields) -> int:
    """The keys that neither the names nor the patterns cover."""
    nodes = [builder.any_text()]
    if fields.names:
        nodes.append(builder.not_(builder.words(sorted(encoded(key) for key in fields.names))))
    nodes += [builder.not_(pattern) for pattern, _ in fields.patterns]
    return builder.and_(nodes) if len(nodes) > 1 else nodes[0]


def encoded(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


class Shape:
    """The conjunction of object atoms, sorted by kind."""

    __slots__ = ("fields", "implies", "least", "most", "names", "required", "some")

    def __init__(self, atoms: tuple[ObjectAtom, ...]) -> None:
        self.fields: list[Fields] = []
        self.required: dict[str, None] = {}
        self.implies: list[Implies] = []
        self.names: Goal = ANYTHING
        self.some: list[Some] = []
        self.least, self.most = 0, None
        for atom in atoms:
            if isinstance(atom, Fields):
                self.fields.append(atom)
            elif isinstance(atom, Required):
                self.required.update(dict.fromkeys(atom.keys))
            elif isinstance(atom, Count):
                self.least = max(self.least, atom.least)
                if atom.most is not None:
                    self.most = atom.most if self.most is None else min(self.most, atom.most)
            elif isinstance(atom, Names):
                self.names |= atom.goal
            elif isinstance(atom, Some):
                self.some.append(atom)
            else:
                self.implies.append(atom)
        if self.implies:
            grown = True
            while grown:
                grown = False
                for rule in self.implies:
                    if rule.key in self.required and rule.needs not in self.required:
                        self.required[rule.needs] = None
                        grown = True

    def at(self, algebra: Algebra, key: str) -> Goal:
        if self.names and not algebra.text_fits(self.names, key):
            return NOTHING
        if len(self.fields) == 1:
            return self.fields[0].at(algebra.builder, key)
        goal = ANYTHING
        for fields in self.fields:
            goal |= fields.at(algebra.builder, key)
        return goal

    def named(self) -> dict[str, None]:
        found: dict[str, None] = {}
        for fields in self.fields:
            found.update(dict.fromkeys(fields.names))
        found.update(self.required)
        for rule in self.implies:
            found[rule.key] = found[rule.needs] = None
        return found

    def crossed(self) -> bool:
        return self.most is not None and (self.most < self.least or self.most < len(self.required))


def is_void(algebra: Algebra, atoms: tuple[ObjectAtom, ...], depth: int) -> bool:
    """Whether certainly no object is left, looking `depth` levels down."""
    if not atoms:
        return False
    shape = Shape(atoms)
    if shape.crossed():
        return True
    for key in shape.required:
        goal = shape.at(algebra, key)
        if -1 in goal or (depth > 0 and algebra.is_void(goal, depth - 1)):
            return True
    if shape.some and depth > 0:
        return any(algebra.is_void(some.goal, depth - 1) for some in shape.some)
    return False


def lower(lowering: Lowering, atoms: tuple[ObjectAtom, ...]) -> int | None:
    """The node of the objects, or None if clearly none is left."""
    algebra, b = lowering.algebra, lowering.builder
    shape = Shape(atoms)
    if shape.crossed():
        return None
    if len(shape.some) > DEMANDS:
        raise LimitExceededError(f"{len(shape.some)} demands on some member at once", where=lowering.where())
    required = shape.required
    with lowering.deeper() as layout:
        properties: list[tuple[str, bool, list[tuple[int, int]]]] = []
        places: dict[str, int] = {}
        reached = possible = 0
        for key in shape.named():
            goal = shape.at(algebra, key)
            values = alternatives(lowering, goal, shape.some, key)
            needed = key in required
            if not values:
                if needed:
                    return None
            else:
                possible += 1
            for _, marks in values:
                reached |= marks
            places[key] = len(properties)
            properties.append((key, needed, values))
        extras: list[tuple[int, list[tuple[int, int]]]] = []
        for keys, goal, able in regions(algebra, shape):
            values = with_marks(lowering, goal, [(i, shape.some[i]) for i in able])
            if values:
                extras.append((keys, values))
                for _, marks in values:
                    reached |= marks
        wanted = (1 << len(shape.some)) - 1
        if reached & wanted != wanted or (not extras and possible < shape.least):
            return None
        node = b.object(
            properties,
            extras,
            open=layout.open_object,
            close=layout.close_object,
            colon=layout.colon,
            comma=layout.comma,
            empty=layout.empty_object,
            min_properties=shape.least,
            max_properties=shape.most,
            required_marks=wanted,
            implies=[(places[rule.key], places[rule.needs]) for rule in shape.implies if rule.needs not in required],
            any_order=lowering.options.property_order == "any",
            escapes=lowering.options.escapes,
        )
    lowering.structural.add(node)
    return node


def alternatives(lowering: Lowering, goal: Goal, some: list[Some], key: str) -> list[tuple[int, int]]:
    if not some:
        node = lowering.lower(goal)
        return [] if node is None else [(node, 0)]
    text = encoded(key)
    able = [(i, demand) for i, demand in enumerate(some) if lowering.builder.accepts(demand.keys, text)]
    return with_marks(lowering, goal, able)


def with_marks(lowering: Lowering, goal: Goal, able: list[tuple[int, Some]]) -> list[tuple[int, int]]:
    """Every way in which a value can meet some of the demands (not meeting one needs no proof)."""
    found: list[tuple[int, int]] = []
    for chosen in range(1 << len(able)):
        demand, marks = goal, 0
        for bit, (i, some) in enumerate(able):
            if chosen >> bit & 1:
                demand, marks = demand | some.goal, marks | 1 << i
        node = lowering.lower(demand)
        if node is not None:
            found.append((node, marks))
    best: dict[int, int] = {}
    for node, marks in found:
        best[node] = best.get(node, 0) | marks
    return list(best.items())


def regions(algebra: Algebra, shape: Shape) -> list[tuple[int, Goal, tuple[int, ...]]]:
    """The keys without a name, cut so that in each region the demands are the same: (keys, goal, demands able)."""
    b = algebra.builder
    if not shape.some and not any(fields.patterns for fields in shape.fields):
        goal = ANYTHING
        for fields in shape.fields:
            goal |= fields.rest
        if -1 in goal:
            return []
        keys = b.any_text() if not shape.names else algebra.texts(shape.names)
        return [] if keys is None else [(keys, goal, ())]
    nodes: dict[int, None] = {}
    for fields in shape.fields:
        nodes.update(dict.fromkeys(pattern for pattern, _ in fields.patterns))
    everything = b.any_text()
    nodes.update(dict.fromkeys(some.keys for some in shape.some if some.keys != everything))
    allowed = algebra.texts(shape.names) if shape.names else everything
    if allowed is None:
        return []
    cut: list[tuple[list[int], frozenset[int]]] = [([allowed], frozenset())]
    for node in nodes:
        complement = b.not_(node)
        split: list[tuple[list[int], frozenset[int]]] = []
        for conditions, inside in cut:
            for extra, now in ((node, inside | {node}), (complement, inside)):
                if not algebra.regular_void([*conditions, extra]):
                    split.append(([*conditions, extra], now))
        cut = split
        if len(cut) > REGIONS:
            raise LimitExceededError(f"key patterns overlap in more than {REGIONS} ways", where=algebra.where())
    merged: dict[tuple[Goal, tuple[int, ...]], list[int]] = {}
    for conditions, inside in cut:
        goal = ANYTHING
        for fields in shape.fields:
            matching = [demand for pattern, demand in fields.patterns if pattern in inside]
            goal = goal.union(*matching) if matching else goal | fields.rest
        if -1 in goal:
            continue
        able = tuple(i for i, some in enumerate(shape.some) if some.keys == everything or some.keys in inside)
        trimmed = [node for node in conditions if node != everything]
        if allowed == everything and not inside:
            trimmed.insert(0, everything)
        keys = b.and_(trimmed) if len(trimmed) > 1 else trimmed[0]
        merged.setdefault((goal, able), []).append(keys)
    if len(merged) == 1 and len(next(iter(merged.values()))) == len(cut):
        return [(allowed, goal, able) for goal, able in merged]
    return [(b.alt(keys) if len(keys) > 1 else keys[0], goal, able) for (goal, able), keys in merged.items()]
