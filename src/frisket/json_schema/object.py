"""Conditions on an object → one node."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from frisket.errors import LimitExceededError
from frisket.json_schema.order import orders
from frisket.json_schema.value import ANYTHING, NOTHING, Goal

if TYPE_CHECKING:
    from frisket.json_schema.algebra import Algebra
    from frisket.json_schema.lower import Lowering

#: Regions that overlapping key patterns may cut the keys into.
REGIONS = 128
#: Demands of the kind "some member …" that one member may meet in all combinations.
DEMANDS = 8
#: What it takes to sort the conditions of an object, in demands.
READING = 32
#: Demands of that kind that one object may carry, beyond those that its required members meet anyway.
MARKS = 10

#: What a document may say of itself, and say first, even where its schema does not name it.
ABOUT_ITSELF = ("$schema", "$id")

#: (key, whether it is required, [(value node, marks)])
Property = tuple[str, bool, list[tuple[int, int]]]


class Fields:
    """Demands on members by key: `names`, every pattern that matches, and `rest` for keys that neither covers.

    `lists` is whether a place of the schema lists members here, and `opens` whether it says what others must meet.
    Compared by identity: each is made once for each place of the schema.
    """

    __slots__ = ("lists", "names", "opens", "patterns", "rest")

    def __init__(
        self,
        names: dict[str, Goal],
        patterns: tuple[tuple[int, Goal], ...] = (),
        rest: Goal = ANYTHING,
        *,
        lists: bool = False,
        opens: bool = False,
    ) -> None:
        self.names = names
        self.patterns = patterns
        self.rest = rest
        self.lists = lists
        self.opens = opens

    def only(self) -> str | None:
        """The one key of which they ask something, if they ask nothing of any other."""
        demanding = [key for key, goal in self.names.items() if goal]
        return demanding[0] if len(demanding) == 1 and not self.patterns and not self.rest else None

    def at(self, algebra: Algebra, key: str) -> Goal:
        goal = self.names.get(key)
        if not self.patterns:
            return self.rest if goal is None else goal
        covered = goal is not None
        goal = goal or ANYTHING
        text = key.encode("utf-8", "surrogatepass")
        for place in algebra.builder.accepting([pattern for pattern, _ in self.patterns], text):
            covered = True
            goal = algebra.both(goal, self.patterns[place][1])
        return goal if covered else self.rest


class Required(NamedTuple):
    """`stated` is whether the schema says so, in this order; a complement may be cut by what it does not say."""

    keys: tuple[str, ...]
    stated: bool = True
    kind: str = "object Required"


class Count(NamedTuple):
    least: int
    most: int | None
    kind: str = "object Count"


class Names(NamedTuple):
    """Every key, as a string, meets the goal."""

    goal: Goal
    kind: str = "object Names"


class Breaks(NamedTuple):
    """Some member has a value that the fields do not admit: the complement of `Fields` in one piece."""

    fields: Fields
    kind: str = "object Breaks"


class Implies(NamedTuple):
    """If the first key is there, so is the second."""

    key: str
    needs: str
    kind: str = "object Implies"


ObjectAtom = Fields | Required | Count | Names | Breaks | Implies


def negate(algebra: Algebra, atom: ObjectAtom) -> list[tuple[ObjectAtom, ...]]:
    """The alternatives, each a conjunction, that together are the complement."""
    if isinstance(atom, Required):
        return [(algebra.single(key, NOTHING),) for key in atom.keys]
    if isinstance(atom, Count):
        fewer: list[tuple[ObjectAtom, ...]] = [(Count(0, atom.least - 1),)] if atom.least > 0 else []
        return fewer + ([(Count(atom.most + 1, None),)] if atom.most is not None else [])
    if isinstance(atom, Implies):
        return [(Required((atom.key,)), algebra.single(atom.needs, NOTHING))]
    if isinstance(atom, Names):
        # Of a narrowed format, the keys outside are fewer than the complement of those inside.
        outside = algebra.texts(algebra.negated(atom.goal))
        return [] if outside is None else [(Breaks(Fields({}, ((outside, NOTHING),), ANYTHING)),)]
    if isinstance(atom, Breaks):
        return [(atom.fields,)]
    if not atom.patterns and not atom.rest and not any(atom.names.values()):
        return []
    key = atom.only()
    if key is not None:
        return [(Required((key,)), algebra.single(key, algebra.negated(atom.names[key])))]
    return [(Breaks(atom),)]


def encoded(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


class Shape:
    """The conjunction of object atoms, sorted by kind."""

    __slots__ = ("breaks", "fields", "implies", "least", "most", "names", "open", "patterned", "required", "stated")

    def __init__(self, atoms: tuple[ObjectAtom, ...]) -> None:
        self.fields: list[Fields] = []
        self.required: dict[str, None] = {}
        self.implies: list[Implies] = []
        self.names: Goal = ANYTHING
        self.breaks: list[Fields] = []
        self.patterned = False
        self.open = True
        self.least: int = 0
        self.most: int | None = None
        unstated: list[str] = []
        for atom in atoms:
            if isinstance(atom, Fields):
                self.fields.append(atom)
                self.patterned = self.patterned or bool(atom.patterns)
                self.open = self.open and not atom.rest and not atom.patterns
            elif isinstance(atom, Required):
                if atom.stated:
                    for key in atom.keys:
                        self.required[key] = None
                else:
                    unstated += atom.keys
            elif isinstance(atom, Count):
                self.least = max(self.least, atom.least)
                if atom.most is not None:
                    self.most = atom.most if self.most is None else min(self.most, atom.most)
            elif isinstance(atom, Names):
                self.names |= atom.goal
            elif isinstance(atom, Breaks):
                self.breaks.append(atom.fields)
                self.patterned = self.patterned or bool(atom.fields.patterns)
            else:
                self.implies.append(atom)
        if self.implies:
            self.imply()
        #: Required keys whose order means something.
        self.stated = self.required
        if unstated:
            self.stated = self.required.copy()
            self.required.update(dict.fromkeys(unstated))
            self.imply()

    def imply(self) -> None:
        grown = bool(self.implies)
        while grown:
            grown = False
            for rule in self.implies:
                if rule.key in self.required and rule.needs not in self.required:
                    self.required[rule.needs] = None
                    grown = True

    def at(self, algebra: Algebra, key: str, *, outer: bool = False) -> Goal:
        """What a member must meet; `outer`: NOTHING only for a key that certainly cannot be."""
        if self.names and not algebra.text_fits(self.names, key, outer=outer):
            return NOTHING
        if len(self.fields) == 1:
            return self.fields[0].at(algebra, key)
        goal = ANYTHING
        if self.open:
            # Demands on named members only.
            for fields in self.fields:
                demand = fields.names.get(key)
                if demand:
                    goal = algebra.both(goal, demand) if goal else demand
            return goal
        for fields in self.fields:
            demand = fields.at(algebra, key)
            if demand:
                goal = algebra.both(goal, demand) if goal else demand
        return goal

    def named(self) -> Iterable[str]:
        """Every key that is named, in the order of first mention."""
        if len(self.fields) == 1 and not self.implies and not self.breaks:
            names = self.fields[0].names
            if names.keys() >= self.required.keys():
                return names
        found: dict[str, None] = {}
        for fields in self.fields:
            found.update(dict.fromkeys(fields.names))
        found.update(self.required)
        for rule in self.implies:
            found[rule.key] = found[rule.needs] = None
        for fields in self.breaks:
            found.update(dict.fromkeys(fields.names))
        return found

    def goals(self) -> dict[str, Goal] | None:
        """What `at` says of every named key, where one table says it all."""
        if len(self.fields) != 1 or self.names or self.breaks or self.implies:
            return None
        fields = self.fields[0]
        return fields.names if not fields.patterns and fields.names.keys() >= self.required.keys() else None

    def closes(self) -> bool:
        """Whether members are listed, and nothing says what others must meet."""
        said = any(fields.opens or fields.rest for fields in self.fields)
        return not said and not self.names and any(fields.lists for fields in self.fields)

    def crossed(self) -> bool:
        return self.most is not None and (self.most < self.least or self.most < len(self.required))


def is_void(algebra: Algebra, atoms: tuple[ObjectAtom, ...], depth: int) -> bool:
    """Whether certainly no object is left, looking `depth` levels down."""
    if not atoms:
        return False
    shape = Shape(atoms)
    algebra.work(READING + len(shape.required) * len(shape.fields))
    if shape.crossed():
        return True
    for key in shape.required:
        goal = shape.at(algebra, key, outer=True)
        if -1 in goal or (depth > 0 and algebra.is_void(goal, depth - 1)):
            return True
    if depth > 0 and shape.breaks:
        named = list(shape.named())
        return any(not breakable(algebra, shape, fields, named, depth - 1) for fields in shape.breaks)
    return False


def breakable(algebra: Algebra, shape: Shape, broken: Fields, named: list[str], depth: int) -> bool:
    """Whether some member might have a value that `broken` does not admit."""
    names = broken.names
    for key in names:
        if not algebra.is_void(shape.at(algebra, key, outer=True) | algebra.negated(broken.at(algebra, key)), depth):
            return True
    if not broken.patterns:
        if not broken.rest:
            # It says nothing of other members: among many demands, most are told apart by their own few names.
            return False
        outside = algebra.negated(broken.rest)
    for key in named:
        if key not in names:
            if broken.patterns:
                outside = algebra.negated(broken.at(algebra, key))
            if not algebra.is_void(shape.at(algebra, key, outer=True) | outside, depth):
                return True
    if broken.patterns or any(fields.patterns for fields in shape.fields):
        return True
    goal = algebra.negated(broken.rest)
    for fields in shape.fields:
        goal |= fields.rest
    return not algebra.is_void(goal, depth)


def lower(lowering: Lowering, atoms: tuple[ObjectAtom, ...]) -> int | None:
    """The node of the objects, or None if clearly none is left."""
    algebra, b = lowering.algebra, lowering.builder
    shape = Shape(atoms)
    if shape.crossed():
        return None
    if len(shape.breaks) > 64:
        raise LimitExceededError(f"{len(shape.breaks)} demands on some member at once", where=lowering.where())
    required = shape.required
    plain = shape.goals()
    closed = lowering.options.closed_objects and shape.closes()
    with lowering.deeper() as layout:
        properties: list[Property] = []
        places: dict[str, int] = {}
        reached = possible = 0
        for key in shape.named():
            goal = shape.at(algebra, key) if plain is None else plain[key]
            if shape.breaks:
                values = with_marks(lowering, goal, tuple([fields.at(algebra, key) for fields in shape.breaks]))
                for _, marks in values:
                    reached |= marks
            else:
                value = lowering.lower(goal)
                values = [] if value is None else [(value, 0)]
            needed = key in required
            if not values:
                if needed:
                    return None
            else:
                possible += 1
            places[key] = len(properties)
            properties.append((key, needed, values))
        if properties and lowering.at_root() and not shape.breaks and not closed:
            for key in ABOUT_ITSELF:
                if key not in places:
                    value = lowering.lower(shape.at(algebra, key))
                    if value is not None:
                        places[key] = len(properties)
                        properties.append((key, False, [(value, 0)]))
        extras: list[tuple[int, list[tuple[int, int]]]] = []
        for texts, goal, broken in regions(algebra, shape, closed=closed):
            keys = lowering.spelled(texts)
            if keys != texts and lowering.builder.is_empty(keys):
                continue
            if broken:
                values = with_marks(lowering, goal, broken)
            else:
                value = lowering.lower(goal)
                values = [] if value is None else [(value, 0)]
            if values:
                extras.append((keys, values))
                for _, marks in values:
                    reached |= marks
        wanted = (1 << len(shape.breaks)) - 1
        if reached & wanted != wanted:
            return None
        if wanted:
            wanted = forget(properties, extras, wanted)
            if wanted.bit_count() > MARKS:
                raise LimitExceededError(
                    f"{wanted.bit_count()} demands on some member at once",
                    where=lowering.where(),
                    hint="give the alternatives of oneOf and anyOf a required property with different constants",
                )
        if possible < shape.least:
            if not extras:
                return None
            # Whether the other keys are enough is for a search to say.
            lowering.recursive = True
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
            any_order=lowering.any_order,
            orders=[] if lowering.any_order else orders([list(f.names) for f in shape.fields], shape.stated, places),
            escapes=lowering.options.escapes,
        )
    lowering.structural.add(node)
    return node


def forget(properties: list[Property], extras: list[tuple[int, list[tuple[int, int]]]], wanted: int) -> int:
    """Drop the marks that required members carry whatever their value; what is left must be counted."""
    sure = 0
    for _, needed, values in properties:
        if needed:
            common = wanted
            for _, marks in values:
                common &= marks
            sure |= common
    kept = wanted & ~sure
    for values in (*(values for _, _, values in properties), *(values for _, values in extras)):
        values[:] = [(node, marks & kept) for node, marks in values]
    return kept


def with_marks(lowering: Lowering, goal: Goal, admitted: tuple[Goal, ...]) -> list[tuple[int, int]]:
    """(value node, which of the demands it breaks): a value that breaks several at once carries all their marks."""
    if -1 in goal:
        return []
    key = goal, admitted, lowering.depth
    found = lowering.marked.get(key)
    if found is None:
        found = lowering.marked[key] = _marked(lowering, goal, admitted)
    return found.copy()


def _marked(lowering: Lowering, goal: Goal, admitted: tuple[Goal, ...]) -> list[tuple[int, int]]:
    algebra = lowering.algebra
    free = 0
    open_demands: dict[Goal, int] = {}
    for i, admits in enumerate(admitted):
        outside = algebra.negated(admits)
        if outside == NOTHING or algebra.is_void(goal | outside):
            continue
        if not outside or algebra.is_void(goal | admits):
            free |= 1 << i
        else:
            open_demands[outside] = open_demands.get(outside, 0) | 1 << i
    if len(open_demands) > DEMANDS:
        raise LimitExceededError(f"{len(open_demands)} demands on one member at once", where=lowering.where())
    found: dict[int, int] = {}
    choices = list(open_demands.items())
    for chosen in range(1 << len(choices)):
        demand, marks = goal, free
        for bit, (outside, several) in enumerate(choices):
            if chosen >> bit & 1:
                demand, marks = demand | outside, marks | several
        if chosen.bit_count() > 1 and algebra.is_void(demand):
            continue
        node = lowering.lower(demand)
        if node is not None:
            found[node] = found.get(node, 0) | marks
    return list(found.items())


def regions(algebra: Algebra, shape: Shape, *, closed: bool = False) -> list[tuple[int, Goal, tuple[Goal, ...]]]:
    """The keys without a name, cut so that in each region the demands are the same: (keys, goal, what breaks admit).

    If `closed`, those that some pattern covers.
    """
    b = algebra.builder
    if not shape.patterned:
        if closed:
            return []
        goal = ANYTHING
        for fields in shape.fields:
            goal = algebra.both(goal, fields.rest)
        if -1 in goal:
            return []
        keys = b.any_text() if not shape.names else algebra.texts(shape.names)
        return [] if keys is None else [(keys, goal, tuple(fields.rest for fields in shape.breaks))]
    alike = same_demands(algebra, shape)
    nodes = dict.fromkeys(alike.values())
    everything = b.any_text()
    allowed = algebra.texts(shape.names) if shape.names else everything
    if allowed is None:
        return []
    cut: list[tuple[list[int], frozenset[int]]] = [([allowed], frozenset())]
    for node in nodes:
        complement = b.not_(node)
        split: list[tuple[list[int], frozenset[int]]] = []
        for conditions, inside in cut:
            for extra, now in ((node, inside | {node}), (complement, inside)):
                if not algebra.regular_void([*conditions, extra], len(now)):
                    split.append(([*conditions, extra], now))
        cut = split
        if len(cut) > REGIONS:
            raise LimitExceededError(f"key patterns overlap in more than {REGIONS} ways", where=algebra.where())
    if closed:
        covered = {alike[pattern] for fields in shape.fields for pattern, _ in fields.patterns}
        cut = [(conditions, inside) for conditions, inside in cut if inside & covered]
    merged: dict[tuple[Goal, tuple[Goal, ...]], list[int]] = {}
    for conditions, inside in cut:
        goal = ANYTHING
        for fields in shape.fields:
            goal |= within(fields, inside, alike)
        if -1 in goal:
            continue
        broken = tuple(within(fields, inside, alike) for fields in shape.breaks)
        trimmed = [node for node in conditions if node != everything]
        if allowed == everything and not inside:
            trimmed.insert(0, everything)
        keys = b.and_(trimmed) if len(trimmed) > 1 else trimmed[0] if trimmed else everything
        merged.setdefault((goal, broken), []).append(keys)
    if not closed and len(merged) == 1 and len(next(iter(merged.values()))) == len(cut):
        return [(allowed, goal, broken) for goal, broken in merged]
    return [(b.alt(keys) if len(keys) > 1 else keys[0], goal, broken) for (goal, broken), keys in merged.items()]


def same_demands(algebra: Algebra, shape: Shape) -> dict[int, int]:
    """For each key pattern the node that stands for it: patterns that ask the same of their members are one."""
    demands: dict[int, list[tuple[int, Goal]]] = {}
    for place, fields in enumerate((*shape.fields, *shape.breaks)):
        for pattern, demand in fields.patterns:
            demands.setdefault(pattern, []).append((place, demand))
    groups: dict[tuple[tuple[int, Goal], ...], list[int]] = {}
    for pattern, asked in demands.items():
        groups.setdefault(tuple(asked), []).append(pattern)
    joined = {
        asked: algebra.builder.alt(patterns) if len(patterns) > 1 else patterns[0] for asked, patterns in groups.items()
    }
    return {pattern: joined[asked] for asked, patterns in groups.items() for pattern in patterns}


def within(fields: Fields, inside: frozenset[int], alike: dict[int, int]) -> Goal:
    """What fields demand of a key without a name that is in just these patterns."""
    matching = [demand for pattern, demand in fields.patterns if alike[pattern] in inside]
    return ANYTHING.union(*matching) if matching else fields.rest
