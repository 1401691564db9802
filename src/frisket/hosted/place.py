"""Subschemas that must all hold → the same without `$ref` and `allOf`, each with its JSON pointer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from frisket.errors import InvalidSchemaError, UnsupportedSchemaError
from frisket.limit import Meter

#: Steps of the limits for a place that is looked at.
_STEPS_PER_PLACE = 100


@dataclass(frozen=True)
class Place:
    """A subschema, its pointer, the keywords already dealt with, and the references followed on the way."""

    schema: Any
    where: str
    without: frozenset[str] = frozenset()
    via: tuple[str, ...] = ()

    def child(self, *parts: str | int) -> Place:
        """The subschema below; its schema is found along the parts."""
        schema, where = self.schema, self.where
        for part in parts:
            schema = schema[part]
            where += "/" + escaped(str(part))
        return Place(schema, where, via=self.via)

    def less(self, keyword: str) -> Place:
        return replace(self, without=self.without | {keyword})

    def has(self, keyword: str) -> bool:
        return keyword in self.schema and keyword not in self.without


class Resolver:
    """References of one schema → places; the text of the schema is all that is read."""

    def __init__(self, root: Any, depth: int, meter: Meter) -> None:
        self.root = root
        self.meter = meter
        self.depth = depth
        """How often one reference may stand inside of what it refers to, where recursion is unrolled."""
        dialect = str(root.get("$schema", "")) if isinstance(root, dict) else ""
        self.lone_references = any(f"draft-0{number}" in dialect for number in (3, 4, 6, 7))
        """Whether keywords beside `$ref` are ignored, as they were before 2019-09."""
        self.unrolled: dict[str, str] = {}
        self._anchors: dict[str, str] | None = None

    def target(self, place: Place) -> str:
        """The JSON pointer that a place's `$ref` means."""
        reference = place.schema["$ref"]
        if isinstance(reference, str) and isinstance(self.root, dict):
            base = str(self.root.get("$id", self.root.get("id", "")))
            base = base.rstrip("#")
            if base and reference.startswith(base):
                reference = reference[len(base) :] or "#"
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise UnsupportedSchemaError(
                f"{reference!r} lies outside of the schema", where=f"{place.where}/$ref", hint="put it into $defs"
            )
        fragment = unquote(reference[1:])
        if fragment == "" or fragment.startswith("/"):
            return fragment
        if self._anchors is None:
            self._anchors = dict(_anchors(self.root, ""))
        if fragment not in self._anchors:
            raise InvalidSchemaError(f"{reference!r} leads nowhere", where=f"{place.where}/$ref")
        return self._anchors[fragment]

    def at(self, pointer: str, place: Place) -> Any:
        """What stands at a pointer; `place` is named where nothing does."""
        found = self.root
        try:
            for part in pointer.split("/")[1:]:
                part = part.replace("~1", "/").replace("~0", "~")
                found = found[int(part)] if isinstance(found, list) else found[part]
        except (KeyError, IndexError, TypeError, ValueError):
            raise InvalidSchemaError(f"#{pointer} leads nowhere", where=f"{place.where}/$ref") from None
        return found

    def flat(self, places: Sequence[Place]) -> list[Place] | None:
        """The places without references and `allOf`; None where no value meets them all."""
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
                inner = Place(self.at(pointer, place), pointer, via=(*place.via, pointer))
                agenda[:0] = [inner] if self.lone_references else [inner, place.less("$ref")]
            elif place.has("allOf"):
                agenda[:0] = [place.child("allOf", n) for n in range(len(place.schema["allOf"]))]
                agenda.append(place.less("allOf"))
            else:
                found.append(place)
        return found


def escaped(part: str) -> str:
    """A name as a part of a JSON pointer (RFC 6901)."""
    return part.replace("~", "~0").replace("/", "~1")


def _anchors(schema: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(schema, dict):
        for keyword in ("$anchor", "$id", "id"):
            if isinstance(name := schema.get(keyword), str) and (keyword == "$anchor" or name.startswith("#")):
                yield name.lstrip("#"), where
        for name, part in schema.items():
            yield from _anchors(part, f"{where}/{escaped(name)}")
    elif isinstance(schema, list):
        for number, part in enumerate(schema):
            yield from _anchors(part, f"{where}/{number}")
