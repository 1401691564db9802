"""JSON Schema × options → its rules, from the cache of recent compiles or compiled now.

The front end of JSON Schema is imported only when the first schema needs it, so programs with other notations never
load it.
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
from frisket.recent import Recent, content

if TYPE_CHECKING:
    from frisket._core import Grammar
    from frisket.json_schema import JSONSchemaOptions, Report
    from frisket.limit import Limits

__all__ = ["compile_schema", "compiled_lately", "front_end"]

#: Rules of recently compiled JSON Schemas, by content and options; at most 256, and 32 MB of schemas and rules.
compiled_lately: Recent[tuple[Grammar, Report]] = Recent(count=256, weight=32_000_000)


@cache
def front_end() -> ModuleType:
    """The front end of JSON Schema, looked up once: a repeated `import` takes as long as compiling a small schema."""
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
    """The rules of a schema with the content `data`, and their report. With a registry or limits, no cache is used.

    Raises TypeError if options or registry have the wrong type, and the errors of `json_schema.compile_json_schema`.
    """
    front = front_end()
    check_options(options)
    if registry is not None and not hasattr(registry, "contents"):
        raise TypeError(f"a registry is a referencing.Registry, got {type(registry).__name__}")
    if registry is not None or limits is not None or data is None:
        return _read(schema, options, registry, limits, data)
    key = data, front.prelude_of(options)  # equal options have one prelude
    found = compiled_lately.get(key)
    if found is None:
        found = _read(schema, options, None, None, data)
        # Another thread may have changed the schema since `data` was written.
        if content(schema) == data:
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
