"""minLength, maxLength, pattern → conditions on a text; format and content* are `semantic`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.json_schema import string

if TYPE_CHECKING:
    from tests.oracle.json_schema.reader import Reader


def read_min_length(reader: Reader, value: Any) -> None:
    least = reader.count("minLength", value)
    if least:
        reader.strings.append(string.Length(least, None))


def read_max_length(reader: Reader, value: Any) -> None:
    reader.strings.append(string.Length(0, reader.count("maxLength", value)))


def read_pattern(reader: Reader, value: Any) -> None:
    node = reader.pattern("pattern", value)
    if node is not None:
        reader.strings.append(string.Matches(node, True))
