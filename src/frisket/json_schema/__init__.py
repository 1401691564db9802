"""JSON Schema → Grammar: what is legal, exactly, or a list of the places where that cannot be said.

options   how documents are spelled            resolve   drafts, $id, $ref, registries → places
reader    one place's keywords → conditions    algebra   places → unions of cases, lazily
value     sets of values: types and cases      string, number, array, object   one type's conditions → a node
lower     goals → nodes and rules              report    what is enforced, keyword by keyword
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frisket.json_schema import room
from frisket.json_schema.algebra import Algebra, NeedsScopes
from frisket.json_schema.lower import Lowering
from frisket.json_schema.options import JSONSchemaOptions
from frisket.json_schema.report import Entry, Report
from frisket.json_schema.resolve import Documents, Registry

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

__all__ = ["Entry", "JSONSchemaOptions", "Report", "lower_json_schema"]


def lower_json_schema(
    builder: GrammarBuilder,
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions | None = None,
    registry: Registry | None = None,
) -> tuple[int, Report]:
    """The node of the schema's documents, and the report of what is enforced.

    `registry` is a `referencing.Registry` with the documents that `$ref` may lead to; nothing is ever fetched.
    Raises InvalidSchemaError, UnsupportedSchemaError (with all places), UnsatisfiableSchemaError, LimitExceededError.
    """
    options = options or JSONSchemaOptions()
    try:
        return room.call(_lower, builder, schema, options, registry, False)
    except NeedsScopes:
        return room.call(_lower, builder, schema, options, registry, True)


def _lower(
    builder: GrammarBuilder, schema: Any, options: JSONSchemaOptions, registry: Registry | None, scoped: bool
) -> tuple[int, Report]:
    report = Report()
    algebra = Algebra(builder, Documents(schema, registry), options, report, scoped=scoped)
    report.source = algebra.keywords
    lowering = Lowering(builder, options, algebra)
    node = lowering.document(algebra.root())
    algebra.raise_unsupported()
    return node, report
