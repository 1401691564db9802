"""JSON Schema × options → its rules: compiled lately, read from disk, or made now.

The front end of JSON Schema says what a schema means. This module says whether that must be asked again, and it imports
the front end at the first schema only: whoever reads other notations never pays for it.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from frisket.recent import Recent

if TYPE_CHECKING:
    from frisket.json_schema import Clean, Compiled, JSONSchemaOptions
    from frisket.limit import Limits

__all__ = ["compile_schema", "compiled_lately", "front_end", "usual"]

#: The rules of the JSON Schemas compiled last, by content and options: at most 256, and 32 MB of schemas and rules.
compiled_lately: Recent[Compiled] = Recent(count=256, weight=32_000_000)

#: Schema → its rules, lately compiled or new, where there are neither options nor limits; None before the first.
usual: Callable[[dict[str, Any]], Compiled] | None = None


@cache
def front_end() -> ModuleType:
    """The front end of JSON Schema: found once, since even a second `import` takes as long as lowering a place."""
    global usual
    stored = importlib.import_module("frisket.json_schema.stored")
    front = importlib.import_module("frisket.json_schema")
    if not stored.wanted():
        usual = front.usual(compiled_lately)
    return front


def compile_schema(
    schema: Any, options: JSONSchemaOptions, registry: Any, limits: Limits | None, data: bytes | None
) -> Compiled:
    """The rules of a schema whose content is `data`. With a registry or limits nothing is kept.

    Raises TypeError for options and registries that are none, and what `json_schema.compile_lately` raises.
    """
    front = front_end()
    if not isinstance(options, front.JSONSchemaOptions):
        raise TypeError(f"options are JSONSchemaOptions, got {type(options).__name__}")
    if registry is not None and not hasattr(registry, "contents"):
        raise TypeError(f"a registry is a referencing.Registry, got {type(registry).__name__}")
    found: Compiled | None
    if registry is not None or limits is not None or data is None:
        found = front.compile_lately(schema, options, registry, limits, data)
        return found
    prelude = front.prelude_of(options)
    key = data, prelude  # one object for equal options
    found = compiled_lately.get(key)
    if found is None:
        if front.stored.wanted():
            found = _stored(front, schema, data, options, prelude)
        else:
            found = front.compile_lately(schema, options, None, None, data, prelude)
        compiled_lately.put(key, found, len(data) + found[0].memory_bytes)
    return found


def _stored(front: ModuleType, schema: Any, data: bytes, options: JSONSchemaOptions, prelude: Any) -> Compiled:
    """The rules of a schema from disk, or compiled, and then on disk if that took long."""
    told = front.stored.fetch(data, options)
    if told is not None:
        return *told, data
    began = time.perf_counter()
    found: Compiled = front.compile_lately(schema, options, None, None, data, prelude)
    if time.perf_counter() - began > front.stored.WORTH:
        report = found[1] if isinstance(found[1], front.Report) else cast("Clean", found[1]).report()
        front.stored.keep(found[0], report, data, options)
    return found
