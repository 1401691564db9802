"""Schema → the subschemas that describe written values, each with the other subschemas of the same value.

References are followed within the document. Subschemas that only test a value (`not`, `if`, `contains`,
`propertyNames`), and definitions without a reference to them, describe no written value and are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from frisket.errors import InvalidSchemaError
from frisket.extension import Meter, front_end
from frisket.json_pointer import find, to_pointer, unescape

if TYPE_CHECKING:
    from frisket import Vocabulary

#: Keywords whose subschemas describe no written value.
TESTS = frozenset(("not", "if", "contains", "contentSchema", "propertyNames", "$defs", "definitions"))
#: Keywords whose subschemas apply to the value itself; all others lead to members or items.
IN_PLACE = frozenset(("$ref", "allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas", "dependencies"))
#: Limit steps per subschema visited and per place revisited, and limit bytes per place.
_STEPS_PER_SCHEMA, _STEPS_PER_PLACE, _BYTES_PER_PLACE = 300, 10, 200
#: Bytes copied per limit step.
_COPIED = 256
#: Most steps of a search for all paths to a place.
WAYS = 256


@dataclass(eq=False)
class Subschema:
    """A subschema that describes a written value."""

    schema: dict[str, Any]
    pointer: str
    said: dict[str, Any]
    """The keywords that count: up to draft 7, keywords beside `$ref` are ignored."""
    keyword: str = ""
    """The keyword that leads here; empty for the root."""
    name: str | None = None
    """The name of the property that the subschema describes, if it describes one."""
    parent: Subschema | None = None
    below: list[tuple[str, Subschema]] = field(default_factory=list)
    """The subschemas below, each with the keyword that leads to it."""
    above: list[tuple[str, Subschema]] = field(default_factory=list)
    """All subschemas that lead here, each with the keyword."""

    def to(self, *tokens: str | int) -> str:
        """The JSON pointer of a descendant."""
        return self.pointer + to_pointer(tokens)


@dataclass
class Document:
    """A schema prepared for rules; `places` are in the order of the text, a definition where it is first used."""

    root: Any
    vocabulary: Vocabulary | None = None
    max_tokens: int | None = None
    meter: Meter = field(default_factory=Meter)
    """The limits of the rules."""

    def __post_init__(self) -> None:
        self.root = _unshared(self.root, self.meter)
        self._native = front_end.SchemaDocument(self.root)
        self._by_identity: dict[int, Subschema] = {}
        self._applied: dict[Subschema, list[Subschema]] = {}
        self.places = list(self._walk())

    @cached_property
    def is_sorted(self) -> bool:
        """Whether all names are sorted, probably by a tool, so that their order has no meaning."""
        return front_end.is_sorted(self.root)

    def at(self, schema: Any) -> Subschema | None:
        """The place of a subschema; None for true, false and values that are no schema."""
        return self._by_identity.get(id(schema)) if isinstance(schema, dict) else None

    def tables(self) -> Iterator[tuple[Subschema, dict[str, Any]]]:
        """Each place that lists properties, with the list."""
        for place in self.places:
            table = place.said.get("properties")
            if isinstance(table, dict):
                yield place, table

    def applied(self, place: Subschema) -> list[Subschema]:
        """The place and all subschemas that always apply to the same value: `$ref`, `allOf`, and theirs in turn."""
        known = self._applied.get(place)
        if known is None:
            known = [place]
            met = {place}
            for one in known:  # grows while it is walked
                self.meter.spend(_STEPS_PER_PLACE, _BYTES_PER_PLACE)
                for keyword, below in one.below:
                    if keyword in ("$ref", "allOf") and below not in met:
                        met.add(below)
                        known.append(below)
            self._applied[place] = known
        return known

    def conjuncts(self, place: Subschema) -> list[Subschema]:
        """All subschemas that apply to a value at the place, if it is reached in the way of the first walk."""
        way = [place]
        while way[-1].parent is not None and way[-1].keyword in IN_PLACE:
            way.append(way[-1].parent)
        return self.along(way)

    def along(self, way: list[Subschema]) -> list[Subschema]:
        """All subschemas that apply to a value that is reached through these places."""
        self.meter.spend(_STEPS_PER_PLACE * sum(len(self.applied(step)) for step in way))
        return list(dict.fromkeys(one for step in way for one in self.applied(step)))

    def ways(self, place: Subschema) -> list[list[Subschema]] | None:
        """All paths from the place up to the start of its value, through subschemas of that value; None if too many."""
        found: list[list[Subschema]] = []
        stack = [[place]]
        for _ in range(WAYS):
            if not stack:
                return found
            way = stack.pop()
            self.meter.spend(_STEPS_PER_PLACE * len(way))
            ended = way[-1].parent is None
            for keyword, above in reversed(way[-1].above):
                if keyword not in IN_PLACE:
                    ended = True
                elif above not in way:
                    stack.append([*way, above])
            if ended:
                found.append(way)
        return None

    def members(self, place: Subschema) -> dict[str, Subschema]:
        """The properties that a place, or a subschema that always applies with it, describes."""
        found: dict[str, Subschema] = {}
        for one in self.applied(place):
            for name, schema in table(one.said, "properties").items():
                member = self.at(schema)
                if member is not None:
                    found.setdefault(name, member)
        return found

    def required(self, place: Subschema) -> set[str]:
        """The properties that a place, or a subschema that always applies with it, requires."""
        return {name for one in self.applied(place) for name in strings(one.said.get("required"))}

    def types(self, place: Subschema) -> frozenset[str] | None:
        """The types that all conjuncts allow; None if no conjunct restricts the type."""
        return common_types(self.conjuncts(place))

    def values(self, place: Subschema) -> list[Any] | None:
        """The values that a place lists, without those of a wrong type; None if it has no list."""
        applied = self.applied(place)
        lists = [one.said["enum"] for one in applied if isinstance(one.said.get("enum"), list)]
        lists += [[one.said["const"]] for one in applied if "const" in one.said and self._has(one, "const")]
        if not lists:
            return None
        types = common_types(applied)
        return [value for value in min(lists, key=len) if types is None or type_of(value) in types]

    def _has(self, place: Subschema, keyword: str) -> bool:
        return self._native.has_keyword(place.pointer, keyword)

    # -- the walk -------------------------------------------------------------------------------------------------
    def _walk(self) -> Iterator[Subschema]:
        stack: list[tuple[str, str, Subschema | None]] = [("", "", None)]
        while stack:
            pointer, keyword, parent = stack.pop()
            self.meter.spend(_STEPS_PER_SCHEMA + len(pointer) // _COPIED, _BYTES_PER_PLACE + len(pointer))
            schema = find(self.root, pointer)
            if not isinstance(schema, dict):
                continue
            place = self._by_identity.get(id(schema))
            if place is not None:
                _join(parent, keyword, place)
                continue
            is_alone = "$ref" in schema and self._native.draft(pointer) <= 7
            name = unescape(pointer.rpartition("/")[2]) if keyword == "properties" else None
            if parent is not None and keyword in IN_PLACE:
                name = parent.name
            said = {"$ref": schema["$ref"]} if is_alone else schema
            place = Subschema(schema, pointer, said, keyword, name, parent)
            self._by_identity[id(schema)] = place
            _join(parent, keyword, place)
            yield place
            stack += [(below, keyword, place) for keyword, below in reversed(list(self._below(place)))]

    def _below(self, place: Subschema) -> Iterator[tuple[str, str]]:
        """The keywords that lead to other places, with the pointers of these."""
        reference = place.said.get("$ref")
        if isinstance(reference, str):
            with suppress(InvalidSchemaError):
                target = self._native.target(place.pointer, reference)
                if target is not None:
                    yield "$ref", target
        for below in self._native.subschemas(place.pointer):
            keyword = below[len(place.pointer) + 1 :].partition("/")[0]
            if keyword in place.said and keyword not in TESTS:
                yield keyword, below


def _unshared(root: Any, meter: Meter) -> Any:
    """A copy of the schema in which no two places share a dict; cyclic values stay cyclic."""
    met: set[int] = set()
    stack, shared = [root], False
    while stack and not shared:
        value = stack.pop()
        if isinstance(value, (dict, list)):
            shared = id(value) in met
            met.add(id(value))
            stack += value.values() if isinstance(value, dict) else value
    return _copied(root, meter) if shared else root


def _copied(root: Any, meter: Meter) -> Any:
    done: list[Any] = [None]
    #: Copies of the enclosing values, by the `id` of the original.
    around: dict[int, Any] = {}
    stack: list[tuple[Any, Any, Any]] = [(root, done, 0)]
    while stack:
        value, holder, key = stack.pop()
        meter.spend(_STEPS_PER_PLACE, _BYTES_PER_PLACE)
        if holder is None:  # all values inside the original are copied
            del around[key]
        elif not isinstance(value, (dict, list)) or id(value) in around:
            holder[key] = around.get(id(value), value)
        else:
            copy: Any = dict.fromkeys(value) if isinstance(value, dict) else [None] * len(value)
            holder[key] = around[id(value)] = copy
            stack.append((None, None, id(value)))
            stack += [
                (below, copy, at) for at, below in (value.items() if isinstance(value, dict) else enumerate(value))
            ]
    return done[0]


def _join(parent: Subschema | None, keyword: str, place: Subschema) -> None:
    if parent is not None:
        parent.below.append((keyword, place))
        place.above.append((keyword, parent))


def table(said: dict[str, Any], keyword: str) -> dict[str, Any]:
    """The object that is a keyword's value; empty if the value is no object."""
    value = said.get(keyword)
    return value if isinstance(value, dict) else {}


def strings(value: Any) -> list[str]:
    """The strings in an array; empty if the value is no array."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def common_types(places: list[Subschema]) -> frozenset[str] | None:
    """The types that all of the places allow; None if no place restricts the type."""
    found: frozenset[str] | None = None
    for one in places:
        said = one.said.get("type")
        names = frozenset([said] if isinstance(said, str) else strings(said))
        if "number" in names:
            names |= {"integer"}
        if names:
            found = names if found is None else found & names
    return found


def type_of(value: Any) -> str:
    """The type of a JSON value, `integer` for whole numbers."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if isinstance(value, int) or value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object" if isinstance(value, dict) else "null"


def canonical(value: Any) -> str:
    """A text that is the same for equal JSON values, and different for others."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True)


def quoted(value: Any) -> str:
    """A value for a message, shortened if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"
