"""Name of a vendor → Dialect: the JSON Schema that its structured outputs accept, as data with a source and a date."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from frisket import FrisketError

_FOLDER = Path(__file__).parent / "dialects"


@dataclass(frozen=True)
class Sizes:
    """The largest sizes of a schema that a vendor accepts; None if it publishes no number.

    `characters` counts the names of properties and definitions, and the strings of `enum`. An enum of more than
    `large_enum` values may have at most `large_enum_characters`. `optional` and `unions` count properties.
    """

    properties: int | None
    depth: int | None
    enum_values: int | None
    characters: int | None
    large_enum: int | None
    large_enum_characters: int | None
    optional: int | None
    unions: int | None


@dataclass(frozen=True)
class Dialect:
    """The keywords that one vendor enforces.

    >>> from frisket import hosted
    >>> openai = hosted.dialect("openai")
    >>> openai.all_required, "minLength" in openai.keywords, openai.limits.enum_values
    (True, False, 1000)

    `source` is the vendor's page, and `checked` the day on which a copy of that page was last compared. `keywords` are
    the constraints that it enforces in addition to types, properties, items, `enum` and `anyOf`.
    """

    name: str
    vendor: str
    request: str
    source: str
    checked: str
    notes: str
    object_root: bool
    all_required: bool
    recursion: bool
    property_ordering: bool
    dictionaries: bool
    keywords: frozenset[str]
    formats: frozenset[str]
    enum_types: frozenset[str]
    min_items: int | None
    limits: Sizes


def dialects() -> tuple[str, ...]:
    """The names of all vendors.

    >>> dialects()
    ('anthropic', 'gemini', 'mistral', 'openai')
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))


@cache
def dialect(name: str) -> Dialect:
    """The dialect of a vendor.

    >>> dialect("gemini").property_ordering
    True
    """
    if name not in dialects():
        raise FrisketError(
            f"no dialect is called {name!r}", hint=f"there are {', '.join(dialects())}", code="dialect-unknown"
        )
    data: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    sets = {key: frozenset(data[key]) for key in ("keywords", "formats", "enum_types")}
    return Dialect(**{**data, **sets, "limits": Sizes(**data["limits"])})
