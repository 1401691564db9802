"""$ref, allOf, anyOf, oneOf, not, if → what other schemas ask of the same value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.json_schema.value import ANYTHING

if TYPE_CHECKING:
    from tests.oracle.json_schema.reader import Reader


def read_ref(reader: Reader, value: Any) -> None:
    refer(reader, "$ref", value)


def read_dynamic_ref(reader: Reader, value: Any) -> None:
    refer(reader, "$dynamicRef", value)


def read_recursive_ref(reader: Reader, value: Any) -> None:
    refer(reader, "$recursiveRef", value)


def refer(reader: Reader, kind: str, value: Any) -> None:
    if not isinstance(value, str):
        raise reader.invalid(kind, "a URI reference")
    reader.reading.parts.append(("all", [reader.algebra.referred(reader.site, value, kind=kind)]))


def read_all(reader: Reader, value: Any) -> None:
    reader.reading.parts.append(("all", reader.schemas("allOf", value)))


def read_any(reader: Reader, value: Any) -> None:
    reader.reading.parts.append(("any", reader.schemas("anyOf", value)))


def read_one(reader: Reader, value: Any) -> None:
    goals = reader.schemas("oneOf", value)
    reader.reading.parts.append(("all" if len(goals) == 1 else "one", goals))


def read_not(reader: Reader, value: Any) -> None:
    reader.reading.parts.append(("not", [reader.goal(value, "not")]))


def read_if(reader: Reader, value: Any) -> None:
    schema = reader.schema
    then = reader.goal(schema["then"], "then") if "then" in schema else ANYTHING
    other = reader.goal(schema["else"], "else") if "else" in schema else ANYTHING
    reader.reading.parts.append(("if", [reader.goal(value, "if"), then, other]))


def read_branch(reader: Reader, value: Any) -> None:
    """then and else are read with if; alone they mean nothing."""
