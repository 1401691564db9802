"""Subschemas that must all hold → the same without `$ref` and `allOf`, each with its JSON pointer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from frisket.errors import InvalidSchemaError, UnsupportedSchemaError
from frisket.extension import Meter, front_end
from frisket.json_pointer import follow, to_pointer

#: Keywords that exist in draft 3 only.
OF_DRAFT_3 = frozenset(("extends", "disallow", "divisibleBy"))
#: Limit steps per place.
_STEPS_PER_PLACE = 100


@dataclass(frozen=True)
class Place:
    """A subschema, its pointer, the keywords already handled, and the references followed on the way to it."""

    schema: Any
    where: str
    without: frozenset[str] = frozenset()
    via: tuple[str, ...] = ()

    def child(self, *parts: str | int) -> Place:
        """The subschema below, at the end of `parts`."""
        schema = self.schema
        for part in parts:
            schema = schema[part]
        return Place(schema, self.where + to_pointer(parts), via=self.via)

    def less(self, keyword: str) -> Place:
        return replace(self, without=self.without | {keyword})

    def has(self, keyword: str) -> bool:
        return keyword in self.schema and keyword not in self.without

    def keywords(self) -> set[str]:
        """All keywords of the schema that affect validity."""
        return {word for word in self.schema if front_end.is_keyword(word) or word in OF_DRAFT_3} - self.without


class Resolver:
    """Resolves the references of one schema to places; no other document is read."""

    def __init__(self, root: Any, depth: int, meter: Meter) -> None:
        self.root = root
        self.meter = meter
        self.depth = depth
        """If recursion is unrolled: how often a reference may occur inside what it refers to."""
        self.document = front_end.SchemaDocument(root)
        self.lone_references = self.document.draft("") <= 7
        """Whether keywords beside `$ref` are ignored, as in drafts before 2019-09."""
        self.unrolled: dict[str, str] = {}

    def target(self, place: Place) -> str:
        """The JSON pointer to the target of a place's `$ref`."""
        reference = place.schema["$ref"]
        found = self.document.target(place.where, reference) if isinstance(reference, str) else None
        if found is not None:
            return found
        if isinstance(reference, str) and reference.startswith("#"):
            raise InvalidSchemaError(f"{reference!r} leads nowhere", where=f"{place.where}/$ref")
        raise UnsupportedSchemaError(
            f"{reference!r} lies outside of the schema", where=f"{place.where}/$ref", hint="put it into $defs"
        )

    def flat(self, places: Sequence[Place]) -> list[Place] | None:
        """The places without references and `allOf`; None if no value satisfies all of them."""
        agenda, found = list(places), []
        while agenda:
            place = agenda.pop(0)
            self.meter.spend(_STEPS_PER_PLACE + len(agenda) // 8 + len(place.via))
            if place.schema is True:
                continue
            if place.schema is False:
                return None
            if not isinstance(place.schema, dict):
                raise InvalidSchemaError("a schema is an object, true or false", where=place.where)
            if place.has("$ref"):
                pointer = self.target(place)
                if place.via.count(pointer) >= self.depth:
                    self.unrolled[place.where] = f"unrolled to {self.depth} levels"
                    return None
                inner = Place(follow(self.root, pointer), pointer, via=(*place.via, pointer))
                agenda[:0] = [inner] if self.lone_references else [inner, place.less("$ref")]
            elif place.has("allOf"):
                agenda[:0] = [place.child("allOf", n) for n in range(len(place.schema["allOf"]))]
                agenda.append(place.less("allOf"))
            else:
                found.append(place)
        return found
