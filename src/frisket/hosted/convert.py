"""JSON Schema × Dialect → a schema that the vendor accepts, a list of what it does not enforce, and a decoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from frisket import Grammar, Limits
from frisket.errors import InvalidSchemaError, LimitExceededError, UnsatisfiableSchemaError, UnsupportedSchemaError
from frisket.extension import Meter
from frisket.hosted.array import array_part
from frisket.hosted.dialect import Dialect, dialect
from frisket.hosted.object import entries_node, object_part
from frisket.hosted.part import Decode, MisfitError, ObjectDecoder, Part, array, below, scalar, union
from frisket.hosted.place import OF_DRAFT_3, Place, Resolver
from frisket.hosted.reading import CONVERTED, Reading, accepts_all, are_disjoint
from frisket.hosted.scalar import enum_part, number_part, string_part
from frisket.hosted.size import measure, refuse_too_large
from frisket.json_pointer import follow

#: Most nodes of a converted schema. References that are written out may double them at each level.
MOST_NODES = 20_000
#: Limit steps per node.
_STEPS_PER_NODE = 1_500
#: Most alternatives of one value; larger unions are left to validation.
MOST_ALTERNATIVES = 64
#: Sizes of enums to try, if the schema has too many enum values together. Larger enums are replaced by an index.
ENUM_SIZES = (250, 50, 10, 0)

LossMap = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Converted:
    """A schema for a vendor, and the decoder of its values.

    `losses` maps JSON pointer and keyword to what the vendor does not enforce; so validate the decoded value.
    `narrowed` lists the valid documents that cannot come. `decode` turns the vendor's value into one of the original
    schema.
    """

    schema: dict[str, Any]
    dialect: Dialect
    losses: LossMap
    narrowed: LossMap
    _decode: Decode = field(repr=False)

    def decode(self, value: Any) -> Any:
        """The value of the original schema.

        >>> convert({"type": "array", "items": {"type": "integer"}}, "openai").decode({"value": [1, 2]})
        [1, 2]

        ValueError, with the place, for a value that does not have the form of the converted schema.
        """
        try:
            return self._decode(value)
        except MisfitError as error:
            place = "".join(f"/{part}" for part in error.path) or "(root)"
            raise ValueError(f"{place}: {error.reason}") from None


def convert(
    schema: Mapping[str, Any] | bool, to: Dialect | str, *, depth: int = 3, limits: Limits | None = None
) -> Converted:
    """The schema in a vendor's dialect.

    >>> scores = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}
    >>> converted = convert(scores, "anthropic")
    >>> converted.decode({"entries": [{"key": "ann", "value": 3}]})
    {'ann': 3}
    >>> converted.losses
    {'/additionalProperties': {'minimum': 'Anthropic does not enforce it'}}

    If a dialect lacks a form, another one stands for it: free keys become a list of entries, an absent optional
    property becomes null, a tuple an object, a large enum an index, and a root that is no object is wrapped. `depth`:
    how often a reference may occur inside itself, if the vendor has no recursion. InvalidSchemaError for a malformed
    schema. UnsupportedSchemaError if no value is left, or for a reference to another document. LimitExceededError if
    the schema exceeds the vendor's sizes, or the conversion the `limits`.
    """
    rules = dialect(to) if isinstance(to, str) else to
    if not isinstance(schema, Mapping | bool):
        raise InvalidSchemaError("a schema is an object, true or false", where="")
    root = dict(schema) if isinstance(schema, Mapping) else schema
    meter = Meter(limits)
    with suppress(UnsupportedSchemaError, UnsatisfiableSchemaError, LimitExceededError):
        Grammar.from_json_schema(
            root, limits=None if limits is None else meter.limits
        )  # raises InvalidSchemaError for a schema that no vendor could read either
    most = rules.limits.enum_values
    for enum_size in (most, *ENUM_SIZES):
        try:
            converted = Converter(root, rules, depth, enum_size, meter).converted()
        except RecursionError:
            raise LimitExceededError("the schema nests too deep to be converted", where="") from None
        if most is None or measure(converted.schema).enum_values <= most:
            break
    refuse_too_large(converted.schema, rules)
    return converted


class Converter:
    """One conversion: takes places, returns parts, and collects losses."""

    def __init__(self, root: Any, rules: Dialect, depth: int, enum_size: int | None, meter: Meter) -> None:
        self.rules = rules
        self.enum_size = enum_size
        self.meter = meter
        self.resolver = Resolver(root, depth, meter)
        self.losses: LossMap = {}
        self.narrowings: LossMap = {}
        self._definitions: dict[str, dict[str, Any]] = {}
        self._decoders: dict[str, Decode] = {}
        self._names: dict[str, str] = {}
        self._nullable: dict[str, bool] = {}
        self._nodes = 0

    def converted(self) -> Converted:
        whole = Place(self.resolver.root, "")
        part = self.part([whole])
        if part is None:
            raise UnsupportedSchemaError(
                f"no document is left in the dialect of {self.rules.vendor}",
                where="",
                hint="recursion may need more levels (`depth`), or the schema has no valid document",
            )
        node, decode = part.node, part.decode
        if self.rules.object_root and node.get("type") != "object":
            inner = decode
            node = {"type": "object", "properties": {"value": node}, "required": ["value"]}
            node["additionalProperties"] = False

            def decode(value: Any) -> Any:
                if not isinstance(value, dict) or set(value) != {"value"}:
                    raise MisfitError("not an object with `value` alone")
                return below(inner, value["value"], "value")

        if self._definitions:
            node = {**node, "$defs": self._definitions}
        for where, reason in self.resolver.unrolled.items():
            self.narrow(where, "$ref", reason)
        return Converted(node, self.rules, self.losses, self.narrowings, decode)

    def lose(self, where: str, keyword: str, reason: str | None = None) -> None:
        """Note that the vendor does not enforce a keyword, if the draft of the place has it."""
        if keyword not in OF_DRAFT_3 and not self.resolver.document.has_keyword(where, keyword):
            return
        self.losses.setdefault(where, {})[keyword] = reason or f"{self.rules.vendor} does not enforce it"

    def narrow(self, where: str, keyword: str, reason: str) -> None:
        """Note that some valid documents cannot come."""
        self.narrowings.setdefault(where, {})[keyword] = reason

    def part(self, places: Sequence[Place]) -> Part | None:
        """The part for values that satisfy all places; None if there are none."""
        self._nodes += 1
        self.meter.spend(_STEPS_PER_NODE)
        if self._nodes > MOST_NODES:
            raise LimitExceededError(
                f"the converted schema has more than {MOST_NODES} nodes", hint="a smaller `depth` may do", where=""
            )
        if self.rules.recursion and len(places) == 1 and self._is_reference(places[0]):
            return self._reference(self.resolver.target(places[0]), places[0])
        flat = self.resolver.flat(places)
        if flat is None:
            return None
        ways = 1
        for place in flat:
            for keyword in ("anyOf", "oneOf"):
                ways *= len(place.schema[keyword]) if place.has(keyword) else 1
        for number, place in enumerate(flat):
            for keyword in ("anyOf", "oneOf"):
                if place.has(keyword):
                    rest = [*flat[:number], place.less(keyword), *flat[number + 1 :]]
                    if ways > MOST_ALTERNATIVES and len(place.schema[keyword]) < ways:
                        self.lose(place.where, keyword, f"more than {MOST_ALTERNATIVES} alternatives in all")
                        return self.part(rest)
                    return self._alternatives(place, keyword, rest)
        return self._described(flat, self._case(flat))

    def any_of(self, parts: Sequence[Part | None]) -> Part | None:
        """A union, decoded by the first alternative that a value fits."""
        left = [part for part in parts if part is not None]
        if len(left) < 2:
            return left[0] if left else None
        nodes: list[dict[str, Any]] = []
        for part in left:
            self.meter.spend(_STEPS_PER_NODE * len(nodes) // 50)
            nodes += [node for node in _members(part.node) if node not in nodes]
        node = nodes[0] if len(nodes) == 1 else {"anyOf": nodes}
        return Part(node, union([part.decode for part in left]), any(part.nullable for part in left))

    def anything(self) -> Part:
        """Any JSON value: exact if the vendor has recursion, otherwise any value but arrays and objects."""
        kinds = [Part({"type": kind}, scalar(kind), kind == "null") for kind in ("string", "number", "boolean", "null")]
        plain = self.any_of(kinds)
        assert plain is not None
        if not self.rules.recursion:
            return plain
        if "any" not in self._definitions:
            reference = Part({"$ref": "#/$defs/any"}, lambda value: self._decoders["any"](value), True)
            inner = ObjectDecoder({}, "entries", reference.decode)
            nodes = [*plain.node["anyOf"], {"type": "array", "items": reference.node}, entries_node(reference.node)]
            self._decoders["any"] = union([plain.decode, array(reference.decode), inner])
            self._definitions["any"] = {"anyOf": nodes}
        return Part({"$ref": "#/$defs/any"}, self._decoders["any"], True)

    def _is_reference(self, place: Place) -> bool:
        schema = place.schema
        if not isinstance(schema, dict) or not place.has("$ref"):
            return False
        return self.resolver.lone_references or place.keywords() == {"$ref"}

    def _reference(self, pointer: str, place: Place) -> Part | None:
        if pointer not in self._names:
            last = "".join(letter if letter.isalnum() else "_" for letter in pointer.rpartition("/")[2]) or "root"
            name = last
            while name in self._definitions or name == "any":
                name += "_"
            self._names[pointer] = name
            self._definitions[name] = {}
            self._decoders[name] = lambda value: value
            target = Place(follow(self.resolver.root, pointer), pointer, via=(pointer,))
            # While the definition is unknown it counts as one without null; a second null beside it does no harm.
            self._nullable[name] = False
            part = self.part([target])
            if part is None or part.node == {"$ref": f"#/$defs/{name}"}:
                raise UnsupportedSchemaError("no value is left", where=pointer, hint="correct this definition")
            self._definitions[name], self._decoders[name] = part.node, part.decode
            self._nullable[name] = part.nullable
        name = self._names[pointer]
        return Part({"$ref": f"#/$defs/{name}"}, lambda value: self._decoders[name](value), self._nullable[name])

    def _alternatives(self, place: Place, keyword: str, rest: list[Place]) -> Part | None:
        branches = [place.child(keyword, number) for number in range(len(place.schema[keyword]))]
        if keyword == "oneOf" and not are_disjoint(branches, self.resolver):
            self.lose(place.where, keyword, "more than one alternative may hold")
        live = [other for other in rest if not accepts_all(other)]
        return self.any_of([self.part([*live, branch]) for branch in branches])

    def _described(self, flat: Sequence[Place], part: Part | None) -> Part | None:
        """The part with the schema's description; some vendors allow no keyword beside a reference."""
        if part is None or "$ref" in part.node or "description" in part.node:
            return part
        texts = [text for place in flat if isinstance(text := place.schema.get("description"), str)]
        return Part({**part.node, "description": texts[0]}, part.decode, part.nullable) if texts else part

    def _case(self, flat: Sequence[Place]) -> Part | None:
        reading = Reading(flat)
        for keyword, _, place in reading.said("not", "if", "$dynamicRef", "$recursiveRef", "extends", "disallow"):
            if keyword != "if" or {"then", "else"} & place.schema.keys():
                self.lose(place.where, keyword)
        for place in flat:
            for keyword in sorted(place.keywords() - CONVERTED):
                self.lose(place.where, keyword)
        if reading.has("enum", "const"):
            return enum_part(self, reading)
        kinds = reading.types()
        if kinds is None:
            kinds = reading.implied_types()
            if not kinds:
                if not self.rules.recursion:
                    self.narrow(flat[0].where if flat else "", "type", "no arrays and no objects")
                return self.anything()
            for place in flat:
                self.narrow(place.where, "type", f"only {' or '.join(kinds)}")
        return self.any_of([self._of_type(kind, reading) for kind in kinds])

    def _of_type(self, kind: str, reading: Reading) -> Part | None:
        if kind == "object":
            return object_part(self, reading)
        if kind == "array":
            return array_part(self, reading)
        if kind == "string":
            return string_part(self, reading)
        if kind in ("integer", "number"):
            return number_part(self, reading, kind)
        return Part({"type": kind}, scalar(kind), kind == "null")


def _members(node: dict[str, Any]) -> list[dict[str, Any]]:
    return list(node["anyOf"]) if node.keys() == {"anyOf"} else [node]
