"""OpenAI's, Anthropic's or MCP's description, a Python function, or a Pydantic model → Tool."""

from __future__ import annotations

import difflib
import importlib
import inspect
import json
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from frisket._core import front_end
from frisket.errors import FrisketError, InvalidSchemaError, MissingDependencyError
from frisket.grammar import Grammar
from frisket.python_type import PythonType
from frisket.tools.custom import INPUT, SCHEMA, CustomFormat

#: Each vendor's field for the schema of the arguments: OpenAI, MCP, Anthropic.
_SCHEMAS = ("parameters", "inputSchema", "input_schema")
#: Schema of a tool that declares none: no arguments.
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True)
class Tool:
    """A function that a model may call: its name, and the JSON Schema of its arguments.

    >>> tool = Tool.of({"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}})
    >>> tool.name, tool.schema
    ('now', {'type': 'object'})
    """

    name: str
    schema: dict[str, Any]
    description: str = ""
    python: PythonType[Any] | None = field(default=None, repr=False, compare=False)
    """The type of the arguments, if the tool is a Python function or a Pydantic model."""
    is_function: bool = field(default=False, repr=False, compare=False)
    custom: CustomFormat | None = None
    """The format of the input text, if this is a custom tool of OpenAI, which takes one text instead of arguments."""

    @classmethod
    def of(cls, source: Any) -> Tool:
        """The tool of a description; InvalidSchemaError if it has no name, or no schema of an object.

        The parameters of a function and the fields of a Pydantic model are its arguments. A function needs Pydantic.
        """
        if isinstance(source, Tool):
            return source
        if isinstance(source, Mapping):
            return cls._of_mapping(source)
        if isinstance(source, type):
            python: PythonType[Any] = PythonType(source)
            schema = _of_object(python.schema, "write a function, or a Pydantic model whose fields are the arguments")
            return cls(source.__name__, _close(schema), inspect.getdoc(source) or "", python)
        if callable(source):
            _check_name(source)
            python = PythonType(_model_of(source))
            return cls(source.__name__, _close(_of_object(python.schema)), inspect.getdoc(source) or "", python, True)
        raise TypeError(f"a tool is a dict, a Python function or a Pydantic model, got {type(source).__name__}")

    @classmethod
    def _of_mapping(cls, source: Mapping[str, Any]) -> Tool:
        is_custom = source.get("type") == "custom"
        inner = source.get("custom" if is_custom else "function", source)
        if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str) or not inner["name"]:
            raise InvalidSchemaError(
                "the tool has no name", where="/function/name", hint='write {"name": …, "parameters": {…}}'
            )
        text = inner.get("description")
        description = text if isinstance(text, str) else ""
        if is_custom:
            return cls(inner["name"], SCHEMA, description, custom=CustomFormat.of(inner.get("format")))
        found = [(key, inner[key]) for key in _SCHEMAS if inner.get(key) is not None]
        if not found:
            _check_keys(inner)
        schema = found[0][1] if found else _NOTHING
        if not isinstance(schema, Mapping):
            raise InvalidSchemaError(
                "the schema of the arguments is no object", where=f"/{found[0][0]}", hint="write a JSON Schema"
            )
        if found and schema and not any(front_end.is_keyword(str(word)) for word in schema):
            report = Grammar.from_json_schema(schema).report
            assert report is not None
            report.check_asks(f"/{found[0][0]}")
        return cls(inner["name"], _of_object(dict(schema)), description)

    def value(self, arguments: str) -> Any:
        """JSON arguments in the tool's own type: a model, a text, or a dict; for a function with values of its types.

        FrisketError if a validator of the type refuses them.
        """
        if self.custom is not None:
            return json.loads(arguments)[INPUT]
        if self.python is None:
            return json.loads(arguments)
        value = self.python.value(arguments)
        if not self.is_function:
            return value
        return {name: getattr(value, name) for name in type(value).model_fields if name in value.model_fields_set}


def _check_keys(tool: Mapping[str, Any]) -> None:
    """InvalidSchemaError for a tool without a schema that has a key like that of one."""
    for key in tool:
        near = difflib.get_close_matches(str(key), _SCHEMAS, 1, 0.75)
        if near:
            raise InvalidSchemaError(f"a tool has no {key}", where=f"/{key}", hint=f"do you mean {near[0]}?")


def _of_object(schema: dict[str, Any], hint: str = 'write "type": "object"') -> dict[str, Any]:
    """The schema with `object` as its type, since arguments are always an object; else an error with the hint."""
    said = schema.get("type")
    if said is None:
        return {**schema, "type": "object"}
    if said != "object" and not (isinstance(said, list) and "object" in said):
        raise InvalidSchemaError(f"arguments are an object, the schema asks for {said!r}", where="/type", hint=hint)
    return schema if said == "object" else {**schema, "type": "object"}


def _close(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type, closed to members that the type does not have and would drop."""
    found = {name: _close(one) for name, one in schema.get("$defs", {}).items()}
    closed = {"additionalProperties": False} if "properties" in schema else {}
    return {**closed, **schema, **({"$defs": found} if found else {})}


def _check_name(function: Callable[..., Any]) -> None:
    """FrisketError for a function whose name no model could write."""
    name = getattr(function, "__name__", None)
    if name is None or name == "<lambda>":
        kind = "a lambda" if name else f"an object of the class {type(function).__name__}"
        raise FrisketError(
            f"{kind} has no name that a model could call",
            where="name",
            hint="write def get_weather(city: str) -> …, whose name, annotations and docstring the model is told",
            code="tool-signature",
        )


def _model_of(function: Callable[..., Any]) -> Any:
    """A Pydantic model of a function's parameters."""
    try:
        pydantic: Any = importlib.import_module("pydantic")
    except ImportError as error:
        raise MissingDependencyError.of("pydantic", "pydantic") from error
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise FrisketError(
            f"an annotation of {function.__name__} cannot be read: {error}",
            where=function.__name__,
            hint="define or import the name in the function's module",
            code="tool-signature",
        ) from error
    fields: dict[str, Any] = {}
    parameters = inspect.signature(function).parameters
    if _is_unbound(function, list(parameters)):
        raise FrisketError(
            f"{function.__qualname__} is a method of no instance: the model would have to write self",
            where="self",
            hint=f"pass a bound method, as in instance.{function.__name__}",
            code="tool-signature",
        )
    for name, parameter in parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise FrisketError(
                f"{function.__name__} takes {parameter}: a tool's arguments go by name",
                where=name,
                hint="give the function named parameters only",
                code="tool-signature",
            )
        if name not in hints:
            raise FrisketError(
                f"the parameter {name} of {function.__name__} has no annotation, so any JSON would be valid",
                where=name,
                hint=f"write {name}: str, or another type; {name}: Any if any JSON will do",
                code="tool-signature",
            )
        fields[name] = (hints[name], ... if parameter.default is parameter.empty else parameter.default)
    return pydantic.create_model(function.__name__, __config__=pydantic.ConfigDict(extra="forbid"), **fields)


def _is_unbound(function: Callable[..., Any], names: list[str]) -> bool:
    """Whether a function is a method taken from its class, so that its first parameter is `self`."""
    owner = getattr(function, "__qualname__", "").rpartition(".")[0]
    return inspect.isfunction(function) and names[:1] == ["self"] and owner != "" and not owner.endswith("<locals>")
