"""A source's name and a number → a random schema, the same everywhere."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.conformance.random_schemas.alternative import alternatives, shared_members
from tests.conformance.random_schemas.applicator import applicators
from tests.conformance.random_schemas.bound import bounds
from tests.conformance.random_schemas.conjunction import conjunctions
from tests.conformance.random_schemas.constant import constants
from tests.conformance.random_schemas.odd import random_schema
from tests.conformance.random_schemas.switch import language_switches, switches
from tests.golden.invented import random_schema as invented

DRAFTS = ("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#")


def keywords(rng: random.Random) -> Any:
    """A schema of any keywords, a few at a time."""
    schema = invented(rng)
    if isinstance(schema, dict):
        schema = {"$schema": rng.choice(DRAFTS), **schema}
        schema["$defs"] = {"r": {"type": ["object", "null"], "properties": {"a": {"$ref": "#/$defs/r"}}}}
    return schema


SOURCES: dict[str, Callable[[random.Random], Any]] = {
    "keywords": keywords,
    "odd": random_schema,
    "alternatives": alternatives,
    "members": shared_members,
    "applicators": applicators,
    "bounds": bounds,
    "constants": constants,
    "conjunctions": conjunctions,
    "switches": switches,
    "languages": language_switches,
}


def schema_of(source: str, number: int) -> Any:
    """The schema of a number."""
    # Case numbers of `keywords` are older than the other sources.
    return SOURCES[source](random.Random(f"schema {number}" if source == "keywords" else f"{source} {number}"))
