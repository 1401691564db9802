"""Python type → JSON Schema, and JSON text → a value of that type."""

from __future__ import annotations

import importlib
import re
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from frisket.errors import FrisketError, MissingDependencyError, UnsupportedSchemaError

T = TypeVar("T")


class PythonType(Generic[T]):
    """A type that JSON can be written for: a Pydantic model, dataclass, TypedDict, Enum, Literal, Union, list[int] …

    >>> from typing import Literal
    >>> mood = PythonType(Literal["calm", "cross"])
    >>> mood.schema["enum"], mood.value('"calm"')
    (['calm', 'cross'], 'calm')

    Everything that Pydantic's `TypeAdapter` takes and can describe. The schema says what the type's annotations say;
    a validator written in Python runs in `value` only, because no mask can know it.
    """

    def __init__(self, tp: type[T] | Any) -> None:
        pydantic = _pydantic()
        self.name = getattr(tp, "__name__", None) or str(tp)
        try:
            self._adapter = pydantic.TypeAdapter(_readable(tp, ()))
            self.schema: dict[str, Any] = self._adapter.json_schema(
                mode="validation", schema_generator=_generator(pydantic)
            )
        except (pydantic.PydanticUserError, pydantic.errors.PydanticUndefinedAnnotation, NameError) as error:
            raise UnsupportedSchemaError(
                f"no JSON Schema describes the type {self.name}: {str(error).splitlines()[0]}",
                where=self.name,
                hint="use Pydantic models, dataclasses, TypedDict, Enum, Literal, unions and containers of these",
            ) from error
        self._validation_error: type[Exception] = pydantic.ValidationError

    def value(self, text: str) -> T:
        """The JSON text as a value of the type."""
        try:
            result: T = self._adapter.validate_json(text)
        except self._validation_error as error:
            raise FrisketError(
                f"{self.name} refused a document that satisfies its schema: {_reason(error)}",
                where=self.name,
                hint="a validator in Python checks what the annotations do not say: say it as Field(pattern=…, le=…)",
                code="type-refused",
            ) from error
        return result


def _pydantic() -> Any:
    try:
        return importlib.import_module("pydantic")
    except ImportError as error:
        raise MissingDependencyError.of("pydantic", "pydantic") from error


def _generator(pydantic: Any) -> Any:
    """Pydantic's own schemas, narrowed to what Pydantic reads where they promise more than that."""
    base = pydantic.json_schema.GenerateJsonSchema

    class Narrowed(base):  # type: ignore[misc, valid-type]
        def decimal_schema(self, schema: Any) -> Any:
            number: dict[str, Any] = {"type": "number"}
            names = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}
            for name, keyword in {**names, "multiple_of": "multipleOf"}.items():
                if schema.get(name) is not None:
                    number[keyword] = float(schema[name])
            digits, places = schema.get("max_digits"), schema.get("decimal_places")
            if places is not None:
                number.setdefault("multipleOf", float(f"1e-{places}"))
                if digits is not None:
                    bound = 10.0 ** (digits - places)
                    number["exclusiveMinimum"] = max(-bound, number.get("exclusiveMinimum", -bound))
                    number["exclusiveMaximum"] = min(bound, number.get("exclusiveMaximum", bound))
            if number != {"type": "number"} or digits is not None:
                return number  # a text cannot be held to bounds
            return {
                "anyOf": [number, {"type": "string", "pattern": r"^[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})$"}]
            }

        def date_schema(self, schema: Any) -> Any:
            described = super().date_schema(schema)
            bounds = [
                pattern
                for name, pattern_of in DATE_BOUNDS.items()
                if schema.get(name) is not None and (pattern := pattern_of(schema[name].isoformat()))
            ]
            return {**described, "allOf": [{"pattern": pattern} for pattern in bounds]} if bounds else described

        def url_schema(self, schema: Any) -> Any:
            return {**super().url_schema(schema), "format": "uri", "pattern": _url(schema)}

        def multi_host_url_schema(self, schema: Any) -> Any:
            return {**super().multi_host_url_schema(schema), "format": "uri", "pattern": _url(schema)}

        def datetime_schema(self, schema: Any) -> Any:
            if schema.get("tz_constraint") == "naive":  # the format demands an offset
                return {"type": "string", "pattern": NAIVE}
            return {**super().datetime_schema(schema), "pattern": NO_LEAP_SECOND}

        def time_schema(self, schema: Any) -> Any:
            return {**super().time_schema(schema), "pattern": NO_LEAP_SECOND}

        def timedelta_schema(self, schema: Any) -> Any:
            described = super().timedelta_schema(schema)
            # Six digits before each letter stay below the largest timedelta.
            return (
                {**described, "pattern": "^P([0-9]{1,6}[YMWD])*(T([0-9]{1,6}[HMS])+)?$"}
                if "format" in described
                else described
            )

        def dict_schema(self, schema: Any) -> Any:
            described = super().dict_schema(schema)
            keys = schema.get("keys_schema", {}).get("type")
            if keys in ("tuple", "list", "set", "frozenset", "dict", "model", "dataclass", "typed-dict"):
                raise pydantic.errors.PydanticInvalidForJsonSchema(f"a key of an object cannot be a {keys}")
            if "patternProperties" in described:
                described.setdefault("additionalProperties", False)
            elif keys in KEYS and "propertyNames" not in described:
                described["propertyNames"] = {"pattern": KEYS[keys]}
            return described

        def generate(self, schema: Any, mode: Any = "validation") -> Any:
            return _known_formats(super().generate(schema, mode))

    return Narrowed


NO_LEAP_SECOND = "^[^:]*:[^:]*:[0-5]"
KEYS = {
    "int": "^(0|-?[1-9][0-9]{0,17})$",
    "float": r"^-?[0-9]{1,20}(\.[0-9]{1,20})?$",
    "bool": "^(true|false)$",
}
_LEAP = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"
_YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_DAY = "(?:[0][1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31"
NAIVE = (
    f"^(?:{_YEAR}-(?:{_DAY})|{_LEAP}-02-29)"
    r"[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?$"
)
_LABEL = "[A-Za-z](?:[A-Za-z0-9]{0,40}[A-Za-z])?"
_HOST = rf"{_LABEL}(?:\.{_LABEL}){{0,4}}(?::[1-9][0-9]{{0,3}})?"


def _url(schema: Any) -> str:
    """The URLs that both RFC 3986 and the WHATWG's reader, which Pydantic asks, take: a scheme and a plain host."""
    schemes = schema.get("allowed_schemes")
    if schemes == ["file"]:
        return "^file:///"
    named = "|".join(map(re.escape, schemes)) if schemes else "[A-Za-z][A-Za-z0-9+.-]*"
    other = "" if schemes else "|^(?:mailto|urn|data|tel):[A-Za-z0-9]"
    return f"^(?:{named})://{_HOST}(?:[/?#].*)?$" + other


def _later(date: str) -> str:
    """The texts of the same shape that come later in the alphabet; of dates, the later days."""
    places = [
        f"{re.escape(date[:index])}[{chr(ord(digit) + 1)}-9]"
        for index, digit in enumerate(date)
        if digit.isdigit() and digit < "9"
    ]
    return f"^(?:{'|'.join(places)})"


def _earlier(date: str) -> str:
    places = [
        f"{re.escape(date[:index])}[0-{chr(ord(digit) - 1)}]"
        for index, digit in enumerate(date)
        if digit.isdigit() and digit > "0"
    ]
    return f"^(?:{'|'.join(places)})"


DATE_BOUNDS: dict[str, Callable[[str], str]] = {
    "gt": _later,
    "ge": lambda date: f"{_later(date)}|^{date}",
    "lt": _earlier,
    "le": lambda date: f"{_earlier(date)}|^{date}",
}


def _known_formats(schema: Any) -> Any:
    """Pydantic's `name-email` as the email that it also is."""
    if isinstance(schema, list):
        return [_known_formats(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: _known_formats(value) for key, value in schema.items()}
    return {**changed, "format": "email"} if changed.get("format") == "name-email" else changed


def _reason(error: Any) -> str:
    """The first complaint of a ValidationError, on one line, with its place."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])


def _readable(tp: Any, outer: tuple[Any, ...]) -> Any:
    """The type with every `typing.TypedDict` as one of typing_extensions, which Pydantic demands before Python 3.12.

    Inside classes (a dataclass's fields) nothing is replaced: Pydantic reads those itself, and says what it wants.
    """
    if sys.version_info >= (3, 12):
        return tp
    if typing.is_typeddict(tp) and type(tp).__module__ == "typing":
        if tp in outer:
            raise UnsupportedSchemaError(
                f"{tp.__name__} refers to itself", where=tp.__name__, hint="import TypedDict from typing_extensions"
            )
        extensions = importlib.import_module("typing_extensions")
        fields = {}
        for name, hint in extensions.get_type_hints(tp, include_extras=True).items():
            # Under `from __future__ import annotations`, `__required_keys__` does not see what the hint itself says.
            said, inner = _unwrapped(hint)
            needed = (name in tp.__required_keys__) if said is None else said == "Required"
            marker = extensions.Required if needed else extensions.NotRequired
            fields[name] = marker[_readable(inner, (*outer, tp))]
        readable = extensions.TypedDict(tp.__name__, fields)
        readable.__doc__ = tp.__doc__
        readable.__module__ = tp.__module__
        return readable
    arguments = typing.get_args(tp)
    origin: Any = typing.get_origin(tp)
    if not arguments or origin is typing.Literal:
        return tp
    changed = tuple(argument if argument is Ellipsis else _readable(argument, outer) for argument in arguments)
    if changed == arguments:
        return tp
    if origin in (types.UnionType, typing.Union):
        return typing.Union[changed]  # noqa: UP007  (built at run time, for Python 3.10 too)
    if hasattr(tp, "__metadata__"):
        return typing.Annotated[(changed[0], *tp.__metadata__)]
    rebuild: Callable[[Any], Any] = getattr(tp, "copy_with", None) or origin.__class_getitem__
    return rebuild(changed)


def _unwrapped(hint: Any) -> tuple[str | None, Any]:
    """`Required[x]` → ("Required", x); any other hint x → (None, x)."""
    name = getattr(typing.get_origin(hint), "_name", None)
    return (name, typing.get_args(hint)[0]) if name in ("Required", "NotRequired") else (None, hint)
