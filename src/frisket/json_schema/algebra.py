"""Goals → unions of cases: intersection, union and complement of schemas, one level at a time.

A goal is a set of literals (places of the schema, or their negations) that one value must meet. Expanding a goal looks
at the value's own type and conditions only; what members and items must meet are goals again, expanded when somebody
asks. There are finitely many literals, so recursion through allOf, $ref siblings and not ends in finitely many goals,
and each becomes one rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from frisket import _core
from frisket.errors import InvalidSchemaError, LimitExceededError, UnsupportedSchemaError
from frisket.json_schema import array, interval, object, string
from frisket.json_schema.reader import KEYWORDS, KNOWN, read
from frisket.json_schema.reading import Evaluated, Reading
from frisket.json_schema.resolve import DRAFT2020, Documents, Resource, Site, UnresolvedReference, within
from frisket.json_schema.room import HOP, elsewhere
from frisket.json_schema.value import (
    ANY,
    ANYTHING,
    ARRAY,
    BOOLEAN,
    FALSE,
    NOTHING,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    TRUE,
    WHOLE,
    Case,
    Goal,
    meet,
)

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.formats import Format
    from frisket.json_schema.object import ObjectAtom
    from frisket.json_schema.options import JSONSchemaOptions
    from frisket.json_schema.report import Report

#: How deep a search for contradictions looks; members of members of members decide every discriminator seen so far.
DEPTH = 4
#: Searches inside searches (expanding a goal may look for contradictions too) before the answer is "unknown".
NESTED = 6
#: No search at all.
NEVER = -1, NESTED
#: How many searches for a key that patterns share; one among many patterns counts for many.
SEARCHES = 4000
#: Longer lists are not compared to find places that say the same.
SHORT = 64
ONLY_STRINGS = {str}
#: Places, or nodes, between two looks at the limits.
CHECKED = 128
#: Demands of more places are not searched for places that say the same.
ALIKE = 16
#: Products above this size are searched for contradictions at once.
CROWD = 6

Annotated = list[tuple[Case, Evaluated]]


class NeedsScopes(Exception):
    """A dynamic reference was met: compile again with dynamic scopes."""


class _Unknown(Exception):
    """A search for contradictions came to a place that is being expanded."""


class Algebra:
    """The places of one schema and what they mean."""

    def __init__(
        self,
        builder: GrammarBuilder,
        documents: Documents,
        options: JSONSchemaOptions,
        report: Report,
        *,
        scoped: bool = False,
    ) -> None:
        self.builder = builder
        self.documents = documents
        self.options = options
        self.report = report
        self.scoped = scoped
        self.sites: list[Site] = []
        self.places: list[tuple[str, str]] = []
        self.patterns: dict[str, int | None] = {}
        self.formats: dict[tuple[str, int], string.Matches | string.Nested | None] = {}
        self._by_key: dict[tuple[int, ...], Goal] = {}
        self._by_content: dict[tuple[Any, ...], Goal] = {}
        self._by_reference: dict[tuple[str, int], Goal] = {}
        self._aliases: list[tuple[dict[str, Any], Site | str, tuple[str, ...]]] = []
        self._following: set[int] = set()
        self._splitting: dict[int, bool] = {}
        self._singles: dict[tuple[str, Goal], object.Fields] = {}
        self._expanded: dict[Goal, list[Case]] = {}
        self._negated: dict[Goal, Goal] = {}
        self._joint: dict[tuple[Goal, Goal], Goal] = {}
        #: For each place that was compared what it says, and where; nothing if it is like no other.
        self._said: dict[int, tuple[Any, ...] | None] = {}
        #: Places that were not looked into, since another one says the same.
        self._copies: dict[int, Site] = {}
        self._void: dict[Goal, bool] = {}
        #: (how deep the last search for a contradiction looked that found none, inside how many others it was)
        self._alive: dict[Goal, tuple[int, int]] = {}
        self._textless: dict[tuple[string.StringAtom, ...], bool] = {}
        #: How many searches came to a place that is being expanded.
        self._circles = 0
        self._texts: dict[Goal, int | None] = {}
        #: How many levels are being worked on, of schemas and of what they apply in place.
        self.depth = 0
        self._frame = 0
        self._frames = 0
        self._nested = 0
        self._searches = 0
        self._constants = Resource(None, "", DRAFT2020, "", None)
        self._steps = 0

    # -- places ---------------------------------------------------------------------------------------------------
    def root(self) -> Goal:
        resource = self.documents.root
        scope = (resource,) if self.scoped else ()
        return self._goal(resource.contents, resource, scope, resource.pointer, ())

    def below(self, site: Site, schema: Any, *tokens: str) -> Goal:
        """The demand of a subschema found at `tokens` below `site`."""
        resource, scope = site.resource, site.scope
        if isinstance(schema, dict) and ("$id" in schema or "id" in schema):
            pointer = Site(-1, None, resource, (), site, tokens).pointer
            inner = self.documents.inside(schema, resource, pointer)
            if inner is not resource:
                resource, scope = inner, self._entered(scope, inner)
        return self._goal(schema, resource, scope, site, tokens)

    def referred(self, site: Site, reference: str, *, kind: str = "$ref") -> Goal:
        """The demand that a reference stands for."""
        documents = self.documents
        try:
            schema, resource, pointer = documents.resolve(reference, site.resource)
        except UnresolvedReference:
            where = f"{site.pointer}/{kind}"
            if reference.startswith("#"):
                raise InvalidSchemaError(f"{reference!r} leads nowhere", where=where) from None
            self.unsupported(
                where, kind, f"{reference} is not among the documents given; pass a registry that holds it"
            )
            return ANYTHING
        if kind != "$ref":
            if not self.scoped:
                raise NeedsScopes
            schema, resource, pointer = self._dynamic(site, reference, kind, schema, resource, pointer)
        return self._goal(schema, resource, self._entered(site.scope, resource), pointer, ())

    def _dynamic(
        self, site: Site, reference: str, kind: str, schema: Any, resource: Resource, pointer: str
    ) -> tuple[Any, Resource, str]:
        if kind == "$recursiveRef":
            if resource.recursive:
                for outer in site.scope:
                    if outer.recursive:
                        return outer.contents, outer, outer.pointer
            return schema, resource, pointer
        name = reference.partition("#")[2]
        if name and isinstance(schema, dict) and schema.get("$dynamicAnchor") == name:
            for outer in site.scope:
                self.documents.scan(outer)
                if name in outer.dynamic:
                    found, where = outer.dynamic[name]
                    return found, outer, where
        return schema, resource, pointer

    def _entered(self, scope: tuple[Resource, ...], resource: Resource) -> tuple[Resource, ...]:
        return scope if not self.scoped or resource in scope else (*scope, resource)

    def _goal(
        self, schema: Any, resource: Resource, scope: tuple[Resource, ...], origin: Site | str, tokens: tuple[str, ...]
    ) -> Goal:
        if schema is True:
            return ANYTHING
        if schema is False:
            return NOTHING
        if not isinstance(schema, dict):
            raise InvalidSchemaError(
                f"a schema is an object or a boolean, not {_kind(schema)}",
                where=Site(-1, None, resource, (), origin, tokens).pointer,
            )
        if not schema:
            return ANYTHING
        key = (id(schema), id(resource), *map(id, scope)) if scope else (id(schema), id(resource))
        known = self._by_key.get(key)
        if known is not None:
            return known
        goal = self._same_as(schema, resource, scope, origin, tokens)
        if goal is None:
            site = Site(len(self.sites), schema, resource, scope, origin, tokens)
            self.sites.append(site)
            goal = frozenset((2 * site.number,))
        self._by_key[key] = goal
        if not len(self._by_key) % CHECKED:
            self.builder.check()
        return goal

    def _same_as(
        self,
        schema: dict[str, Any],
        resource: Resource,
        scope: tuple[Resource, ...],
        origin: Site | str,
        tokens: tuple[str, ...],
    ) -> Goal | None:
        """The goal of another place that says the same, if that is easy to see: equal goals cancel out early."""
        said: list[Any] = []
        refers = False
        for keyword, value in schema.items():
            if keyword in KEYWORDS:
                kind = type(value)
                if kind is str:
                    said += (keyword, value)
                    refers = refers or keyword[0] == "$"
                elif kind is int or kind is float or kind is bool:
                    said += (keyword, kind, value)
                elif kind is list and len(value) < SHORT and set(map(type, value)) == ONLY_STRINGS:
                    said += (keyword, tuple(value))
                else:
                    return None
        if not said:
            return ANYTHING
        if refers or "nullable" in schema:
            if len(said) == 2 and said[0] == "$ref":
                return self._followed(schema, said[1], resource, scope, origin, tokens)
            return None
        key = (resource.draft, resource.asserts, *said)
        found = self._by_content.get(key)
        if found is None:
            site = Site(len(self.sites), schema, resource, scope, origin, tokens)
            self.sites.append(site)
            found = self._by_content[key] = frozenset((2 * site.number,))
        else:
            self._aliases.append((schema, origin, tokens))
        return found

    def _followed(
        self,
        schema: dict[str, Any],
        reference: str,
        resource: Resource,
        scope: tuple[Resource, ...],
        origin: Site | str,
        tokens: tuple[str, ...],
    ) -> Goal:
        """The goal of a place that only refers to another one."""
        found = self._by_reference.get((reference, id(resource))) if not scope else None
        if found is not None:
            self._aliases.append((schema, origin, tokens))
            return found
        refused = len(self.places)
        site = Site(-1, schema, resource, scope, origin, tokens)
        if -id(schema) in self._following:
            raise InvalidSchemaError("the schema refers to itself without looking into the value", where=site.pointer)
        self._following.add(-id(schema))
        self.depth += 1
        try:
            goal = self.referred(site, reference) if self.depth % HOP else elsewhere(self.referred, site, reference)
        finally:
            self.depth -= 1
            self._following.discard(-id(schema))
        self._aliases.append((schema, origin, tokens))
        if not scope and len(self.places) == refused:
            self._by_reference[reference, id(resource)] = goal
        return goal

    def invented(self, origin: Site, schema: dict[str, Any]) -> Goal:
        """The demand of a schema that nobody wrote, made for a keyword of `origin`."""
        site = Site(len(self.sites), schema, self._constants, (), origin, ())
        self.sites.append(site)
        return frozenset((2 * site.number,))

    def either(self, goals: Iterable[Goal]) -> Goal:
        """The demand to meet at least one of the goals."""
        distinct = [goal for goal in dict.fromkeys(goals) if goal != NOTHING]
        if ANYTHING in distinct:
            return ANYTHING
        if len(distinct) < 2:
            return distinct[0] if distinct else NOTHING
        site = Site(len(self.sites), None, self._constants, (), self.where(), ())
        site.union = tuple(distinct)
        self.sites.append(site)
        return frozenset((2 * site.number,))

    def negated(self, goal: Goal) -> Goal:
        if not goal:
            return NOTHING
        if -1 in goal:
            return ANYTHING
        found = self._negated.get(goal)
        if found is None:
            found = self.either(frozenset((literal ^ 1,)) for literal in sorted(goal))
            self._negated[goal] = found
        return found

    def both(self, left: Goal, right: Goal) -> Goal:
        """The demand to meet both goals; of places that say the same, the first."""
        if not right or left is right:
            return left
        if not left:
            return right
        joint = left | right
        if len(joint) > ALIKE or len(joint) == len(left) or len(joint) == len(right) or -1 in joint:
            return joint
        found = self._joint.get((left, right))
        if found is None:
            found = joint
            said = {self._says(literal) for literal in left}
            for literal in right - left:
                says = self._says(literal)
                if says is not None and says in said:
                    found -= {literal}
                    self._copies[literal >> 1] = self.sites[literal >> 1]
            self._joint[left, right] = found
        return found

    def _says(self, literal: int) -> tuple[Any, ...] | None:
        number = literal >> 1
        if number not in self._said:
            site = self.sites[number]
            content = None if site.union is not None else _core.said(site.schema, KNOWN)
            self._said[number] = None if content is None else (content, site.resource, *site.scope)
        said = self._said[number]
        return None if said is None else (literal & 1, *said)

    def single(self, key: str, goal: Goal) -> object.Fields:
        """A demand on one member alone; the same demand is the same object."""
        found = self._singles.get((key, goal))
        if found is None:
            found = self._singles[key, goal] = object.Fields({key: goal})
        return found

    def where(self, goal: Goal = ANYTHING) -> str:
        """The pointer of a goal, for messages."""
        for literal in sorted(goal, reverse=True):
            if literal >= 0:
                return self.sites[literal >> 1].pointer
        return ""

    def unsupported(self, pointer: str, keyword: str, slips: str) -> None:
        """Note a keyword that is left out; unless `relaxed`, all of them are raised together at the end."""
        from frisket.json_schema.report import Entry

        if (pointer, slips) not in self.places:
            self.places.append((pointer, slips))
            self.report.loosened.append(
                Entry(
                    pointer.rpartition("/")[0] if pointer.endswith("/" + keyword) else pointer,
                    keyword,
                    "loosened",
                    slips,
                )
            )

    def inexact(self, pointer: str, keyword: str, name: str, known: Format) -> None:
        """Note a format whose node is not its exact language."""
        if not known.sound:
            self.unsupported(pointer, keyword, f"{name}: {known.reason}")
        else:
            from frisket.json_schema.report import Entry

            self.report.narrowed.append(
                Entry(pointer.rpartition("/")[0], keyword, "narrowed", f"{name}: {known.reason}")
            )

    def raise_unsupported(self) -> None:
        if self.places and not self.options.relaxed:
            first = "; ".join(f"{pointer or '(root)'}: {reason}" for pointer, reason in self.places[:5])
            more = f" and {len(self.places) - 5} more" if len(self.places) > 5 else ""
            raise UnsupportedSchemaError(
                f"cannot be enforced exactly: {first}{more}",
                places=self.places,
                where=self.places[0][0],
                hint="relaxed=True compiles the rest and reports these places",
            )

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
            if found == self._frame:
                raise InvalidSchemaError(
                    "the schema refers to itself without looking into the value", where=site.pointer
                )
            raise _Unknown
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

    def _reading(self, site: Site) -> Reading:
        reading: Reading | None = site.reading
        if reading is None:
            reading = site.reading = read(self, site)
        return reading

    def _positive(self, site: Site) -> list[Case]:
        if site.union is not None:
            return self.sum(self.expand(goal) for goal in site.union)
        reading = self._reading(site)
        if reading.is_unevaluated():
            return [case for case, _ in self.annotated(site)]
        if not reading.parts and not reading.alternatives:
            return [reading.case]
        return self._applied([WHOLE], reading)

    def _applied(self, context: list[Case], reading: Reading) -> list[Case]:
        found = self._own(context, reading)
        for kind, goals in reading.parts:
            if kind == "one" and self._discriminated(found, goals):
                found = self.sum([self.product(found, self.expand(goal)) for goal in goals])
            elif kind == "one":
                found = self.sum(self._each_exactly(found, goals))
            elif kind == "all":
                for goal in goals:
                    found = self._within(found, goal)
            elif kind == "any" and (len(found) != 1 or found[0] is not WHOLE):
                found = self.pruned(self.sum([self._within(found, goal) for goal in goals])) if found else found
            else:
                found = self.product(found, self._part(kind, goals))
        return found

    def _within(self, context: list[Case], goal: Goal) -> list[Case]:
        """The cases of `context` that meet the goal; alternatives are told apart with what the context demands."""
        if len(goal) != 1 or not context or (len(context) == 1 and context[0] is WHOLE):
            return self.product(context, self.expand(goal))
        (literal,) = goal
        if literal < 0 or literal & 1 or not self._splits(literal) or literal in self._following:
            return self.product(context, self.expand(goal))
        self._following.add(literal)
        try:
            return self._applied(context, self._reading(self.sites[literal >> 1]))
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
            reading = self._reading(site)
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

    def _own(self, found: list[Case], reading: Reading) -> list[Case]:
        case = reading.case
        if case is not WHOLE:
            found = [case] if len(found) == 1 and found[0] is WHOLE else self.product(found, [case])
        for alternatives in reading.alternatives:
            found = self.product(found, alternatives)
        return found

    def _negative(self, site: Site) -> list[Case]:
        if site.union is not None:
            found = [WHOLE]
            for goal in site.union:
                found = self.without(found, goal)
            return found
        reading = self._reading(site)
        found = self.complement(reading.case)
        for alternatives in reading.alternatives:
            found = self.sum([found, self.complement_of_all(alternatives)])
        for kind, goals in reading.parts:
            found = self.sum([found, self._part_negated(kind, goals)])
        if reading.is_unevaluated():
            extra: list[Case] = []
            for case, seen in self._annotated_base(reading):
                for rest in reading.unevaluated(self, seen):
                    extra += self.product([case], self.complement(rest))
            found = self.sum([found, extra])
        return found

    def complement(self, case: Case) -> list[Case]:
        """Everything outside one case."""
        found = [Case(ANY & ~case.mask)] if case.mask != ANY else []
        found += [Case(NUMBER, numbers=(interval.negate(atom),)) for atom in case.numbers]
        for text in case.strings:
            found += [Case(STRING, strings=(other,)) for other in string.negate(text)]
        for items in case.arrays:
            found += [Case(ARRAY, arrays=others) for others in array.negate(self, items)]
        # An object either lacks a required key or has them all: what overlaps less dies earlier in products.
        needed = tuple(
            [key for members in case.objects if isinstance(members, object.Required) for key in members.keys]
        )
        beside: tuple[ObjectAtom, ...] = (object.Required(needed, stated=False),) if needed else ()
        for members in case.objects:
            for others in object.negate(self, members):
                broken = len(others) == 1 and isinstance(others[0], object.Breaks)
                found.append(Case(OBJECT, objects=(*beside, *others) if broken else others))
        return found

    def complement_of_all(self, cases: list[Case]) -> list[Case]:
        found = [WHOLE]
        for case in cases:
            found = self.product(found, self.complement(case))
        return found

    def _part(self, kind: str, goals: list[Goal]) -> list[Case]:
        if kind == "all":
            found = [WHOLE]
            for goal in goals:
                found = self.product(found, self.expand(goal))
            return found
        if kind == "any":
            return self.sum(self.expand(goal) for goal in goals)
        if kind == "one":
            return self.sum(self._each_exactly([WHOLE], goals))
        if kind == "not":
            return self.expand(self.negated(goals[0]))
        condition, then, other = goals
        if not then and not other:
            return [WHOLE]
        return self.sum(
            [
                self.product(self.expand(condition), self.expand(then)),
                self.product(self.expand(self.negated(condition)), self.expand(other)),
            ]
        )

    def _discriminated(self, context: list[Case], goals: list[Goal]) -> bool:
        """Whether some required member has different constants in all alternatives: no pair need be compared."""
        if len(goals) < 3 or len(context) != 1:
            return False
        around = object.Shape(context[0].objects).required
        common: dict[str, frozenset[str]] | None = None
        for goal in goals:
            cases = self.expand(goal)
            if len(cases) != 1 or cases[0].mask & context[0].mask != OBJECT:
                return False
            shape = object.Shape(cases[0].objects)
            keys = {**shape.required, **around} if common is None else common
            found: dict[str, frozenset[str]] = {}
            for key in keys:
                if key not in shape.required and key not in around:
                    continue
                texts = self._constants_of(shape.at(self, key))
                if texts is not None and (common is None or not (common[key] & texts)):
                    found[key] = texts if common is None else common[key] | texts
            if not found:
                return False
            common = found
        return True

    def _constants_of(self, goal: Goal) -> frozenset[str] | None:
        """The strings that a goal lists, if it is a list of strings."""
        if len(goal) != 1 or -1 in goal:
            return None
        cases = self._looked_into(goal)
        if cases is None or len(cases) != 1 or cases[0].mask != STRING:
            return None
        for atom in cases[0].strings:
            if isinstance(atom, string.Among) and atom.positive:
                return atom.values
        return None

    def _looked_into(self, goal: Goal) -> list[Case] | None:
        """The cases of a member's or an item's goal, None where that is being expanded: no loop, only a circle."""
        before, self._frames = self._frame, self._frames + 1
        self._frame = self._frames
        try:
            return self.expand(goal)
        except _Unknown:
            self._circles += 1
            return None
        finally:
            self._frame = before

    def _each_exactly(self, context: list[Case], goals: list[Goal]) -> Iterator[list[Case]]:
        """The alternatives of oneOf: lists of values that have none in common need not be compared with each other."""
        listed = [self._values_of(self.expand(goal)) for goal in goals]
        counts = Counter(value for values in listed if values is not None for value in values)
        alone = [values is not None and all(counts[value] == 1 for value in values) for values in listed]
        others = [goal for goal, is_alone in zip(goals, alone, strict=True) if not is_alone]
        for chosen, goal in enumerate(goals):
            beside = others if alone[chosen] else [*goals[:chosen], *goals[chosen + 1 :]]
            yield self._exactly(context, goal, beside)

    def _values_of(self, cases: list[Case]) -> list[Any] | None:
        """More than what meets the cases, if they list it: constants by type."""
        found: list[Any] = []
        for case in cases:
            if case.mask & (ARRAY | OBJECT):
                return None
            found += [bit for bit in (NULL, FALSE, TRUE) if case.mask & bit]
            if case.mask & STRING:
                texts = [atom for atom in case.strings if isinstance(atom, string.Among) and atom.positive]
                if not texts:
                    return None
                found += [("text", value) for value in texts[0].values]
            if case.mask & NUMBER:
                numbers = [atom for atom in case.numbers if isinstance(atom, interval.Among) and atom.positive]
                if not numbers:
                    return None
                found += [("number", value) for value in numbers[0].values]
        return list(dict.fromkeys(found))

    def _exactly(self, context: list[Case], chosen: Goal, others: list[Goal]) -> list[Case]:
        """The cases of `context` and one alternative that no other alternative shares.

        What is demanded beside oneOf often tells the alternatives apart (a discriminator that is required only there).
        """
        found = self.product(context, self.expand(chosen))
        if not context:
            return []
        if len(context) > 1 or context[0] is not WHOLE:
            found = self.pruned(found)
        for goal in others:
            if not self.apart(found, self.expand(goal)):
                found = self.least(self.pruned(self.without(found, goal)))
        return found

    def without(self, cases: list[Case], goal: Goal) -> list[Case]:
        """The cases without what meets the goal: only of the types in which a case shares some value with it."""
        if len(cases) == 1 and cases[0] is WHOLE:
            return self.expand(self.negated(goal))
        inside = self._at_hand(goal)
        if inside is None:
            return self.product(cases, self.expand(self.negated(goal)))
        kept: list[Case] = []
        parted: list[Case] = []
        for case in cases:
            shared = 0
            for other in inside:
                both = meet(case, other)
                if both is not None and both.mask & ~shared:
                    shared |= self.types_left(both, DEPTH)
            if case.mask & ~shared:
                kept.append(case.among(~shared))
            if shared:
                parted.append(case.among(shared))
        if not parted:
            return kept
        parted = self.product(parted, self.expand(self.negated(goal)))
        return self.least(self.sum([kept, self.pruned(parted)])) if kept else parted

    def _at_hand(self, goal: Goal) -> list[Case] | None:
        """The cases of a goal, if there are few and finding them takes no product (which may be larger than that of
        their complements)."""
        if len(goal) != 1 or -1 in goal:
            return None
        (literal,) = goal
        site = self.sites[literal >> 1]
        cases = site.negative if literal & 1 else site.positive
        if isinstance(cases, list):
            return cases if len(cases) <= CROWD else None
        if cases is None and not literal & 1 and site.union is None:
            reading = self._reading(site)
            if not (reading.parts or reading.alternatives or reading.is_unevaluated()):
                return self.expand(goal)
        return None

    def _part_negated(self, kind: str, goals: list[Goal]) -> list[Case]:
        if kind == "all":
            return self.sum(self.expand(self.negated(goal)) for goal in goals)
        if kind == "any":
            found = [WHOLE]
            for goal in goals:
                found = self.without(found, goal)
            return found
        if kind == "one":
            found = self._part_negated("any", goals)
            pairs = ((a, b) for i, a in enumerate(goals) for b in goals[i + 1 :])
            return self.sum([found, *(self.pruned(self.product(self.expand(a), self.expand(b))) for a, b in pairs)])
        if kind == "not":
            return self.expand(goals[0])
        condition, then, other = goals
        return self.sum(
            [
                self.product(self.expand(condition), self.expand(self.negated(then))),
                self.product(self.expand(self.negated(condition)), self.expand(self.negated(other))),
            ]
        )

    # -- annotations ----------------------------------------------------------------------------------------------
    def annotated(self, site: Site) -> Annotated:
        """Cases that do not overlap in what they evaluate, each with the members and items it evaluates."""
        reading = self._reading(site)
        found: Annotated = []
        for case, seen in self._annotated_base(reading):
            cases = [case]
            for rest in reading.unevaluated(self, seen):
                cases = self.product(cases, [rest])
            after = reading.all_evaluated(seen)
            found += [(narrowed, after) for narrowed in cases]
        return found

    def _annotated_base(self, reading: Reading) -> Annotated:
        own, seen = self._own([WHOLE], reading), reading.evaluated()
        found: Annotated = [(case, seen) for case in own]
        for kind, goals in reading.parts:
            found = self._weave(found, self._part_annotated(kind, goals))
        return found

    def _part_annotated(self, kind: str, goals: list[Goal]) -> Annotated:
        nothing = Evaluated()
        start: Annotated = [(WHOLE, nothing)]
        if kind == "all":
            for goal in goals:
                start = self._weave(start, self._goal_annotated(goal))
            return start
        if kind == "not":
            return [(case, nothing) for case in self._part(kind, goals)]
        branches = [self._goal_annotated(goal) for goal in goals]
        if all(seen == nothing for branch in branches for _, seen in branch):
            return [(case, nothing) for case in self._part(kind, goals)]
        if kind == "any":
            failed = start
            found: Annotated = []
            # `found` holds what met some branch so far; later branches still may add what they evaluate.
            for goal, branch in zip(goals, branches, strict=True):
                missed: Annotated = [(case, nothing) for case in self.expand(self.negated(goal))]
                found = self._weave(found, branch + missed) + self._weave(failed, branch)
                failed = self._weave(failed, missed)
            return found
        if kind == "one":
            found = []
            for i, branch in enumerate(branches):
                others: Annotated = [(WHOLE, nothing)]
                for j, goal in enumerate(goals):
                    if i != j:
                        others = self._weave(others, [(case, nothing) for case in self.expand(self.negated(goal))])
                found += self._weave(branch, others)
            return found
        condition, then, other = branches
        missed = [(case, nothing) for case in self.expand(self.negated(goals[0]))]
        return self._weave(condition, then) + self._weave(missed, other)

    def _goal_annotated(self, goal: Goal) -> Annotated:
        if len(goal) == 1:
            (literal,) = goal
            if literal >= 0 and not literal & 1:
                site = self.sites[literal >> 1]
                if site.union is None:
                    return self.annotated(site)
        return [(case, Evaluated()) for case in self.expand(goal)]

    def _weave(self, left: Annotated, right: Annotated) -> Annotated:
        found: dict[tuple[Any, ...], tuple[Case, Evaluated]] = {}
        for case, seen in left:
            for other, also in right:
                both = meet(case, other)
                if both is not None and not self.case_is_void(both, 1):
                    union = seen.union(also)
                    found.setdefault((both.key(), union), (both, union))
        self._spend(len(found))
        return list(found.values())

    # -- lists of cases -------------------------------------------------------------------------------------------
    def sum(self, lists: Iterable[list[Case]]) -> list[Case]:
        collected = [case for cases in lists for case in cases]
        if len(collected) > 1:
            collected = list({case.key(): case for case in collected}.values())
            self._spend(len(collected))
        return collected

    def product(self, left: list[Case], right: list[Case]) -> list[Case]:
        if len(left) == 1 and left[0] is WHOLE:
            return right
        if len(right) == 1 and right[0] is WHOLE:
            return left
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
        self._spend(len(found))
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
            types = self.types_left(case, 2)
            if types:
                found.append(case.among(types))
        return found

    def _spend(self, count: int) -> None:
        if count > self.options.max_alternatives:
            raise LimitExceededError(
                f"one value splits into more than {self.options.max_alternatives} alternatives",
                where=self.current(),
                hint="give the alternatives of oneOf and anyOf a property with different constants",
            )
        self._steps += count
        self.builder.check()
        if self._steps > 200 * self.options.max_alternatives:
            raise LimitExceededError(
                f"the schema splits into more than {200 * self.options.max_alternatives} alternatives in all",
                where=self.current(),
                hint="give the alternatives of oneOf and anyOf a property with different constants",
            )

    def current(self) -> str:
        """The place being expanded."""
        busy = [s for s in self.sites if (s.positive is not None and not isinstance(s.positive, list))]
        return busy[-1].pointer if busy else ""

    # -- emptiness ------------------------------------------------------------------------------------------------
    def apart(self, left: list[Case], right: list[Case]) -> bool:
        """Whether certainly no value is in both."""
        for case in left:
            for other in right:
                if case.mask & other.mask:
                    both = meet(case, other)
                    if both is not None and not self.case_is_void(both, DEPTH):
                        return False
        return True

    def is_void(self, goal: Goal, depth: int = DEPTH) -> bool:
        """Whether certainly no value meets the goal; False also where the search gives up."""
        if not goal:
            return False
        if -1 in goal:
            return True
        found = self._void.get(goal)
        if found is not None:
            return found
        nested = self._nested
        if nested >= NESTED:
            return False
        # A search that may look less deep finds no more.
        deep, inside = self._alive.get(goal, NEVER)
        if depth <= deep and nested >= inside:
            return False
        circles = self._circles
        self._nested += 1
        try:
            cases = self._looked_into(goal)
            if cases is None:
                return False
            void = True
            for case in cases:
                if not self.case_is_void(case, depth):
                    void = False
                    break
        finally:
            self._nested = nested
        if void or (depth >= DEPTH - 1 and not nested):
            self._void[goal] = void
        elif self._circles == circles:
            self._alive[goal] = depth, nested
        return void

    def types_left(self, case: Case, depth: int) -> int:
        """The types of a case but those of which certainly no value is in it."""
        mask = case.mask
        if mask & STRING and case.strings and self._textless_are(case.strings):
            mask &= ~STRING
        if mask & NUMBER and case.numbers and interval.Interval(mask & NUMBER, case.numbers).is_void():
            mask &= ~NUMBER
        if mask & ARRAY and array.is_void(self, case.arrays, depth):
            mask &= ~ARRAY
        if mask & OBJECT and object.is_void(self, case.objects, depth):
            mask &= ~OBJECT
        return mask

    def case_is_void(self, case: Case, depth: int) -> bool:
        mask = case.mask
        if mask & (NULL | BOOLEAN):
            return False
        if mask & STRING and not (case.strings and self._textless_are(case.strings)):
            return False
        if mask & NUMBER and not (case.numbers and interval.Interval(mask & NUMBER, case.numbers).is_void()):
            return False
        if mask & ARRAY and not array.is_void(self, case.arrays, depth):
            return False
        return not (mask & OBJECT and not object.is_void(self, case.objects, depth))

    def _textless_are(self, atoms: tuple[string.StringAtom, ...]) -> bool:
        found = self._textless.get(atoms)
        if found is None:
            found = self._textless[atoms] = string.is_void(self.builder, atoms)
        return found

    def regular_void(self, nodes: list[int], shared: int) -> bool:
        """Whether certainly no text is in all the nodes, `shared` of which are patterns that must all match."""
        self._searches += 3 ** max(0, shared - 2)
        if self._searches > SEARCHES:
            raise LimitExceededError(
                "key patterns overlap in too many ways to tell them apart",
                where=self.current(),
                hint="anchor the patterns, or give them different first characters",
            )
        try:
            return self.builder.is_empty(self.builder.and_(nodes))
        except LimitExceededError:
            self.builder.check()
            self._searches += SEARCHES // 4
            return False

    # -- keys -----------------------------------------------------------------------------------------------------
    def texts(self, goal: Goal) -> int | None:
        """The regular node of strings that meet a goal, or None if there are none."""
        if goal not in self._texts:
            cases = self._looked_into(goal)
            if cases is None:
                raise LimitExceededError("propertyNames refers to the schema that it stands in", where=self.where(goal))
            self._texts[goal] = self._texts_of(cases)
        return self._texts[goal]

    def _texts_of(self, cases: list[Case]) -> int | None:
        nodes = [string.lower(self.builder, self._regular(case.strings)) for case in cases if case.mask & STRING]
        alive = list(dict.fromkeys(node for node in nodes if node is not None))
        if not alive:
            return None
        return alive[0] if len(alive) == 1 else self.builder.alt(alive)

    def _regular(self, atoms: tuple[string.StringAtom, ...]) -> tuple[string.StringAtom, ...]:
        """What is regular of the conditions on a key; the rest is noted."""
        nesting, _ = string.nested(self.builder, atoms)
        if nesting is None:
            return atoms
        self.unsupported(
            self.where(), nesting.name, f"{nesting.name} is not enforced on keys; any key could slip through"
        )
        return tuple(atom for atom in atoms if not isinstance(atom, string.Nested))

    def text_fits(self, goal: Goal, text: str) -> bool:
        """Whether a key meets a goal; True also where that is being expanded."""
        cases = self._looked_into(goal)
        return cases is None or any(
            case.mask & STRING and all(string.holds(self.builder, atom, text) for atom in case.strings)
            for case in cases
        )

    def keywords(self) -> Iterator[tuple[str, str]]:
        """Every keyword of every place that was read."""
        for site in self.sites:
            if site.union is None and site.resource is not self._constants and isinstance(site.reading, Reading):
                pointer = site.pointer
                for keyword in site.reading.keywords:
                    yield pointer, keyword
        for schema, origin, tokens in self._aliases:
            pointer = Site(-1, schema, self._constants, (), origin, tokens).pointer
            for keyword in schema:
                if keyword in KEYWORDS:
                    yield pointer, keyword
        for site in self._copies.values():
            if site.reading is None and site.positive is None and site.negative is None:
                for schema, pointer in within(site.schema, site.pointer):
                    for keyword in schema:
                        if keyword in KEYWORDS:
                            yield pointer, keyword


def _kind(value: Any) -> str:
    return {type(None): "null", list: "an array", str: "a string", int: "a number", float: "a number"}.get(
        type(value), type(value).__name__
    )
