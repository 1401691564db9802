"""Python type → JSON Schema; JSON text → a value of the type."""

from __future__ import annotations

import importlib
import sys
import types
import typing
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from frisket.errors import AnswerError, MissingDependencyError, UnsupportedSchemaError
from frisket.misuse import instead_of_class, instead_of_type
from frisket.python_schema import demands_of, generator

if TYPE_CHECKING:
    from frisket.json_schema.report import Entry

T = TypeVar("T")

_READ = "use Pydantic models, dataclasses, TypedDict, Enum, Literal, unions and containers of these"


class PythonType(Generic[T]):
    """A type with values that can be written as JSON: a Pydantic model, dataclass, TypedDict, Enum, Literal, list[int]
    …

    >>> from typing import Literal
    >>> mood = PythonType(Literal["calm", "cross"])
    >>> mood.schema["enum"], mood.value('"calm"')
    (['calm', 'cross'], 'calm')

    Every type that Pydantic's `TypeAdapter` accepts and can describe. The schema expresses the type's annotations.
    Demands that no schema can express (a validator in Python, a date in the past, a file that exists) are listed in
    `beyond`, and `value` refuses a document that breaks one.

    >>> from pydantic import PastDate
    >>> [(entry.keyword, entry.status, entry.slips) for entry in PythonType(PastDate).beyond]
    [('past', 'loosened', 'times to come')]
    """

    def __init__(self, tp: type[T] | Any) -> None:
        hint = instead_of_type(tp)
        if hint is not None:
            name = getattr(tp, "__name__", None) if callable(tp) else None
            got = f"the function {name}" if name else f"a value of the type {type(tp).__name__}"
            raise UnsupportedSchemaError(f"a type is wanted, got {got}", where=name or type(tp).__name__, hint=hint)
        pydantic = _pydantic()
        self.name = getattr(tp, "__name__", None) or str(tp)
        try:
            self._adapter = pydantic.TypeAdapter(_readable(tp, ()))
            described = self._adapter.json_schema(mode="validation", schema_generator=generator(pydantic))
        except (
            pydantic.PydanticUserError,
            pydantic.errors.PydanticUndefinedAnnotation,
            importlib.import_module("pydantic_core").SchemaError,
            NameError,
        ) as error:
            raise UnsupportedSchemaError(
                f"no JSON Schema describes the type {self.name}: {_cause(error)}",
                where=self.name,
                hint=next(filter(None, map(instead_of_class, _classes(tp))), _READ),
            ) from error
        self.schema: dict[str, Any]
        self.beyond: list[Entry]
        self.schema, self.beyond = demands_of(described)
        self._validation_error: type[Exception] = pydantic.ValidationError

    def value(self, text: str) -> T:
        """The JSON text as a value of the type."""
        try:
            result: T = self._adapter.validate_json(text)
        except (self._validation_error, OSError, ArithmeticError) as error:
            # For example, a path may be too long for the system, or a number too large for its type.
            raise AnswerError(
                f"{self.name} refused the document: {_reason(error)}",
                where=self.name,
                hint="if the grammar accepts it, a validator in Python asks more than the annotations: "
                "say it as Field(pattern=…, le=…)",
                code="type-refused",
            ) from error
        return result


def _classes(tp: Any) -> Iterator[Any]:
    """The type and the types in its annotation."""
    yield tp
    for argument in typing.get_args(tp):
        yield from _classes(argument)


def _pydantic() -> Any:
    try:
        return importlib.import_module("pydantic")
    except ImportError as error:
        raise MissingDependencyError.of("pydantic", "pydantic") from error


def _cause(error: Exception) -> str:
    """Pydantic's message about a type without its advice, since `arbitrary_types_allowed` gives no type a schema."""
    first, *others = str(error).splitlines()
    if first.startswith("Error building "):  # the cause comes last
        first = f"{first} {others[-1]}" if others else first
    return first.partition(" Set `arbitrary_types_allowed")[0]


def _reason(error: Any) -> str:
    """The first complaint of a ValidationError, on one line with its place; for other errors their own text."""
    if isinstance(error, OSError | ArithmeticError):
        return str(error)
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])


def _readable(tp: Any, outer: tuple[Any, ...]) -> Any:
    """The type with typing_extensions' TypedDict in place of `typing.TypedDict`, which Pydantic requires before Python
    3.12.

    Inside classes (such as fields of a dataclass) nothing is replaced: Pydantic reads those itself, and reports errors.
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
            # Under `from __future__ import annotations`, `__required_keys__` does not take account of the hint itself.
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
