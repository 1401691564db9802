"""Goals → unions of cases: intersection, union and complement of schemas, one level at a time.

A goal is a set of literals (places of the schema, or their negations) that one value must meet. Expanding a goal looks
at the value's own type and conditions only; what members and items must meet are goals again, expanded when somebody
asks. There are finitely many literals, so recursion through allOf, $ref siblings and not ends in finitely many goals,
and each becomes one rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from frisket.errors import InvalidSchemaError, LimitExceededError
from frisket.lint.resolve import Documents, Site
from tests.oracle.json_schema import annotated, apart, clause, complement, object, string
from tests.oracle.json_schema.emptiness import Emptiness
from tests.oracle.json_schema.place import Places
from tests.oracle.json_schema.reader import read
from tests.oracle.json_schema.reading import Reading
from tests.oracle.json_schema.room import HOP, elsewhere
from tests.oracle.json_schema.value import (
    WHOLE,
    Case,
    Goal,
    meet,
)

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions
    from frisket.json_schema.report import Report

T = TypeVar("T")

#: Products above this size are searched for contradictions at once.
CROWD = 6


class _Unknown(Exception):
    """A search for contradictions came to a place that is being expanded."""


class TooManyAlternatives(Exception):
    """One value splits into more alternatives than the options allow, which may be `error` in the end.

    `steps` are what it took to find that out, beyond what the builder was asked for.
    """

    def __init__(self, error: LimitExceededError, steps: int) -> None:
        super().__init__(error)
        self.error = error
        self.steps = steps


#: How an object that must not meet several demands is described: `together`, some member breaks them, which is one
#: alternative where others ask for these members; `apart`, one or the other does, which is less where nobody asks for
#: them; `clauses`, what holds of some objects only is a condition of the object, and no alternative at all; `loosened`
#: is as `together`, and what splits too far for all that is left out.
Splitting = Literal["together", "apart", "clauses", "loosened"]

#: The keywords whose parts a reading has by kind.
PARTS = {"all": "allOf", "any": "anyOf", "one": "oneOf", "not": "not", "if": "if"}
SPLITS = (
    "give the alternatives of oneOf and anyOf a property with different constants, or raise "
    "JSONSchemaOptions(max_alternatives=…); relaxed=True leaves out what splits further, and reports it"
)


class Algebra(Places):
    """The places of one schema and what they mean."""

    def __init__(
        self,
        builder: GrammarBuilder,
        documents: Documents,
        options: JSONSchemaOptions,
        report: Report,
        *,
        scoped: bool = False,
        splitting: Splitting = "together",
        most: int | None = None,
    ) -> None:
        self.splitting = splitting
        #: Alternatives of one value.
        self.most = options.max_alternatives if most is None else most
        super().__init__(builder, documents, options, report, scoped=scoped)
        self.patterns: dict[str, int | None] = {}
        self.formats: dict[tuple[str, int], string.Matches | string.Nested | None] = {}
        self._splitting: dict[int, bool] = {}
        #: Places whose annotations are being found, and in which frame.
        self._annotating: dict[int, int] = {}
        #: Fields, without what they ask of some keys.
        self.halves: dict[tuple[Any, ...], object.Fields] = {}
        self.emptiness = Emptiness(self)
        self._expanded: dict[Goal, list[Case]] = {}
        #: How many searches came to a place that is being expanded.
        self.circles = 0
        self.texts_of_keys: dict[Goal, int | None] = {}
        self._frame = 0
        self._frames = 0
        self._steps = 0

    # -- expansion ------------------------------------------------------------------------------------------------
    def expand(self, goal: Goal) -> list[Case]:
        """The cases whose union is the goal; they may overlap."""
        if not goal:
            return [WHOLE]
        if len(goal) == 1:
            (literal,) = goal
            if literal < 0:
                return []
            site = self.sites[literal >> 1]
            cases = site.negative if literal & 1 else site.positive
            return cases if isinstance(cases, list) else self._literal(site, literal)
        found = self._expanded.get(goal)
        if found is None and (-1 in goal or any(literal ^ 1 in goal for literal in goal)):
            found = self._expanded[goal] = []
        if found is None:
            found = [WHOLE]
            for literal in sorted(goal):
                found = self._within(found, frozenset((literal,)))
            self._expanded[goal] = found
        return found

    def _literal(self, site: Site, literal: int) -> list[Case]:
        found = site.negative if literal & 1 else site.positive
        if found is not None:
            raise self._circle(site, found)
        done: list[Case] | None = None
        work = self._negative if literal & 1 else self._positive
        self.depth += 1
        try:
            if literal & 1:
                site.negative = self._frame
            else:
                site.positive = self._frame
            done = work(site) if self.depth % HOP else elsewhere(work, site)
        finally:
            self.depth -= 1
            if literal & 1:
                site.negative = done
            else:
                site.positive = done
        return done

    def _circle(self, site: Site, frame: int) -> Exception:
        """What it means to come to a place that is being looked at: a loop, if no member or item lies between."""
        if frame != self._frame:
            return _Unknown()
        return InvalidSchemaError(
            "the schema refers to itself without looking into the value",
            where=site.pointer,
            hint="a reference may lead back to its own place only from inside properties, items and the like",
        )

    def once(self, site: Site, work: Callable[[], T]) -> T:
        """What `work` finds out of a place; to come back to the place meanwhile is a circle."""
        frame = self._annotating.get(site.number)
        if frame is not None:
            raise self._circle(site, frame)
        self._annotating[site.number] = self._frame
        try:
            return work()
        finally:
            del self._annotating[site.number]

    def reading_of(self, site: Site) -> Reading:
        reading: Reading | None = site.reading
        if reading is None:
            reading = site.reading = read(self, site)
        return reading

    def _positive(self, site: Site) -> list[Case]:
        if site.union is not None:
            return self.sum(self.expand(goal) for goal in site.union)
        reading = self.reading_of(site)
        if reading.is_unevaluated():
            try:
                return [case for case, _ in annotated.annotated(self, site)]
            except TooManyAlternatives:
                if self.splitting != "loosened":
                    raise
                self._leave_out(site, "unevaluatedProperties", "members that no keyword looked at")
        if not reading.parts and not reading.alternatives:
            return [reading.case]
        return self._applied([WHOLE], site)

    def _applied(self, context: list[Case], site: Site) -> list[Case]:
        """What of `context` meets a place; if relaxed, parts that split too far are left out, one by one."""
        reading = self.reading_of(site)
        found = self.own(context, reading)
        for kind, goals in reading.parts:
            for several in [[goal] for goal in goals] if kind == "all" else [goals]:
                try:
                    found = self._meeting(found, kind, several)
                except TooManyAlternatives:
                    if self.splitting != "loosened":
                        raise
                    found = self._loosened(found, site, kind, several)
        return found

    def _meeting(self, found: list[Case], kind: str, goals: list[Goal]) -> list[Case]:
        if kind == "one" and apart.discriminated(self, found, goals):
            return self.sum([self.product(found, self.expand(goal)) for goal in goals])
        if kind == "one":
            return self.sum(apart.each_exactly(self, found, goals))
        if kind == "all":
            return self._within(found, goals[0])
        if kind == "any" and (len(found) != 1 or found[0] is not WHOLE):
            return self.pruned(self.sum([self._within(found, goal) for goal in goals])) if found else found
        return self.product(found, self.part(kind, goals))

    def _loosened(self, found: list[Case], site: Site, kind: str, goals: list[Goal]) -> list[Case]:
        """The cases without what splits them too far."""
        if kind == "one":
            try:
                wider = self._meeting(found, "any", goals)
            except TooManyAlternatives:
                pass
            else:
                self._leave_out(site, "oneOf", "values that meet several of its alternatives")
                return wider
        where = self.sites[max(goals[0]) >> 1] if kind == "all" and goals[0] and max(goals[0]) >= 0 else site
        self._leave_out(where, PARTS[kind], "values that do not meet it")
        return found

    def _leave_out(self, site: Site, keyword: str, slips: str) -> None:
        """Note a part that splits a value too far and is not enforced for that."""
        where = site.pointer if site.pointer.endswith(f"/{keyword}") else f"{site.pointer}/{keyword}"
        self.unsupported(where, keyword, f"too many alternatives: {slips}")

    def _within(self, context: list[Case], goal: Goal) -> list[Case]:
        """The cases of `context` that meet the goal; alternatives are told apart with what the context demands."""
        if len(goal) != 1 or not context or (len(context) == 1 and context[0] is WHOLE):
            return self.product(context, self.expand(goal))
        (literal,) = goal
        if literal < 0 or literal & 1 or not self._splits(literal) or literal in self._following:
            return self.product(context, self.expand(goal))
        self._following.add(literal)
        try:
            return self._applied(context, self.sites[literal >> 1])
        finally:
            self._following.discard(literal)

    def _splits(self, literal: int) -> bool:
        """Whether oneOf stands in the place itself or in what it applies to the same value."""
        found = self._splitting.get(literal)
        if found is None:
            self._splitting[literal] = False
            site = self.sites[literal >> 1]
            if site.union is not None:
                return False
            reading = self.reading_of(site)
            if reading.is_unevaluated():
                return False
            self.depth += 1
            try:
                found = self._parts_split(reading) if self.depth % HOP else elsewhere(self._parts_split, reading)
            finally:
                self.depth -= 1
            self._splitting[literal] = found
        return found

    def _parts_split(self, reading: Reading) -> bool:
        return any(
            kind == "one"
            or (
                kind in ("all", "any")
                and any(self._splits(one) for goal in goals for one in goal if one >= 0 and not one & 1)
            )
            for kind, goals in reading.parts
        )

    def own(self, found: list[Case], reading: Reading) -> list[Case]:
        case = reading.case
        if case is not WHOLE:
            found = [case] if len(found) == 1 and found[0] is WHOLE else self.product(found, [case])
        for alternatives in reading.alternatives:
            found = self.product(found, alternatives)
        return found

    def _negative(self, site: Site) -> list[Case]:
        try:
            return complement.of_place(self, site)
        except TooManyAlternatives:
            if self.splitting != "loosened":
                raise
            self._leave_out(site, "not", "values of what is excluded")
            return [WHOLE]

    def part(self, kind: str, goals: list[Goal]) -> list[Case]:
        if kind == "all":
            found = [WHOLE]
            for goal in goals:
                found = self.product(found, self.expand(goal))
            return found
        if kind == "any":
            return self.sum(self.expand(goal) for goal in goals)
        if kind == "one":
            return self.sum(apart.each_exactly(self, [WHOLE], goals))
        if kind == "not":
            return self.expand(self.negated(goals[0]))
        condition, then, other = goals
        if not then and not other:
            return [WHOLE]
        if self.splitting == "clauses":
            halves = [
                clause.joined(self, self.sum([self.expand(self.negated(condition)), self.expand(then)])),
                clause.joined(self, self.sum([self.expand(condition), self.expand(other)])),
            ]
            if all(len(half) == 1 for half in halves):
                return self.product(*halves)
        return self.sum(
            [
                self.product(self.expand(condition), self.expand(then)),
                self.product(self.expand(self.negated(condition)), self.expand(other)),
            ]
        )

    def looked_into(self, goal: Goal) -> list[Case] | None:
        """The cases of a member's or an item's goal, None where that is being expanded: no loop, only a circle."""
        before, self._frames = self._frame, self._frames + 1
        self._frame = self._frames
        try:
            return self.expand(goal)
        except _Unknown:
            self.circles += 1
            return None
        finally:
            self._frame = before

    # -- lists of cases -------------------------------------------------------------------------------------------
    def sum(self, lists: Iterable[list[Case]]) -> list[Case]:
        collected = [case for cases in lists for case in cases]
        if len(collected) > 1:
            collected = list({case.key(): case for case in collected}.values())
            self.spend(len(collected))
        return collected

    def product(self, left: list[Case], right: list[Case]) -> list[Case]:
        if len(left) == 1 and left[0] is WHOLE:
            return right
        if len(right) == 1 and right[0] is WHOLE:
            return left
        if self.splitting == "clauses":
            left, right = clause.joined(self, left), clause.joined(self, right)
        found = []
        for case in left:
            for other in right:
                both = meet(case, other)
                if both is not None:
                    found.append(both)
        if len(found) > 1:
            found = list({case.key(): case for case in found}.values())
        if len(found) > CROWD:
            found = self.least(self.pruned(found))
        self.spend(len(found))
        return found

    def least(self, cases: list[Case]) -> list[Case]:
        """Without cases that another one, demanding less, covers."""
        if not 1 < len(cases) <= 400:
            return cases
        parts = [
            (case.mask, frozenset(case.numbers + case.strings + case.arrays + case.objects), case) for case in cases
        ]
        parts.sort(key=lambda part: len(part[1]))
        kept: list[tuple[int, frozenset[Any], Case]] = []
        for mask, atoms, case in parts:
            for wider, fewer, _ in kept:
                if mask | wider == wider and atoms >= fewer:
                    break
            else:
                kept.append((mask, atoms, case))
        chosen = {id(case) for _, _, case in kept}
        return [case for case in cases if id(case) in chosen]

    def pruned(self, cases: list[Case]) -> list[Case]:
        """Without cases, and types of cases, that certainly no value is in."""
        found = []
        for case in cases:
            types = self.emptiness.types_left(case, 2)
            if types:
                found.append(case.among(types))
        return found

    def spend(self, count: int) -> None:
        if count > self.most:
            raise TooManyAlternatives(
                LimitExceededError(
                    f"one value splits into more than {self.most} alternatives",
                    where=self.current(),
                    hint=SPLITS,
                ),
                self.emptiness.steps,
            )
        self._steps += count
        self.builder.check()
        if self._steps > 200 * self.options.max_alternatives:
            raise LimitExceededError(
                f"the schema splits into more than {200 * self.options.max_alternatives} alternatives in all",
                where=self.current(),
                hint=SPLITS,
            )

    def current(self) -> str:
        """The place being expanded."""
        busy = [s for s in self.sites if (s.positive is not None and not isinstance(s.positive, list))]
        return busy[-1].pointer if busy else ""
