"""A rule and a schema → the pointers at which it fires."""

from __future__ import annotations

from functools import cache
from typing import Any

from frisket import Vocabulary, models
from frisket.lint import lint

STRING: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}
DRAFT7 = {"$schema": "http://json-schema.org/draft-07/schema#"}
BOOLEAN: dict[str, Any] = {"type": "boolean"}


def fired(rule: str, schema: Any, *, max_tokens: int | None = None) -> list[str]:
    """Where the rule fires, with the vocabulary of the embedded model."""
    found = lint(schema, vocabulary(), select=[rule], max_tokens=max_tokens)
    assert {finding.rule for finding in found} <= {rule}
    return [finding.pointer for finding in found]


@cache
def vocabulary() -> Vocabulary:
    known: Vocabulary = models.embedded().vocabulary
    return known


def listing(*names: str, required: list[str] | None = None, **schemas: Any) -> dict[str, Any]:
    """An object with these properties, strings where nothing else is said."""
    properties = {name: schemas.get(name, STRING) for name in names}
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}
