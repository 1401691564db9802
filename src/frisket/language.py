"""Rules of any notation → compiled, compared, printed and pickled."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, cast

from frisket import _core, compiled_schema, log
from frisket._core import CompiledGrammar
from frisket.argument_name import explain_slips
from frisket.errors import AnswerError, FrisketError, GrammarError, LimitExceededError
from frisket.events.span import Span, TokenText, token_text
from frisket.foreign_name import ExplainsNames, explain_names, explain_operators, missing
from frisket.json_fault import json_fault
from frisket.limit import Limits, Meter
from frisket.misuse import instead_of_vocabulary
from frisket.notations.combination.capture import spans
from frisket.notations.combination.lower import build_part
from frisket.notations.combination.part import Part, Whole, size
from frisket.origin import Content, Origin

if TYPE_CHECKING:
    from typing_extensions import Self, TypeVar

    from frisket.description import Description
    from frisket.grammar import Grammar
    from frisket.json_schema import JSONSchemaOptions, Report
    from frisket.options import Style
    from frisket.vocabulary import Vocabulary

    T = TypeVar("T", covariant=True, default=Any)
else:
    from typing import TypeVar

    # Defaults are for type checkers: `Grammar` alone means Grammar[Any].
    T = TypeVar("T", covariant=True)

#: Most characters in the `repr` of a combination.
_SHOWN = 200
#: Most parts of a combination that are printed for its `repr`; more would be cut off in any case.
MOST_PARTS = 1_000
#: Limit steps and bytes of printing a node.
_STEPS_PER_NODE, _BYTES_PER_NODE = 50, 100
#: Types of `_core`; and a mark for a missing argument.
_CORES = (_core.Grammar, type(None))
_MISSING: Any = object()


# Their objects come from here alone.
explain_names(CompiledGrammar)
explain_names(_core.Matcher)


@explain_operators
class Language(Generic[T], metaclass=ExplainsNames):
    """The texts that rules describe: compiled, compared, pickled and printed. `Grammar` adds the constructors."""

    __slots__ = ("__weakref__", "_core", "_origin", "_report", "_schema", "_value")

    def __init__(
        self,
        core: _core.Grammar | None = _MISSING,
        report: Report | None = None,
        schema: Any = None,
        value: Callable[[str], Any] = str,
        origin: Origin | bytes | None = None,
    ) -> None:
        if not isinstance(core, _CORES):
            made = [name for name in vars(type(self)) if name.startswith("from_")]
            raise TypeError(f"{type(self).__name__}() makes nothing; call a constructor of it: {', '.join(made)}")
        # None in a combination whose rules were not needed yet.
        self._core = core
        self._report = report
        # A value, or its text until the value is asked for.
        self._schema = schema
        self._value = value
        # An Origin; or the bytes of a schema without options, from which it is made for comparing and pickling.
        self._origin = origin

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise missing(self, name)

    @property
    def core(self) -> _core.Grammar:
        """The rules."""
        return self._core_within(None)

    def _core_within(self, limits: Limits | None) -> _core.Grammar:
        """The rules; those of a combination are made on first use, within these limits."""
        core = self._core
        if core is None:
            origin = self._made_by()
            assert origin is not None
            core = self._core = build_part(origin.argument, origin.limits if limits is None else limits)
        return core

    @property
    def schema(self) -> Any:
        """The JSON Schema that the grammar was made from; None for other notations."""
        if isinstance(self._schema, str):
            from frisket.json_schema.text import parse

            self._schema = parse(self._schema)
        return self._schema

    @property
    def report(self) -> Report | None:
        """The coverage report of a JSON Schema, place by place; None for other notations."""
        return self._report

    @property
    def options(self) -> JSONSchemaOptions | None:
        """How the documents of the schema are spelled; None unless the grammar comes from a JSON Schema or a type.

        >>> from frisket import Grammar
        >>> Grammar.from_type(bool).options.property_order
        'declared'
        """
        if self._schema is None:
            return None
        origin = self._made_by()
        given: JSONSchemaOptions | None = None if origin is None else origin.keywords["options"]
        if given is not None:
            return given
        return usual_options("from_json_schema" if origin is None else origin.constructor)

    @property
    def type(self) -> Any:
        """The Python type that the grammar was made from; None for other notations."""
        origin = self._made_by()
        return origin.argument if origin is not None and origin.constructor == "from_type" else None

    @explain_slips("Grammar.compile", {"tokenizer": "write vocabulary=frisket.Vocabulary.from_huggingface(tokenizer)"})
    def compile(self, vocabulary: Vocabulary | _core.Vocabulary, *, limits: Limits | None = None) -> CompiledGrammar:
        """The grammar for one tokenizer. It takes microseconds, since masks are computed when they are needed. It takes
        milliseconds if one of thousands of words may come, since the slowest masks of these are computed here.

        `limits` apply to this call, to every call of its matchers, and to the memory of their results. VocabularyError
        if the vocabulary's tokens cannot spell any text of the grammar.
        """
        began = perf_counter()
        try:
            compiled = self._core_within(limits).compile(vocabulary, limits=limits, grammar=self)
        except FrisketError as error:
            log.debug("not compiled for this vocabulary: %s: %s", error.code, log.first_line(error))
            raise
        except TypeError as error:
            hint = instead_of_vocabulary(vocabulary)
            raise error if hint is None else TypeError(f"{error}: {hint}") from None
        log.debug("compiled %r for %r in %.2f ms", self, vocabulary, log.milliseconds(began))
        return compiled

    def accepts(self, text: str | bytes, *, limits: Limits | None = None) -> bool:
        """Whether this is a whole text of the grammar."""
        return self._core_within(limits).accepts(_bytes(text), limits=limits)

    def accepts_prefix(self, text: str | bytes, *, limits: Limits | None = None) -> bool:
        """Whether some text of the grammar begins with this text."""
        return self._core_within(limits).accepts_prefix(_bytes(text), limits=limits)

    def value(self, text: str) -> T:
        """The value of a text of the grammar: a value of the type, parsed JSON, or the text itself.

        >>> from frisket import Grammar
        >>> Grammar.from_json_schema({"type": "array"}).value("[1, 2]")
        [1, 2]

        The text should be one that the grammar's masks have made; for any other text, `accepts` tells whether it is in
        the grammar. AnswerError, whose `text` is this text, only for a text that is no JSON, that the type refuses, or,
        if the grammar is relaxed, the schema.
        """
        if not isinstance(text, str):
            raise TypeError(f"a text is a str, got {type(text).__name__}")
        try:
            value: T = self._value(text)
        except AnswerError as error:
            error.text = text
            raise
        return value

    def captures(
        self,
        text: str | bytes | Sequence[int],
        vocabulary: Vocabulary | _core.Vocabulary | None = None,
        *,
        limits: Limits | None = None,
    ) -> dict[str, list[Span]]:
        """The spans of the captures by name, for a whole text of the grammar or for its token ids.

        >>> from frisket import Grammar
        >>> from frisket.parts import capture, regex, repeat
        >>> row = repeat(capture("n", regex("[0-9]+")), 1, None, ", ")
        >>> [(span.start, span.end, span.text) for span in row.captures("12, 3")["n"]]
        [(0, 2, '12'), (4, 5, '3')]

        With a `vocabulary` the text is given as token ids, and the spans name their tokens, too. The spans of a name
        are in the order of the text; names that captured nothing are left out. The parse is exact. If the text has
        several readings, parts choose from left to right: a choice takes its first option that fits, a repetition one
        more round, and any other part its longest text. A text that does not match is a GrammarError with the code
        `text-rejected`.
        """
        if vocabulary is not None:
            units = token_text(cast("Sequence[int]", text), vocabulary)
        else:
            if not isinstance(text, (str, bytes)):
                raise TypeError("token ids need the vocabulary that they are of")
            units = TokenText([_bytes(text)])
        return self._captures(units, Meter(limits), has_tokens=vocabulary is not None)

    def _captures(self, units: TokenText, meter: Meter, *, has_tokens: bool) -> dict[str, list[Span]]:
        found = spans(self._part, units.units, meter)
        if found is None:
            raise GrammarError(
                "the text does not match the grammar",
                hint="`Matcher.explain(text)` shows where; a text that only begins a match passes `accepts_prefix`",
                code="text-rejected",
            )
        named: dict[str, list[Span]] = {}
        for name, begin, end in found:
            named.setdefault(name, []).append(units.span(begin, end, tokens=has_tokens))
        return named

    def to_gbnf(self, *, limits: Limits | None = None) -> str:
        """The rules in GBNF, for other engines. The grammar must come from GBNF, ABNF, EBNF or Lark.

        >>> from frisket import Grammar
        >>> print(Grammar.from_lark('start: "a".."c"+').to_gbnf(), end="")
        root ::= [a-c]+

        GrammarError for constructs that GBNF lacks: exceptions, intersections, lazy rules, JSON Schemas.
        """
        from frisket.notations.rules import to_gbnf

        return to_gbnf(*self._call(), limits)

    def to_ebnf(self, *, limits: Limits | None = None) -> str:
        """The rules in the W3C's EBNF. The grammar must come from GBNF, ABNF, EBNF or Lark.

        >>> from frisket import Grammar
        >>> print(Grammar.from_gbnf('root ::= "a" root?').to_ebnf(), end="")
        root ::= 'a' root?

        GrammarError for constructs that it lacks: special tokens, intersections, lazy rules, JSON Schemas.
        """
        from frisket.notations.rules import to_ebnf

        return to_ebnf(*self._call(), limits)

    def open_rules(self, text: str | bytes, *, limits: Limits | None = None) -> tuple[str, ...]:
        """The names of the rules that are open at the end of a text so far, from the root inwards.

        >>> from frisket import Grammar
        >>> sums = Grammar.from_gbnf('''root ::= number ("+" number)*
        ... number ::= [0-9]+ | "(" root ")"''')
        >>> sums.open_rules("1+(23")
        ('root', 'number', 'root', 'number')

        Empty unless the grammar comes from GBNF, ABNF, EBNF or Lark, and some text of it begins with this text. A rule
        directly inside itself is named once. If the text has several readings, the one counts whose innermost rule has
        read something; among these, the deepest.
        """
        from frisket.notations.rules import open_rules

        return open_rules(*self._call(), _bytes(text), limits)

    def dump(self, *, limits: Limits | None = None) -> str:
        """The rules as text for people: one definition per paragraph, in order of first mention.

        >>> from frisket import Grammar
        >>> from frisket import JSONSchemaOptions
        >>> schema = {"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": False}
        >>> print(Grammar.from_json_schema(schema, JSONSchemaOptions(whitespace="compact")).dump(), end="")
        root = object_1
        <BLANKLINE>
        object_1 = object of members in this order, layout_1
          optional 'a': 'false' | 'true'
        <BLANKLINE>
        layout_1 =
          open '{'
          close '}'
          comma ','
          none '{}'
          colon ':'

        The text depends only on the grammar and the version of frisket. So a diff of it shows a change in how schemas
        are lowered. The notation, from the weakest binding to the strongest: `a | b` is either, `a & b` both, `a b` one
        after the other. `a?`, `a*`, `a+` and `a{2,5}` repeat. `a#{2,5}` is the texts of `a` with 2 to 5 characters, and
        `!a` all byte strings except those of `a`. `'x'` is these bytes, `[a-z]` one of these bytes, `any_text` every
        valid UTF-8, `empty` the empty text, `nothing` no text. `string(a)` is the JSON strings that decode to a text of
        `a` (`string_free(a)`: in every spelling), `multiple(7)` the digits of a multiple, `special('<x>')` a special
        token. These have names: rules, objects, arrays of different items, layouts (punctuation), and terms that are
        long or used twice.
        """
        core, meter = self._core_within(limits), Meter(limits)
        meter.spend(_STEPS_PER_NODE * core.node_count, _BYTES_PER_NODE * core.node_count)
        return core.dump()

    def describe(self, style: Style = "typescript", *, limits: Limits | None = None) -> Description:
        """A description of the documents, as text for a prompt; only for a grammar of a schema or a type.

        >>> from frisket import Grammar
        >>> schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 9}}, "required": ["n"]}
        >>> print(Grammar.from_json_schema(schema).describe())
        {
          n: integer // at most 9
        }

        `typescript` is a type, with descriptions and all conditions in comments; `prose` says the same in words and
        lists. `json_schema` is the schema itself. `example` is one document of the grammar, always valid. The last two
        have the white space of the options, because a model copies what it has read. Members come in the order of the
        mask. `describe(style).tokens(model)` counts the tokens. A schema that nests too deep, or whose description
        exceeds the `limits`, is a LimitExceededError.
        """
        from frisket.description import describe

        options = self.options or compiled_schema.front_end().DEFAULT
        return describe(cast("Grammar", self), style, options, limits)

    def __repr__(self) -> str:
        origin = self._made_by()
        if not isinstance(self._part, Whole):
            is_short = size(self._part) <= MOST_PARTS
            text = _shortened(str(self._part)) if is_short else f"{type(self._part).__name__.lower()}(…)"
            return f"<{type(self).__name__} {text}>"
        made = f" of {self.core.node_count:,} nodes" if origin is None else str(origin)
        return f"<{type(self).__name__}{made}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Language):
            return NotImplemented
        if self is other:
            return True
        if type(self) is not type(other) or self.core.fingerprint != other.core.fingerprint:
            return False
        mine, theirs = self._made_by(), other._made_by()
        if mine is None or theirs is None:
            return mine is theirs and self.schema == other.schema and self._value == other._value
        return mine.equals(theirs)

    def __hash__(self) -> int:
        return hash(self.core.fingerprint)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        origin = self._made_by()
        if origin is None:
            raise TypeError(
                "a Grammar that was built node by node, or of a schema that cannot be copied, cannot be pickled: send "
                "what it is built from, and build it there"
            )
        return _remake, (type(self), *origin.sent())

    def _made_by(self) -> Origin | None:
        origin = self._origin
        if isinstance(origin, bytes):
            origin = self._origin = Origin("from_json_schema", Content(origin), {"options": None, "registry": None})
        return origin

    def _call(self) -> tuple[str, Any, dict[str, Any]]:
        """(the constructor that made the grammar, its argument, its keywords)."""
        origin = self._made_by()
        return ("", None, {}) if origin is None else (origin.constructor, origin.argument, origin.keywords)

    @property
    def _part(self) -> Part:
        """The grammar as a part of a combination."""
        origin = self._origin
        if isinstance(origin, Origin) and origin.constructor == "_from_part":
            return cast("Part", origin.argument)
        return Whole(cast("Grammar", self))

    @property
    def _has_outline(self) -> bool:
        """Whether the grammar is a tree of several parts."""
        return hasattr(self._value, "outline") or not isinstance(self._part, Whole)

    @property
    def _outline(self) -> Part:
        """The grammar as a tree of named parts. Recent ones are cached: with many tools, one takes milliseconds."""
        return _outline_of(self) if hasattr(self._value, "outline") else self._part


@lru_cache(maxsize=16)
def _outline_of(language: Language) -> Part:
    return cast("Part", cast("Any", language._value).outline())


def _remake(cls: type[Language], constructor: str, argument: Any, keywords: dict[str, Any]) -> Any:
    """The grammar of a pickle."""
    if isinstance(argument, Content):
        argument = argument.value()
    return getattr(cls, constructor)(argument, **keywords)


@cache
def json_value(text: str) -> Any:
    """The value of a JSON text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        fault = json_fault(error)
        if fault.is_limit:
            hint = "the text is whole: another reader of JSON may take it"
            raise LimitExceededError(f"the text {fault.message} for Python's json", hint=hint) from None
        raise AnswerError(
            f"the text {fault.message}",
            where=fault.where,
            hint=fault.hint
            or "an answer that was cut off has no value: see its finish_reason; PartialValue reads what is there",
        ) from error


# A TypeError of Python's own names the class that programs know.
for _name, _method in vars(Language).items():
    if inspect.isfunction(_method) and not _name.startswith("_"):
        _method.__qualname__ = f"Grammar.{_name}"


@cache
def usual_options(constructor: str) -> JSONSchemaOptions:
    """The options that a constructor uses by default."""
    options: JSONSchemaOptions = compiled_schema.front_end().DEFAULT
    return class_options(options) if constructor == "from_type" else options


def class_options(options: JSONSchemaOptions) -> JSONSchemaOptions:
    """The options for the documents of a class, whose values have to be objects of Python.

    The fields of a class are in the author's order, even if that is alphabetical. Members that a class does not have
    are forbidden, since its values would drop them. Formats leave out what Python's types cannot hold."""
    return replace(
        options,
        property_order="declared" if options.property_order == "schema" else options.property_order,
        formats="python" if options.formats == "assert" else options.formats,
        closed_objects=True,
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _bytes(text: str | bytes) -> bytes:
    if isinstance(text, str):
        # A lone surrogate becomes bytes that are not UTF-8, and so occur in no text of a grammar.
        return text.encode("utf-8", "surrogatepass")
    if not isinstance(text, bytes):
        raise TypeError(f"a text is a str or bytes, got {type(text).__name__}")
    return text
