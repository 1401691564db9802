"""The documents that Python's front end finds → what the native one asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.unit.json_schema.resolver import Documents, UnresolvedReference


def fetched(schema: Any, registry: Any) -> Callable[[str], Any]:
    """The documents that Python finds, one object for each URI."""
    documents = Documents(True, registry)

    def fetch(uri: str) -> Any:
        try:
            return documents.fetch(uri)
        except UnresolvedReference:
            return None

    return fetch
