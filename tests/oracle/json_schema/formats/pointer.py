"""json-pointer (RFC 6901), relative-json-pointer (without index manipulation, which validators do not know either)."""

from __future__ import annotations

from tests.oracle.json_schema.formats.format import by_pattern

_POINTER = "(?:/(?:[^~/]|~[01])*)*"

FORMATS = (
    by_pattern("json-pointer", _POINTER),
    by_pattern("relative-json-pointer", f"(?:0|[1-9][0-9]*)(?:#|{_POINTER})"),
)
