"""Name of a format → regular node: one module per family.

>>> sorted(name for name, format in FORMATS.items() if not format.sound)
[]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle.json_schema.formats import datetime, email, hostname, ip, openapi, pointer, regex_format, uri, uuid
from tests.oracle.json_schema.formats.format import Format
from tests.oracle.json_schema.formats.openapi import INTEGERS, numeric_format

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

__all__ = ["FORMATS", "INTEGERS", "Format", "find_format", "format_node", "numeric_format"]

FORMATS: dict[str, Format] = {
    format.name: format
    for family in (datetime, email, hostname, ip, uri, pointer, uuid, regex_format, openapi)
    for format in family.FORMATS
}


def find_format(name: str, *, draft: str = "2020-12", openapi: bool = False) -> Format | None:
    """What is known of a format, None if nothing is (then it is an annotation).

    `openapi` also finds what OpenAPI and Pydantic write. In drafts before 7 a `hostname` knows no IDNA and is exact.
    """
    if name == "hostname" and draft in ("3", "4", "6"):
        return hostname.LEGACY_HOSTNAME
    found = FORMATS.get(name)
    return found if found is not None and (openapi or found.vocabulary == "json-schema") else None


def format_node(
    builder: GrammarBuilder, name: str, *, draft: str = "2020-12", openapi: bool = False, python: bool = False
) -> int | None:
    """A regular node of a format's decoded texts; None if the format is unknown or has no node (see `find_format`).

    `python` leaves out what Python's own types cannot hold: leap seconds, the year 0, endless durations, emails that
    Pydantic refuses.
    """
    found = find_format(name, draft=draft, openapi=openapi)
    return None if found is None or found.node is None else found.node(builder, python)
