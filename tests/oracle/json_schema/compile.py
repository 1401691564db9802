"""Schema × options → rules and report: the ways to split values, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frisket.errors import EmptyGrammarError, LimitExceededError, UnsatisfiableSchemaError
from frisket.json_schema.options import DEFAULT, JSONSchemaOptions
from frisket.json_schema.report import Report
from frisket.lint.resolve import Documents, Registry
from tests.oracle.json_schema import room
from tests.oracle.json_schema.algebra import Algebra, Splitting, TooManyAlternatives
from tests.oracle.json_schema.lower import Lowering, nothing_written
from tests.oracle.json_schema.place import NeedsScopes
from tests.oracle.json_schema.prelude import Prelude, prelude_of, restricted

if TYPE_CHECKING:
    from frisket._core import Grammar, GrammarBuilder, Limits

#: Alternatives of one value that are few: no way of splitting may take more before every way was tried.
FEW = 256


def compile_json_schema(
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions = DEFAULT,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> tuple[Grammar, Report]:
    """The grammar of the schema's documents, and the report; raises what `lower_json_schema` raises."""
    prelude = prelude_of(options)
    builder = prelude.fork(limits)
    builder.check()
    node, report = lower_json_schema(builder, schema, options, registry, prelude)
    try:
        return builder.build(node), report
    except EmptyGrammarError as error:
        # Lowering knows of most contradictions and where they are; this one showed in the rules only.
        if report.narrowed:
            raise nothing_written(report) from error
        raise UnsatisfiableSchemaError(
            "no value can ever be valid here", where="", hint="`frisket check` shows what it demands"
        ) from error


def lower_json_schema(
    builder: GrammarBuilder,
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions = DEFAULT,
    registry: Registry | None = None,
    prelude: Prelude | None = None,
) -> tuple[int, Report]:
    """The node of the schema's documents, and the report of what is enforced.

    `prelude` is that of the options, if the builder is its fork. Without one, `forbidden_texts` hold for all that the
    builder makes from now on.

    `registry` is a `referencing.Registry` with the documents that `$ref` may lead to; nothing is ever fetched.
    Raises InvalidSchemaError, UnsupportedSchemaError (with all places), UnsatisfiableSchemaError, LimitExceededError.
    """
    failures: dict[tuple[Splitting, int], LimitExceededError] = {}
    for splitting, most in attempts(options):
        try:
            return _lowered(builder, schema, options, registry, prelude, splitting, most)
        except TooManyAlternatives as error:
            failures[splitting, most] = error.error
    raise failures["together", options.max_alternatives]


def attempts(options: JSONSchemaOptions) -> list[tuple[Splitting, int]]:
    """The ways to split values, and how far: what takes few alternatives in one way may take thousands in another."""
    most = options.max_alternatives
    found: list[tuple[Splitting, int]] = []
    for bound in dict.fromkeys((min(FEW, most), most)):
        found += [("together", bound), ("apart", bound), ("clauses", bound)]
    return [*found, ("loosened", most)] if options.relaxed else found


def _lowered(
    builder: GrammarBuilder,
    schema: Any,
    options: JSONSchemaOptions,
    registry: Registry | None,
    prelude: Prelude | None,
    splitting: Splitting,
    most: int,
) -> tuple[int, Report]:
    try:
        return room.call(_lower, builder, schema, options, registry, prelude, splitting, most, False)
    except NeedsScopes:
        return room.call(_lower, builder, schema, options, registry, prelude, splitting, most, True)


def _lower(
    builder: GrammarBuilder,
    schema: Any,
    options: JSONSchemaOptions,
    registry: Registry | None,
    prelude: Prelude | None,
    splitting: Splitting,
    most: int,
    scoped: bool,
) -> tuple[int, Report]:
    report = Report()
    if prelude is None:
        restricted(builder, options)
    documents = Documents(schema, registry)
    algebra = Algebra(builder, documents, options, report, scoped=scoped, splitting=splitting, most=most)
    report.source = algebra.entries
    lowering = Lowering(builder, options, algebra, prelude.lowering if prelude is not None else None)
    node = lowering.document(algebra.root())
    algebra.raise_unsupported()
    return node, report
