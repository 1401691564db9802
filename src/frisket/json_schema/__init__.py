"""JSON Schema → Grammar: what is legal, exactly, or a list of the places where that cannot be said.

text      JSON text → a schema                   resolve     drafts, $id, $ref, registries → places
place     places → goals, demands by number      reader      one place's keywords → a reading
reading   what one place says                    keywords    which keywords count; what each says, by type
value     sets of values: types and cases        algebra     goals → unions of cases, lazily
apart     alternatives of oneOf → cases          complement  everything outside cases and goals
annotated cases, each with what it evaluates     emptiness   whether certainly no value is left
lower     goals → nodes and rules                prelude     what all schemas have in common
layout    punctuation and white space            options     how documents are spelled
string    conditions on a text; quoted as JSON strings; semantic: format and content*
number    conditions on a number; interval as one; digits of a range; multiple of a step
array     conditions on an array
object    conditions on an object; key: texts of keys; region: keys without a name; member: the node; mark: its marks
clause    conditions on an object as clauses, of which complements and unions do not split
report    what is enforced, by keyword           coverage    what asks nothing; advice: what to write instead
validation  what a relaxed grammar leaves open   room        how deep schemas may nest; stored: rules on disk
"""

from __future__ import annotations

import marshal
import time
from typing import TYPE_CHECKING, Any, TypeAlias

from frisket import _core
from frisket._core import front_end
from frisket.errors import EmptyGrammarError, FrisketError, LimitExceededError, UnsatisfiableSchemaError
from frisket.json_schema import room
from frisket.json_schema.algebra import Algebra, Splitting, TooManyAlternatives
from frisket.json_schema.lower import CLOSED, SORTED, Lowering, forbidding, nothing_written
from frisket.json_schema.options import DEFAULT, JSONSchemaOptions
from frisket.json_schema.place import NeedsScopes
from frisket.json_schema.prelude import Prelude, prelude_of, restricted
from frisket.json_schema.report import Entry, Report
from frisket.json_schema.resolve import Documents, Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from frisket._core import Grammar, GrammarBuilder, Limits
    from frisket._core.front_end import Recent

    #: The rules of a schema, their report, and the schema's content if it is plain. Where there is nothing to say, what
    #: is needed to make the report: of a usual schema, whether a tool sorted it.
    Compiled: TypeAlias = tuple[Grammar, "Report | Clean | bool", bytes | None]

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
    "usual",
    "usually_clean",
]


#: For a report of what was compiled within other limits: Python takes longer than the engine did.
_ANY_STEPS = _core.Limits(steps=2**63)

#: Alternatives of one value that are few: no way of splitting may take more before every way was tried.
FEW = 256

#: Whether plain places are lowered by the engine. Tests turn it off and compare.
PLAIN = True


def lower_json_schema(
    builder: GrammarBuilder,
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions | None = None,
    registry: Registry | None = None,
    prelude: Prelude | None = None,
    failed: TooManyAlternatives | None = None,
) -> tuple[int, Report]:
    """The node of the schema's documents, and the report of what is enforced.

    `prelude` is that of the options, if the builder is its fork. Without one, `forbidden_texts` hold for all that the
    builder makes from now on. `failed` is why the engine gave up, if it did since places that it left to Python split
    too far.

    `registry` is a `referencing.Registry` with the documents that `$ref` may lead to; nothing is ever fetched.
    Raises InvalidSchemaError, UnsupportedSchemaError (with all places), UnsatisfiableSchemaError, LimitExceededError.
    """
    options = options or DEFAULT
    attempts = _attempts(options)
    if failed is not None:
        # What split too far once would do so again: it comes last.
        attempts = attempts[1:] + attempts[:1]
        builder.check(failed.steps)
    failures: dict[tuple[Splitting, int], LimitExceededError] = {}
    for splitting, most in attempts:
        try:
            return _lowered(builder, schema, options, registry, prelude, splitting, most)
        except TooManyAlternatives as error:
            failures[splitting, most] = error.error
    raise failures["together", options.max_alternatives]


def _attempts(options: JSONSchemaOptions) -> list[tuple[Splitting, int]]:
    """The ways to split values, and how far: what takes few alternatives in one way may take thousands in another."""
    most = options.max_alternatives
    attempts: list[tuple[Splitting, int]] = []
    for bound in dict.fromkeys((min(FEW, most), most)):
        attempts += [("together", bound), ("apart", bound), ("clauses", bound)]
    return [*attempts, ("loosened", most)] if options.relaxed else attempts


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


def compile_json_schema(
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> tuple[Grammar, Report]:
    """The grammar of the schema's documents, and the report; raises what `lower_json_schema` raises."""
    grammar, report, _ = compile_lately(schema, options, registry, limits)
    return grammar, report if isinstance(report, Report) else report.report()


def compile_lately(
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions,
    registry: Registry | None = None,
    limits: Limits | None = None,
    content: bytes | None = None,
    prelude: Prelude | None = None,
) -> tuple[Grammar, Report | Clean, bytes | None]:
    """The same, but a report that has nothing to say is made when somebody asks.

    `content` is the schema as `marshal` has it and `prelude` that of the options, if they are at hand.
    """
    prelude = prelude or prelude_of(options)
    stock = prelude.stock
    failed: TooManyAlternatives | None = None
    began = time.perf_counter()
    if PLAIN and stock is not None and type(schema) is dict:
        try:
            clean = Clean(content or marshal.dumps(schema, 2), options, registry, prelude)
            grammar, lowering, clean.is_sorted = front_end.Plain.grammar(
                prelude.builder, stock, schema, options.property_order, _lowering, (schema, clean), limits
            )
            return grammar, clean if lowering is None else _report(lowering, clean), content
        except Exception as error:
            _unless_python(error)
            failed = error if isinstance(error, TooManyAlternatives) else None
    earlier = time.perf_counter() - began
    return *_wholly(schema, options, registry, limits, prelude, failed, earlier), content


def usual(recent: Recent[Compiled]) -> Callable[[dict[str, Any]], Compiled] | None:
    """What `compile_lately` makes of a dict without options or limits, or what it made lately; by the engine."""
    prelude = prelude_of(DEFAULT)
    if prelude.stock is None:
        return None
    return front_end.Usual(
        recent,
        prelude,
        prelude.builder,
        prelude.stock,
        DEFAULT.property_order,
        lowering=_usual_lowering,
        finished=_usually_finished,
        otherwise=_usual_otherwise,
    ).grammar


def usually_clean(content: bytes, is_sorted: bool) -> Clean:
    """The report of a usual schema, to be made."""
    clean = Clean(content, DEFAULT, None, prelude_of(DEFAULT))
    clean.is_sorted = is_sorted
    return clean


def _usual_lowering(plain: front_end.Plain, schema: dict[str, Any]) -> Lowering:
    return _lowering(plain, (schema, usually_clean(b"", False)))


def _usually_finished(grammar: Grammar, lowering: Lowering, schema: dict[str, Any], content: bytes) -> Compiled:
    try:
        return grammar, _report(lowering, usually_clean(content, False)), content
    except FrisketError as error:
        return _usual_otherwise(schema, content, error)


def _usual_otherwise(schema: dict[str, Any], content: bytes | None, error: Exception | None) -> Compiled:
    if error is None:
        return compile_lately(schema, DEFAULT)
    _unless_python(error)
    failed = error if isinstance(error, TooManyAlternatives) else None
    return *_wholly(schema, DEFAULT, None, None, prelude_of(DEFAULT), failed), content


def _unless_python(error: Exception) -> None:
    """Raise what ends a compile. Whatever else is wrong, all errors are those of one way to read a schema: Python's."""
    if isinstance(error, RecursionError):
        raise room.too_deep() from None
    if isinstance(error, LimitExceededError) or not isinstance(
        error, (FrisketError, NeedsScopes, TooManyAlternatives, front_end.Unplain, ValueError)
    ):
        raise error


def _report(lowering: Lowering, clean: Clean) -> Report:
    lowering.algebra.raise_unsupported()
    report = lowering.algebra.report
    report.source = clean.entries
    return report


def _wholly(
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions,
    registry: Registry | None,
    limits: Limits | None,
    prelude: Prelude,
    failed: TooManyAlternatives | None,
    earlier: float = 0.0,
) -> tuple[Grammar, Report]:
    """The same by Python alone, after `earlier` seconds in which the engine tried."""
    builder = prelude.fork(limits)
    builder.count_earlier(earlier)
    builder.check()
    node, report = lower_json_schema(builder, schema, options, registry, prelude, failed)
    try:
        return builder.build(node), report
    except EmptyGrammarError as error:
        # Lowering knows of most contradictions and where they are; this one showed in the rules only.
        if report.narrowed:
            raise nothing_written(report) from error
        raise UnsatisfiableSchemaError(
            "no value can ever be valid here", where="", hint="`frisket check` shows what it demands"
        ) from error


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
        notes = [SORTED] * self.is_sorted + [CLOSED] * self.options.closed_objects
        notes += [forbidding(self.options)] * bool(self.options.forbidden_texts)
        return Report(notes=notes, source=self.entries)

    def entries(self) -> Iterable[Entry]:
        # Python reads the schema anew, as it was: the caller's may have changed.
        schema = marshal.loads(self.content)
        again = lower_json_schema(self.prelude.fork(_ANY_STEPS), schema, self.options, self.registry, self.prelude)[1]
        return again.source() if again.source is not None else ()


def _lowering(plain: front_end.Plain, given: tuple[dict[str, Any], Clean]) -> Lowering:
    """Python's side of a schema that is not all plain."""
    schema, clean = given
    splitting, most = _attempts(clean.options)[0]
    documents = Documents(schema, clean.registry)
    algebra = Algebra(plain.builder, documents, clean.options, Report(), splitting=splitting, most=most)
    return Lowering(plain.builder, clean.options, algebra, clean.prelude.lowering, plain)


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
