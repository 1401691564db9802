"""minimum, maximum, multipleOf → conditions on a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frisket.lint.resolve import DRAFT4
from tests.oracle.json_schema import interval

if TYPE_CHECKING:
    from tests.oracle.json_schema.reader import Reader


def read_minimum(reader: Reader, value: Any) -> None:
    strict = reader.draft == DRAFT4 and reader.schema.get("exclusiveMinimum") is True
    reader.numbers.append(interval.AtLeast(reader.number("minimum", value), strict))


def read_maximum(reader: Reader, value: Any) -> None:
    strict = reader.draft == DRAFT4 and reader.schema.get("exclusiveMaximum") is True
    reader.numbers.append(interval.AtMost(reader.number("maximum", value), strict))


def read_exclusive_minimum(reader: Reader, value: Any) -> None:
    if reader.draft == DRAFT4:
        check_flag(reader, "exclusiveMinimum", value)
    else:
        reader.numbers.append(interval.AtLeast(reader.bound("exclusiveMinimum", value), True))


def read_exclusive_maximum(reader: Reader, value: Any) -> None:
    if reader.draft == DRAFT4:
        check_flag(reader, "exclusiveMaximum", value)
    else:
        reader.numbers.append(interval.AtMost(reader.bound("exclusiveMaximum", value), True))


def check_flag(reader: Reader, keyword: str, value: Any) -> None:
    """Draft 4 writes a flag beside minimum and maximum, later drafts a bound."""
    if not isinstance(value, bool):
        raise reader.invalid(keyword, "a boolean in draft 4")


def read_multiple(reader: Reader, value: Any) -> None:
    step = reader.number("multipleOf", value)
    if step <= 0:
        raise reader.invalid("multipleOf", "a positive number")
    reader.numbers.append(interval.Multiple(step, True))
