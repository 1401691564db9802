"""uuid (RFC 4122, any version and variant)."""

from __future__ import annotations

from tests.oracle.json_schema.formats.format import by_pattern

_HEX = "[0-9A-Fa-f]"

FORMATS = (by_pattern("uuid", f"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"),)
