"""Places × required names → whether certainly no object fits all places; the engine decides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from frisket import FrisketError
from frisket.errors import UnsatisfiableSchemaError
from frisket.lint.document import Document, Subschema

#: URI by which the engine's query refers to the schema.
ROOT = "urn:frisket:schema"
#: Limit steps of one query; if they run out, the places count as overlapping.
STEPS = 2_000_000


class _Registry:
    def __init__(self, root: Any) -> None:
        self.root = root

    def contents(self, uri: str) -> Any:
        if uri != ROOT:
            raise LookupError(uri)
        return self.root


def is_disjoint(document: Document, places: Iterable[Subschema], required: Iterable[str]) -> bool:
    """Whether certainly no object with these members fits all the places."""
    from frisket import Grammar, JSONSchemaOptions, Limits

    document.meter.spend(STEPS // 10)
    given = document.meter.limits
    limits = Limits(steps=min(STEPS, given.steps), seconds=given.seconds, cancellation=given.cancellation)
    parts = [{"$ref": f"{ROOT}#{quote(place.pointer)}"} for place in places]
    question = {"type": "object", "required": sorted(required), "allOf": parts}
    options = JSONSchemaOptions(relaxed=True)
    try:
        Grammar.from_json_schema(question, options, registry=_Registry(document.root), limits=limits)
    except UnsatisfiableSchemaError:
        return True
    except FrisketError:
        document.meter.spend(0)  # raises if the whole call has reached its limits
        return False
    return False
