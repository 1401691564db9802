"""Schema → places, and the demands that name them: a goal is a set of literals, places or their negations.

Places that say the same are one where that is easy to see, so that goals meet and cancel out early.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from frisket.errors import InvalidSchemaError, UnsupportedSchemaError
from frisket.lint.resolve import DRAFT2020, UNNUMBERED, Documents, Resource, Site, UnresolvedReference, within
from tests.oracle.json_schema import data, object
from tests.oracle.json_schema.keywords import KEYWORDS
from tests.oracle.json_schema.reading import Reading
from tests.oracle.json_schema.room import HOP, elsewhere
from tests.oracle.json_schema.said import said as said_by
from tests.oracle.json_schema.value import ANYTHING, NOTHING, Goal

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions
    from frisket.json_schema.report import Entry, Report
    from tests.oracle.json_schema.formats import Format

#: Longer lists are not compared to find places that say the same.
SHORT = 64
ONLY_STRINGS = {str}
#: Places, or nodes, between two looks at the limits.
CHECKED = 128
#: What it takes to read a place, or to make its node, in steps of a limit: some 20 µs each.
STEPS = 1000
#: Demands of more places are not searched for places that say the same.
ALIKE = 16


class NeedsScopes(Exception):
    """A dynamic reference was met: compile again with dynamic scopes."""


class Places:
    """The places of one schema, by number, and what was left out of them."""

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
        self._by_key: dict[tuple[int, ...], Goal] = {}
        self._by_content: dict[tuple[Any, ...], Goal] = {}
        self._by_reference: dict[tuple[str, int], Goal] = {}
        self._aliases: list[tuple[dict[str, Any], Site | str, tuple[str, ...]]] = []
        self._by_value: dict[tuple[int, int], Goal] = {}
        self._following: set[int] = set()
        self._singles: dict[tuple[str, Goal], object.Fields] = {}
        self._negated: dict[Goal, Goal] = {}
        self._joint: dict[tuple[Goal, Goal], Goal] = {}
        #: For each place that was compared what it says, and where; nothing if it is like no other.
        self._said: dict[int, tuple[Any, ...] | None] = {}
        #: Places that were not looked into, since another one says the same.
        self._copies: dict[int, Site] = {}
        #: How many levels are being worked on, of schemas and of what they apply in place.
        self.depth = 0
        self._constants = Resource(None, "", DRAFT2020, "", None)

    def root(self) -> Goal:
        resource = self.documents.root
        scope = (resource,) if self.scoped else ()
        return self._goal(resource.contents, resource, scope, resource.pointer, ())

    def below(self, site: Site, schema: Any, *tokens: str) -> Goal:
        """The demand of a subschema found at `tokens` below `site`."""
        resource, scope = site.resource, site.scope
        if isinstance(schema, dict) and ("$id" in schema or "id" in schema):
            pointer = Site(UNNUMBERED, None, resource, (), site, tokens).pointer
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
                raise InvalidSchemaError(
                    f"{reference!r} leads nowhere", where=where, hint=_place_meant(reference, site.resource.contents)
                ) from None
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
                where=Site(UNNUMBERED, None, resource, (), origin, tokens).pointer,
                hint="true is the schema of any value, false that of none",
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
            self.builder.check(CHECKED * STEPS)
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
            elif type(keyword) is not str:
                data.check_key(keyword, Site(UNNUMBERED, None, resource, (), origin, tokens).pointer)
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
        site = Site(UNNUMBERED, schema, resource, scope, origin, tokens)
        if -id(schema) in self._following:
            raise InvalidSchemaError(
                "the schema refers to itself without looking into the value",
                where=site.pointer,
                hint="let one of the references lead to a schema that says something",
            )
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

    def constant(self, origin: Site, value: Any) -> Goal:
        """The demand to be this part of a value that `origin` states; of a part that is shared, always the same."""
        home = origin.origin if self.is_invented(origin) and isinstance(origin.origin, Site) else origin
        # The schema keeps its parts alive, so that none takes the place of another.
        key = home.number, id(value)
        goal = self._by_value.get(key)
        if goal is None:
            goal = self._by_value[key] = self.invented(home, {"const": value})
        return goal

    def is_invented(self, site: Site) -> bool:
        """Whether nobody wrote this place."""
        return site.resource is self._constants

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
            content = None if site.union is not None else said_by(site.schema)
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

            negated = "; where it must not hold, so is what only looks like one" if known.outer is not None else ""
            self.report.narrowed.append(
                Entry(pointer.rpartition("/")[0], keyword, "narrowed", f"{name}: {known.reason}{negated}")
            )

    def raise_unsupported(self) -> None:
        if self.places and not self.options.relaxed:
            from tests.oracle.json_schema.advice import advice

            first = "; ".join(f"{pointer or '(root)'}: {reason}" for pointer, reason in self.places[:5])
            more = f" and {len(self.places) - 5} more" if len(self.places) > 5 else ""
            raise UnsupportedSchemaError(
                f"cannot be enforced exactly: {first}{more}",
                places=self.places,
                where=self.places[0][0],
                hint=advice(self.report.loosened),
            )

    def entries(self) -> Iterator[Entry]:
        """What became of every keyword, but for what is loosened or narrowed."""
        from frisket.json_schema.report import Entry
        from tests.oracle.json_schema.coverage import asides

        found = {(entry.pointer, entry.keyword): entry for entry in asides(self.documents, self.options)}
        for place in dict.fromkeys(self._keywords()):
            yield found.pop(place) if place in found else Entry(*place, "enforced")
        yield from (entry for entry in found.values() if entry.status != "enforced")

    def _keywords(self) -> Iterator[tuple[str, str]]:
        """Every keyword of every place that was read."""
        for site in self.sites:
            if site.union is None and site.resource is not self._constants and isinstance(site.reading, Reading):
                pointer = site.pointer
                for keyword in site.reading.keywords:
                    yield pointer, keyword
        for schema, origin, tokens in self._aliases:
            pointer = Site(UNNUMBERED, schema, self._constants, (), origin, tokens).pointer
            for keyword in schema:
                if keyword in KEYWORDS:
                    yield pointer, keyword
        for site in self._copies.values():
            if site.reading is None:
                for schema, pointer in within(site.schema, site.pointer):
                    for keyword in schema:
                        if keyword in KEYWORDS:
                            yield pointer, keyword


def _kind(value: Any) -> str:
    return {type(None): "null", list: "an array", str: "a string", int: "a number", float: "a number"}.get(
        type(value), type(value).__name__
    )


def _place_meant(reference: str, contents: Any) -> str:
    """Which definition a reference may have meant."""
    from tests.oracle.json_schema.coverage import alike

    holders = ("$defs", "definitions") if isinstance(contents, dict) else ()
    held = ((holder, contents.get(holder)) for holder in holders)
    known = [f"#/{holder}/{name}" for holder, names in held if isinstance(names, dict) for name in names]
    found = alike(reference, tuple(known))
    return f"did you mean {found}?" if found else "name a place of this document, as #/$defs/name does"
