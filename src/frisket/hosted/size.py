"""A converted schema → its sizes, compared with those that the vendor accepts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from frisket.errors import LimitExceededError
from frisket.hosted.dialect import Dialect


@dataclass(frozen=True)
class Size:
    """The sizes that vendors limit; `depth` counts nested objects, separately for each definition."""

    properties: int
    depth: int
    enum_values: int
    characters: int
    optional: int
    unions: int


def measure(schema: dict[str, Any]) -> Size:
    """The sizes of a converted schema."""
    nodes = list(_nodes(schema, 0))
    enums = [node["enum"] for node, _ in nodes if "enum" in node]
    members = [member for node, _ in nodes for member in node.get("properties", {}).items()]
    strings = [text for values in enums for text in values if isinstance(text, str)]
    return Size(
        properties=len(members),
        depth=max(level for _, level in nodes),
        enum_values=sum(map(len, enums)),
        characters=sum(map(len, [*schema.get("$defs", {}), *(name for name, _ in members), *strings])),
        optional=sum(len(node.get("properties", {}).keys() - node.get("required", ())) for node, _ in nodes),
        unions=sum("anyOf" in one for _, one in members),
    )


def refuse_too_large(schema: dict[str, Any], rules: Dialect) -> None:
    """Raise LimitExceededError if the vendor would refuse the schema for its size."""
    size = measure(schema)
    for name in ("properties", "depth", "enum_values", "characters", "optional", "unions"):
        found, most = getattr(size, name), getattr(rules.limits, name)
        if most is not None and found > most:
            raise LimitExceededError(
                f"{rules.vendor} takes {most} ({name}); the converted schema has {found}",
                where="",
                hint=f"split the schema, or ask in two steps; the limit stands at {rules.source}",
            )


def _nodes(node: dict[str, Any], level: int) -> Iterator[tuple[dict[str, Any], int]]:
    level += node.get("type") == "object"
    yield node, level
    inner = [*node.get("anyOf", ()), *node.get("properties", {}).values(), node.get("items")]
    for part in [*inner, node.get("additionalProperties")]:
        if isinstance(part, dict):
            yield from _nodes(part, level)
    for part in node.get("$defs", {}).values():
        yield from _nodes(part, 0)
