"""A schema's text, one of its definitions, and other files → the text of one schema that contains all of them.

References into the other files become references inside the schema, so that every command can read it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import typer

from frisket._core import front_end
from frisket.errors import InvalidSchemaError, LimitExceededError
from frisket.json_pointer import to_pointer

#: Annotations that are dropped at the root, since they describe the whole file and not the chosen definition.
_DESCRIBING = frozenset(
    ("contentSchema", "default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly")
)
#: Keywords whose values are data, so that a `$ref` inside is no reference.
_DATA = frozenset(("const", "default", "enum", "examples"))


@dataclass(frozen=True)
class Bundle:
    """The values of the options `--root` and `--with`."""

    root: str | None = None
    others: tuple[str, ...] = ()

    def text(self, text: str, name: str) -> str:
        """The text of a schema that consists of the root definition, with the other files embedded."""
        from frisket.cli import source
        from frisket.json_schema.text import parse

        if self.root is None and not self.others:
            return text
        with source.named(name):
            schema = _object(parse(text))
        files: dict[str, dict[str, Any]] = {}
        places = {str(schema.get("$id", schema.get("id", ""))).rstrip("#"): ""}
        store = "definitions" if "definitions" in schema and "$defs" not in schema else "$defs"
        for given in self.others:
            with source.named(given):
                other = _object(parse(source.read(Path(given))))
            key = given if Path(given).name in files else Path(given).name
            files[key] = other
            place = to_pointer((store, key))
            for uri in (given, key, str(other.pop("$id", other.pop("id", key))).rstrip("#")):
                places[uri] = place
            other.pop("$schema", None)
        base = next(iter(places))
        places.update({name: "", Path(name).name: ""})
        try:
            whole = _with_references_moved(schema, places, base, "")
            inner = {key: _with_references_moved(other, places, base, places[key]) for key, other in files.items()}
        except RecursionError:
            hint = "name inner schemas in $defs and refer to them"
            raise LimitExceededError("the schema nests too deep", hint=hint) from None
        if files:
            whole[store] = {**whole.get(store, {}), **inner}
        if self.root is not None:
            said = {key for key in whole if front_end.is_keyword(key)} | _DESCRIBING
            whole = {key: value for key, value in whole.items() if key not in said}
            whole["$ref"] = self._reference(whole, places, base)
        return json.dumps(whole, ensure_ascii=False)

    def _reference(self, whole: dict[str, Any], places: dict[str, str], base: str) -> str:
        root = self.root or ""
        root = f"#{root}" if root.startswith("/") else root
        found = _bundled_reference(root, places, base, "")
        head = found.removeprefix("#/").partition("/")[0]
        if found.startswith("#/") and head not in whole:
            there = [f"#/{store}/{name}" for store in ("$defs", "definitions") for name in whole.get(store, ())]
            raise typer.BadParameter(
                f"--root {root} leads to no definition; there are {', '.join(there[:20]) or 'none'}"
                + (f" and {len(there) - 20} more" if len(there) > 20 else "")
            )
        return found


def _object(schema: Any) -> dict[str, Any]:
    if not isinstance(schema, dict):
        raise InvalidSchemaError("the file is no object", where="", hint="--root and --with take schemas in objects")
    return schema


def _with_references_moved(value: Any, places: dict[str, str], base: str, prefix: str) -> Any:
    """The schema with its references adjusted to its place below `prefix` in the bundle."""
    if isinstance(value, list):
        return [_with_references_moved(item, places, base, prefix) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _bundled_reference(inner, places, base, prefix)
        if key == "$ref" and isinstance(inner, str)
        else inner
        if key in _DATA
        else _with_references_moved(inner, places, base, prefix)
        for key, inner in value.items()
    }


def _bundled_reference(reference: str, places: dict[str, str], base: str, prefix: str) -> str:
    """A reference adjusted to the bundle; one without a target stays, so that the compiler reports it."""
    uri, _, fragment = reference.partition("#")
    place = places.get(uri, places.get(urljoin(base, uri))) if uri else prefix
    if place is None or (fragment and fragment[0] != "/"):
        return reference
    return f"#{place}{fragment}"
