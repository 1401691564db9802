"""Transport × prompt × type → a value of the type: request in the vendor's dialect, decode, validate, repair."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from frisket import FrisketError, Grammar
from frisket.errors import EngineError, MissingDependencyError, UnsupportedSchemaError
from frisket.extension import PythonType
from frisket.hosted.convert import Converted, convert
from frisket.hosted.dialect import Dialect
from frisket.hosted.request import Turn, request

Transport = Callable[[dict[str, Any]], str]
"""A function that sends a request in the form of the vendor's API, and returns the text of the answer."""


def generate(
    transport: Transport, prompt: str, target: Any, dialect: Dialect | str = "openai", *, repairs: int = 2
) -> Any:
    """The vendor's answer as a value of `target`: an object of a type, parsed JSON for a JSON Schema (dict or bool), a
    text for a list of texts, or the value of a Grammar that has a schema.

    >>> def recorded(request):
    ...     return '{"value": 7}'
    >>> generate(recorded, "How many?", {"type": "integer", "minimum": 5})
    7

    `transport` sends one request and returns the text of the answer. The text is decoded, and validated by the whole
    schema (jsonschema-rs, extra `validate`). An invalid answer is shown to the model with the error, at most `repairs`
    times; after that it raises a FrisketError. An error of the transport becomes an EngineError with it as the cause.
    """
    if not callable(transport):
        raise TypeError(
            f"transport is a function that sends a request and returns the text of the answer, got "
            f"{type(transport).__name__}: frisket.hosted.connect(client, model) makes one of a vendor's client"
        )
    if repairs < 0:
        raise ValueError("repairs: at least 0")
    schema, value = _schema_and_reader(target)
    converted = convert(schema, dialect)
    validator = _validator(schema)
    rules = converted.dialect
    turns: list[Turn] = [("user", prompt)]
    for _ in range(repairs + 1):
        try:
            text = transport(request(rules.request, converted.schema, turns, "answer"))
        except FrisketError:
            raise
        except Exception as error:
            raise EngineError(f"{rules.vendor}: {type(error).__name__}: {error}", where="transport") from error
        try:
            return _read(text, converted, validator, value)
        except (ValueError, FrisketError) as error:
            reason = error.message if isinstance(error, FrisketError) else str(error)
        turns += [("assistant", text), ("user", f"The answer is not valid. {reason}. Answer again, corrected.")]
    raise FrisketError(
        f"{rules.vendor} gave no valid answer in {repairs + 1}: {reason}",
        where="answer",
        hint="see `convert(schema, dialect).losses` for what the vendor does not enforce",
        code="value-refused",
    )


def _schema_and_reader(target: Any) -> tuple[Mapping[str, Any] | bool, Callable[[str], Any]]:
    """(the schema of a target, the function that turns a document into its value)."""
    if isinstance(target, Mapping | bool):
        return target, json.loads
    if isinstance(target, list | tuple):
        Grammar.from_choices(target)
        return {"enum": list(target)}, json.loads
    if isinstance(target, Grammar) and target.schema is not None:
        return target.schema, target.value
    if isinstance(target, Grammar | re.Pattern):
        raise UnsupportedSchemaError(
            "a hosted API takes a JSON Schema, which this target has not",
            where="target",
            hint="pass a type, a schema, a list of texts, or a Grammar of a schema or type",
        )
    tp: PythonType[Any] = PythonType(target)
    return tp.schema, tp.value


def _read(text: str, converted: Converted, validator: Any, value: Callable[[str], Any]) -> Any:
    decoded = converted.decode(json.loads(text))
    for error in validator.iter_errors(decoded):
        place = "".join(f"/{part}" for part in error.instance_path) or "(root)"
        raise ValueError(f"{place}: {error.message}")
    return value(json.dumps(decoded, ensure_ascii=False))


def _validator(schema: Mapping[str, Any] | bool) -> Any:
    try:
        jsonschema_rs = importlib.import_module("jsonschema_rs")
    except ImportError as error:
        raise MissingDependencyError.of("jsonschema-rs", "validate") from error
    return jsonschema_rs.validator_for(dict(schema) if isinstance(schema, Mapping) else schema, validate_formats=True)
