"""JSON Schema × options → its rules: compiled lately, or made now.

The front end of JSON Schema says what a schema means. This module says whether that must be asked again, and it imports
the front end at the first schema only: whoever reads other notations never pays for it.
"""

from __future__ import annotations

import importlib
from functools import cache
from time import perf_counter
from types import ModuleType
from typing import TYPE_CHECKING, Any

from frisket import log
from frisket.errors import FrisketError
from frisket.misuse import given
from frisket.recent import Recent

if TYPE_CHECKING:
    from frisket._core import Grammar
    from frisket.json_schema import JSONSchemaOptions, Report
    from frisket.limit import Limits

__all__ = ["compile_schema", "compiled_lately", "front_end"]

#: The rules of the JSON Schemas compiled last, by content and options: at most 256, and 32 MB of schemas and rules.
compiled_lately: Recent[tuple[Grammar, Report]] = Recent(count=256, weight=32_000_000)


@cache
def front_end() -> ModuleType:
    """The front end of JSON Schema, found once: even a second `import` takes as long as compiling a small schema."""
    return importlib.import_module("frisket.json_schema")


def check_options(options: object) -> None:
    """TypeError unless these are options."""
    if not isinstance(options, front_end().JSONSchemaOptions):
        items = options.items() if isinstance(options, dict) else ()
        written = ", ".join(f"{name}={given(value)}" for name, value in items if isinstance(name, str)) or "…"
        raise TypeError(
            f"options are JSONSchemaOptions, got {type(options).__name__}: write frisket.JSONSchemaOptions({written})"
        )


def compile_schema(
    schema: Any, options: JSONSchemaOptions, registry: Any, limits: Limits | None, data: bytes | None
) -> tuple[Grammar, Report]:
    """The rules of a schema whose content is `data`, and their report. With a registry or limits nothing is kept.

    Raises TypeError for options and registries that are none, and what `json_schema.compile_json_schema` raises.
    """
    front = front_end()
    check_options(options)
    if registry is not None and not hasattr(registry, "contents"):
        raise TypeError(f"a registry is a referencing.Registry, got {type(registry).__name__}")
    if registry is not None or limits is not None or data is None:
        return _read(schema, options, registry, limits, data)
    key = data, front.prelude_of(options)  # one object for equal options
    found = compiled_lately.get(key)
    if found is None:
        found = _read(schema, options, None, None, data)
        compiled_lately.put(key, found, len(data) + found[0].memory_bytes)
    else:
        log.debug("a schema of %d bytes was read before", len(data))
    return found


def _read(
    schema: Any, options: JSONSchemaOptions, registry: Any, limits: Limits | None, data: bytes | None
) -> tuple[Grammar, Report]:
    began = perf_counter()
    try:
        found: tuple[Grammar, Report] = front_end().compile_json_schema(schema, options, registry, limits, data)
    except FrisketError as error:
        log.debug("a schema was refused: %s: %s", error.code, log.first_line(error))
        raise
    log.debug("read a schema into %d nodes in %.2f ms", found[0].node_count, log.milliseconds(began))
    return found
