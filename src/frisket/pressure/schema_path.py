"""Path of a value in a document × schema → the schema path under which the value is counted."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from frisket.explanation.place import Path, at, below, root
from frisket.json_pointer import to_pointer
from frisket.outline import Place, named, schemas

if TYPE_CHECKING:
    from frisket.grammar import Grammar

#: Most paths that are cached for one schema; documents may have any number.
MOST = 4096
#: Placeholder for any array item, and for any key that the schema does not name.
ANY = "*"


class SchemaPaths:
    """The JSON Pointers of paths with `*` for the indexes of arrays, and for keys that the schema does not name.

    >>> paths = SchemaPaths({"additionalProperties": {"properties": {"sizes": {}}}})
    >>> paths[("latte", "sizes", 3)]
    '/*/sizes/*'

    Each path is looked up once, starting from the path above it. Thread-safe.
    """

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        #: Path → its schema path, and the places of the schema that may apply to its value.
        self._known: dict[Path, tuple[str, list[Path]]] = {(): ("", root(schema))}

    def __getitem__(self, path: Path) -> str:
        return self._find(path)[0]

    def _find(self, path: Path) -> tuple[str, list[Path]]:
        found = self._known.get(path)
        if found is None:
            step = path[-1]
            above, places = self._find(path[:-1])
            named = (at(self._schema, place).get("properties") for place in places)
            is_named = isinstance(step, str) and any(isinstance(names, Mapping) and step in names for names in named)
            found = above + to_pointer([step if is_named else ANY]), below(self._schema, places, step)
            if len(self._known) < MOST:
                self._known[path] = found
        return found


class GrammarPaths:
    """The paths of places: the names unchanged, and then the schema path inside the value."""

    def __init__(self, grammar: Grammar) -> None:
        self._schemas: dict[tuple[str, ...], SchemaPaths] = {}
        for names, schema in schemas(grammar):
            self._schemas.setdefault(names, SchemaPaths(schema))

    def __getitem__(self, place: Place) -> str:
        inside = self._schemas.get(place.names)
        return str(place) if inside is None else named(place.names) + inside[place.value]


@lru_cache(maxsize=16)
def grammar_paths(grammar: Grammar) -> GrammarPaths:
    """The paths of a grammar; results of earlier answers are reused."""
    return GrammarPaths(grammar)
