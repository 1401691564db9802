"""Conditions on an object: what each excludes, what they ask of each member together, whether they contradict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from tests.oracle.json_schema.key import key_fits, key_texts
from tests.oracle.json_schema.value import ANYTHING, NOTHING, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra

#: What it takes to sort the conditions of an object, in demands.
READING = 32


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


class Clause(NamedTuple):
    """If members break each of `premises`, some member breaks one of `conclusions`."""

    premises: tuple[Fields, ...]
    conclusions: tuple[Fields, ...]
    kind: str = "object Clause"


ObjectAtom = Fields | Required | Count | Names | Breaks | Implies | Clause


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
        outside = key_texts(algebra, algebra.negated(atom.goal))
        return [] if outside is None else [(Breaks(Fields({}, ((outside, NOTHING),), ANYTHING)),)]
    if isinstance(atom, Breaks):
        return [(atom.fields,)]
    if isinstance(atom, Clause):
        return [(*map(Breaks, atom.premises), *atom.conclusions)]
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

    __slots__ = (
        *("breaks", "clauses", "fields", "implies", "least", "most", "names", "open", "patterned"),
        *("required", "sought", "stated"),
    )

    def __init__(self, atoms: tuple[ObjectAtom, ...]) -> None:
        self.fields: list[Fields] = []
        self.required: dict[str, None] = {}
        self.implies: list[Implies] = []
        self.names: Goal = ANYTHING
        self.breaks: list[Fields] = []
        self.clauses: list[Clause] = []
        self.patterned = False
        #: Whether fields ask something of members with a name only.
        self.open = True
        #: What `at` says of every key that is named, once `seek` has listed it.
        self.sought: dict[str, Goal] | None = None
        self.least: int = 0
        self.most: int | None = None
        unstated: list[str] = []
        for atom in atoms:
            if isinstance(atom, Fields):
                self.fields.append(atom)
                if atom.patterns or atom.rest:
                    self.open = False
                    self.patterned = self.patterned or bool(atom.patterns)
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
            elif isinstance(atom, Clause):
                self.clauses.append(atom)
                literals = atom.premises + atom.conclusions
                self.patterned = self.patterned or any([bool(fields.patterns) for fields in literals])
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
        if self.names and not key_fits(algebra, self.names, key, outer=outer):
            return NOTHING
        if len(self.fields) == 1:
            return self.fields[0].at(algebra, key)
        if self.sought is not None:
            return self.sought.get(key, ANYTHING)
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

    def seek(self, algebra: Algebra, count: int) -> None:
        """Prepare for `count` keys that `at` will be asked for, where one pass over all names takes less time."""
        if not self.open or self.names or len(self.fields) < 2:
            return
        if sum([len(fields.names) for fields in self.fields]) > count * len(self.fields):
            return
        sought: dict[str, Goal] = {}
        for fields in self.fields:
            for key, demand in fields.names.items():
                if demand:
                    goal = sought.get(key)
                    sought[key] = algebra.both(goal, demand) if goal else demand
        self.sought = sought

    def named(self) -> Iterable[str]:
        """Every key that is named, in the order of first mention."""
        if len(self.fields) == 1 and not self.implies and not self.breaks and not self.clauses:
            names = self.fields[0].names
            if names.keys() >= self.required.keys():
                return names
        found: dict[str, None] = {}
        for fields in self.fields:
            found.update(dict.fromkeys(fields.names))
        found.update(self.required)
        for rule in self.implies:
            found[rule.key] = found[rule.needs] = None
        for fields in self.marked():
            found.update(dict.fromkeys(fields.names))
        return found

    def marked(self) -> list[Fields]:
        """The fields of which it matters whether some member breaks them: first those that one must break."""
        if not self.clauses:
            return self.breaks
        literals = [fields for clause in self.clauses for fields in clause.premises + clause.conclusions]
        return list(dict.fromkeys(self.breaks + literals))

    def goals(self) -> dict[str, Goal] | None:
        """What `at` says of every named key, where one table says it all."""
        if len(self.fields) != 1 or self.names or self.breaks or self.clauses or self.implies:
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
    algebra.emptiness.work(READING + len(shape.required) * len(shape.fields))
    if shape.crossed():
        return True
    shape.seek(algebra, len(shape.required))
    for key in shape.required:
        goal = shape.at(algebra, key, outer=True)
        if -1 in goal or (depth > 0 and algebra.emptiness.is_void(goal, depth - 1)):
            return True
    if depth > 0 and (shape.breaks or shape.clauses):
        named = list(shape.named())
        if any(not breakable(algebra, shape, fields, named, depth - 1) for fields in shape.breaks):
            return True
        return any(
            all([breaks_surely(algebra, shape, fields, depth - 1) for fields in clause.premises])
            and not any([breakable(algebra, shape, fields, named, depth - 1) for fields in clause.conclusions])
            for clause in shape.clauses
        )
    return False


def breaks_surely(algebra: Algebra, shape: Shape, broken: Fields, depth: int) -> bool:
    """Whether some required member certainly has a value that `broken` does not admit."""
    return any(
        goal and key in shape.required and algebra.emptiness.is_void(shape.at(algebra, key) | goal, depth)
        for key, goal in broken.names.items()
    )


def breakable(algebra: Algebra, shape: Shape, broken: Fields, named: list[str], depth: int) -> bool:
    """Whether some member might have a value that `broken` does not admit."""
    names = broken.names
    for key in names:
        if not algebra.emptiness.is_void(
            shape.at(algebra, key, outer=True) | algebra.negated(broken.at(algebra, key)), depth
        ):
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
            if not algebra.emptiness.is_void(shape.at(algebra, key, outer=True) | outside, depth):
                return True
    if broken.patterns or any(fields.patterns for fields in shape.fields):
        return True
    goal = algebra.negated(broken.rest)
    for fields in shape.fields:
        goal |= fields.rest
    return not algebra.emptiness.is_void(goal, depth)
