"""A value of the converted schema → the value of the original; one decoder for each kind of node."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

Decode = Callable[[Any], Any]


class MisfitError(Exception):
    """A value does not have the form that the converted schema requires; `path` leads to it."""

    def __init__(self, reason: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path


@dataclass(frozen=True)
class Part:
    """A converted subschema and the decoder of its values; `nullable` if null is one of them."""

    node: dict[str, Any]
    decode: Decode
    nullable: bool = False


@dataclass(frozen=True)
class Member:
    """A property of a converted object; `absent` if null stands for its absence."""

    decode: Decode
    required: bool
    absent: bool = False


@dataclass
class ObjectDecoder:
    """Decodes an object: drops nulls of optional members, and turns entries back into members."""

    members: Mapping[str, Member]
    entries: str | None = None
    entry: Decode | None = None
    reserved: frozenset[str] = field(default_factory=frozenset)
    direct: bool = False
    """Whether unlisted members stand in the object itself, and not in a list of entries."""

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, dict):
            raise MisfitError("not an object")
        decoded: dict[str, Any] = {}
        for name, member in self.members.items():
            if name not in value:
                if member.required:
                    raise MisfitError(f"{name!r} is missing")
                continue
            if not (member.absent and value[name] is None):
                decoded[name] = below(member.decode, value[name], name)
        for name in value:
            if name in self.members or name == self.entries:
                continue
            if not self.direct or self.entry is None:
                raise MisfitError(f"{name!r} is no property")
            decoded[name] = below(self.entry, value[name], name)
        if self.entries is not None and self.entry is not None:
            for number, pair in enumerate(listed(value.get(self.entries))):
                path = (self.entries, number)
                if not isinstance(pair, dict) or set(pair) != {"key", "value"} or not isinstance(pair["key"], str):
                    raise MisfitError("not a key with its value", path)
                if pair["key"] in self.reserved:
                    raise MisfitError(f"{pair['key']!r} is a property of its own", (*path, "key"))
                decoded[pair["key"]] = below(self.entry, pair["value"], *path, "value")
        return decoded


@dataclass
class TupleDecoder:
    """Decodes an object with one member per item of a tuple into the array."""

    places: Sequence[Decode]
    rest: Decode | None

    def __call__(self, value: Any) -> Any:
        names = [str(number) for number in range(len(self.places))]
        if not isinstance(value, dict) or set(value) != {*names, *(["rest"] if self.rest else [])}:
            raise MisfitError("not the members of a tuple")
        decoded = [below(place, value[name], name) for name, place in zip(names, self.places, strict=True)]
        return decoded + (below(self.rest, value["rest"], "rest") if self.rest else [])


def array(item: Decode) -> Decode:
    """A decoder of an array, by the decoder of its items."""
    return lambda value: [below(item, part, number) for number, part in enumerate(listed(value))]


def union(decoders: Sequence[Decode]) -> Decode:
    """A decoder that returns the result of the first decoder that the value fits."""

    def decode(value: Any) -> Any:
        misfits = []
        for decoder in decoders:
            try:
                return decoder(value)
            except MisfitError as error:
                misfits.append(error)
        raise max(misfits, key=lambda error: len(error.path))

    return decode


def table(values: Mapping[str, Any]) -> Decode:
    """A decoder that looks a value up by its JSON text."""

    def decode(value: Any) -> Any:
        text = key(value)
        if text not in values:
            raise MisfitError("not one of the values")
        return values[text]

    return decode


def constant(result: Any) -> Decode:
    """A decoder of null into the one value that it stands for."""

    def decode(value: Any) -> Any:
        if value is not None:
            raise MisfitError("not null")
        return result

    return decode


def scalar(kind: str) -> Decode:
    """A decoder that checks the type of a value, and returns it unchanged."""

    def decode(value: Any) -> Any:
        if not is_of(value, kind):
            raise MisfitError(f"not of type {kind}")
        return value

    return decode


def is_of(value: Any, kind: str) -> bool:
    """Whether a value has a type of JSON Schema."""
    if kind == "integer":
        is_whole = isinstance(value, float) and math.isfinite(value) and value.is_integer()
        return (isinstance(value, int) and not isinstance(value, bool)) or is_whole
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    classes = {"string": str, "boolean": bool, "null": type(None), "array": list, "object": dict}
    return isinstance(value, classes[kind])


def key(value: Any) -> str:
    """A text that is equal for equal JSON values, such as 1 and 1.0; 1e23 is taken exactly, not as a float."""
    if isinstance(value, float) and value.is_integer():
        value = int(Decimal(repr(value)))
    return json.dumps(value, sort_keys=True)


def listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise MisfitError("not an array")
    return value


def below(decode: Decode, value: Any, *path: str | int) -> Any:
    """A decoded member or item; its path is added to a MisfitError."""
    try:
        return decode(value)
    except MisfitError as error:
        raise MisfitError(error.reason, (*path, *error.path)) from None
