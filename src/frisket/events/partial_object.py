"""Type × the JSON value so far → a partial object of the type."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin

__all__ = ["partial_object"]


def partial_object(tp: Any, value: Any) -> Any:
    """A partial object of the type from `value`, without validation; missing fields are None.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Order:
    ...     drink: str
    ...     extras: list[str]
    >>> partial_object(Order, {"drink": "lat"})
    Order(drink='lat', extras=None)

    Pydantic models and dataclasses become instances, and so do their members. For a union it is the first class that
    has all members so far; if none has and the union has no dict, the first whose discriminator fits. A member that the
    class does not have is dropped, as in Pydantic, or kept if the model has `extra="allow"`. Everything else stays a
    JSON value: an unfinished word is not yet a member of an Enum.
    """
    tp = _bare(tp)
    if isinstance(value, Mapping):
        chosen = _class_of(tp, value)
        if chosen is not None:
            return _filled(chosen, value)
        if get_origin(tp) in (dict, Mapping) and len(get_args(tp)) == 2:
            return {key: partial_object(get_args(tp)[1], member) for key, member in value.items()}
    if isinstance(value, list):
        return [partial_object(_item(tp, place), item) for place, item in enumerate(value)]
    if isinstance(tp, type) and issubclass(tp, enum.Enum):
        return next((member for member in tp if member.value == value), value)
    return value


def _bare(tp: Any) -> Any:
    """The type without annotations, and without None if it is optional."""
    while True:
        if get_origin(tp) is Annotated:
            tp = get_args(tp)[0]
        elif hasattr(tp, "__value__"):  # `type Name = …`
            tp = tp.__value__
        elif get_origin(tp) in (Union, types.UnionType) and len(_some(tp)) == 1:
            tp = _some(tp)[0]
        else:
            return tp


def _some(tp: Any) -> list[Any]:
    return [member for member in get_args(tp) if member is not type(None)]


def _class_of(tp: Any, value: Mapping[str, Any]) -> type | None:
    """The class with fields that a JSON object becomes, or None."""
    alternatives = [_bare(member) for member in _some(tp)] if get_origin(tp) in (Union, types.UnionType) else [tp]
    fitting: list[type] = []
    for alternative in alternatives:
        members = _members(alternative)
        if members is None or not isinstance(alternative, type):
            continue
        if all(_fits(members[key][1], said) for key, said in value.items() if key in members):
            if members.keys() >= value.keys():
                return alternative
            fitting.append(alternative)
    return fitting[0] if fitting and not any(map(_keeps_mappings, alternatives)) else None


def _keeps_mappings(tp: Any) -> bool:
    """Whether a value of the type may be a dict."""
    kind = get_origin(tp) or tp
    return kind in (Any, object) or (isinstance(kind, type) and issubclass(kind, Mapping))


def _fits(tp: Any, value: Any) -> bool:
    """Whether the discriminator, so far as it is written, may be that of this class."""
    tp = _bare(tp)
    if get_origin(tp) is not Literal:
        return True
    return any(said == value or (isinstance(value, str) and str(said).startswith(value)) for said in get_args(tp))


def _members(tp: Any) -> dict[str, tuple[str, Any]] | None:
    """Name in the document → (name in Python, type); None for a type without fields."""
    if hasattr(tp, "model_fields"):
        found = {}
        for name, field in tp.model_fields.items():
            alias = field.validation_alias if isinstance(field.validation_alias, str) else field.alias
            found[alias or name] = (name, field.annotation)
        return found
    if isinstance(tp, type) and dataclasses.is_dataclass(tp):
        hints = typing.get_type_hints(tp, include_extras=True)
        return {field.name: (field.name, hints[field.name]) for field in dataclasses.fields(tp)}
    return None


def _filled(tp: Any, value: Mapping[str, Any]) -> Any:
    members = _members(tp)
    assert members is not None
    known = dict.fromkeys((name for name, _ in members.values()), None)
    others = {}
    for key, member in value.items():
        if key in members:
            name, member_type = members[key]
            known[name] = partial_object(member_type, member)
        else:
            others[key] = member
    if hasattr(tp, "model_construct"):
        # `model_construct` drops the fields that the model does not keep.
        return tp.model_construct(**{**others, **known})
    made = object.__new__(tp)
    for name, member in known.items():
        object.__setattr__(made, name, member)
    return made


def _item(tp: Any, place: int) -> Any:
    """The type of an array's item."""
    arguments = get_args(tp)
    if get_origin(tp) is tuple and Ellipsis not in arguments:
        return arguments[place] if place < len(arguments) else Any
    return arguments[0] if arguments else Any
