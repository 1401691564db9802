"""JSON Schema → Grammar: what is legal, exactly, or a list of the places where that cannot be said.

options   how documents are spelled            resolve   drafts, $id, $ref, registries → places
reader    one place's keywords → a reading      algebra   places → unions of cases, lazily
value     sets of values: types and cases      string, number, array, object   one type's conditions → a node
interval  a number's conditions as one         reading   what one place says
lower     goals → nodes and rules              report    what is enforced, keyword by keyword
prelude   what all schemas have in common      room      how deep schemas may nest
"""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any

from frisket import _core
from frisket.errors import FrisketError, LimitExceededError
from frisket.json_schema import room
from frisket.json_schema.algebra import Algebra, NeedsScopes
from frisket.json_schema.lower import SORTED, Lowering
from frisket.json_schema.options import DEFAULT, JSONSchemaOptions
from frisket.json_schema.prelude import Prelude, prelude_of
from frisket.json_schema.report import Entry, Report
from frisket.json_schema.resolve import Documents, Registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frisket._core import Grammar, GrammarBuilder, Limits

__all__ = [
    "DEFAULT",
    "Clean",
    "Entry",
    "JSONSchemaOptions",
    "Report",
    "compile_json_schema",
    "compile_lately",
    "lower_json_schema",
    "prelude_of",
]


#: Whether plain places are lowered by the engine. Tests turn it off and compare.
PLAIN = True


def lower_json_schema(
    builder: GrammarBuilder,
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions | None = None,
    registry: Registry | None = None,
    prelude: Prelude | None = None,
) -> tuple[int, Report]:
    """The node of the schema's documents, and the report of what is enforced.

    `prelude` is that of the options, if the builder is its fork.

    `registry` is a `referencing.Registry` with the documents that `$ref` may lead to; nothing is ever fetched.
    Raises InvalidSchemaError, UnsupportedSchemaError (with all places), UnsatisfiableSchemaError, LimitExceededError.
    """
    options = options or DEFAULT
    try:
        return room.call(_lower, builder, schema, options, registry, prelude, False)
    except NeedsScopes:
        return room.call(_lower, builder, schema, options, registry, prelude, True)


def compile_json_schema(
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> tuple[Grammar, Report]:
    """The grammar of the schema's documents, and the report; raises what `lower_json_schema` raises."""
    grammar, report = compile_lately(schema, options, registry, limits)
    return grammar, report if isinstance(report, Report) else report.report()


def compile_lately(
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions,
    registry: Registry | None = None,
    limits: Limits | None = None,
    content: bytes | None = None,
    prelude: Prelude | None = None,
) -> tuple[Grammar, Report | Clean]:
    """The same, but a report that has nothing to say is made when somebody asks.

    `content` is the schema as `marshal` has it and `prelude` that of the options, if they are at hand.
    """
    prelude = prelude or prelude_of(options)
    stock = prelude.stock
    if PLAIN and stock is not None and type(schema) is dict:
        try:
            clean = Clean(content or marshal.dumps(schema, 2), options, registry, prelude)
            grammar, lowering, clean.is_sorted = _core.Plain.grammar(
                prelude.builder, stock, schema, options.property_order, _lowering, (schema, clean), limits
            )
            if lowering is None:
                return grammar, clean
            lowering.algebra.raise_unsupported()
            report = lowering.algebra.report
            report.source = clean.keywords
            return grammar, report
        except LimitExceededError:
            raise
        except RecursionError:
            raise room.too_deep() from None
        except (FrisketError, NeedsScopes, _core.Unplain, ValueError):
            # Whatever is wrong with it: all errors are those of one way to read a schema, the one below.
            pass
    builder = prelude.fork(limits)
    builder.check()
    node, report = lower_json_schema(builder, schema, options, registry, prelude)
    return builder.build(node), report


class Clean:
    """The report of a schema that was lowered without a word to say, made when somebody asks."""

    __slots__ = ("content", "is_sorted", "options", "prelude", "registry")

    def __init__(self, content: bytes, options: JSONSchemaOptions, registry: Registry | None, prelude: Prelude) -> None:
        self.content = content
        self.options = options
        self.registry = registry
        self.prelude = prelude
        self.is_sorted = False

    def report(self) -> Report:
        return Report(notes=[SORTED] if self.is_sorted else [], source=self.keywords)

    def keywords(self) -> Iterator[tuple[str, str]]:
        # Python reads the schema anew, as it was: the caller's may have changed.
        schema = marshal.loads(self.content)
        again = lower_json_schema(self.prelude.fork(), schema, self.options, self.registry, self.prelude)[1]
        return again.source() if again.source is not None else iter(())


def _lowering(plain: _core.Plain, given: tuple[dict[str, Any], Clean]) -> Lowering:
    """Python's side of a schema that is not all plain."""
    schema, clean = given
    algebra = Algebra(plain.builder, Documents(schema, clean.registry), clean.options, Report())
    return Lowering(plain.builder, clean.options, algebra, clean.prelude.lowering, plain)


def _lower(
    builder: GrammarBuilder,
    schema: Any,
    options: JSONSchemaOptions,
    registry: Registry | None,
    prelude: Prelude | None,
    scoped: bool,
) -> tuple[int, Report]:
    report = Report()
    algebra = Algebra(builder, Documents(schema, registry), options, report, scoped=scoped)
    report.source = algebra.keywords
    lowering = Lowering(builder, options, algebra, prelude.lowering if prelude is not None else None)
    node = lowering.document(algebra.root())
    algebra.raise_unsupported()
    return node, report
