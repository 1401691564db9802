"""Options → what the grammars of all their schemas have in common, made once."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache, partial

from frisket import _core
from frisket._core import front_end
from frisket.json_schema import interval
from frisket.json_schema.algebra import Algebra
from frisket.json_schema.formats import FORMATS, INTEGERS
from frisket.json_schema.keywords import KNOWN
from frisket.json_schema.layout import margins
from frisket.json_schema.lower import Lowering
from frisket.json_schema.options import DEFAULT, ESCAPES, JSONSchemaOptions
from frisket.json_schema.report import Report
from frisket.json_schema.resolve import DRAFTS, Documents
from frisket.json_schema.semantic import plain_format
from frisket.json_schema.value import ANYTHING, ARRAY, BOOLEAN, INTEGER, NULL, NUMBER, OBJECT, STRING, Case

#: The integer formats whose bounds the engine's front end can hold; Python reads the others.
_INTEGERS = {name: bounds for name, bounds in INTEGERS.items() if bounds[1] < 1 << 63}


class Prelude:
    """Nodes that most schemas need: any value, any text, any integer, punctuation.

    They are a third of what a median schema is made of. Each schema goes on with a fork of the builder that has them.
    """

    __slots__ = ("builder", "lowering", "stock")

    def __init__(self, options: JSONSchemaOptions) -> None:
        self.builder = restricted(_core.GrammarBuilder(), options)
        self.lowering = Lowering(self.builder, options, Algebra(self.builder, Documents(True, None), options, Report()))
        self.stock: front_end.Stock | None = None
        # Under `pretty` each level has punctuation of its own; what is common is little.
        if options.whitespace != "pretty":
            anything = self.lowering.lower(ANYTHING)
            self.lowering.union([Case(INTEGER)])
            # The exponents that most bounds leave.
            self.lowering.union([Case(NUMBER, numbers=(interval.AtLeast(Fraction(-1), False),))])
            engine = options.max_items is None and set(options.escape_letters) == set(ESCAPES)
            if engine and not options.nullable and not options.relaxed and anything is not None:
                self.stock = self._stock(options, anything)
        # The first fork prepares what all others use, and gives other threads their turns meanwhile: it is over before
        # any of them can see this builder.
        self.builder.fork()

    def _stock(self, options: JSONSchemaOptions, anything: int) -> front_end.Stock:
        """What the engine needs to lower plain places."""

        def node(case: Case) -> int:
            made = self.lowering.union([case])
            assert made is not None
            return made

        layout = self.lowering.layout()
        return front_end.Stock(
            any=anything,
            words=[node(Case(mask)) if mask else self.builder.empty() for mask in range((NULL | BOOLEAN) + 1)],
            numbers=(node(Case(INTEGER)), node(Case(NUMBER)), node(Case(INTEGER, numbers=(interval.Plain(),)))),
            string=node(Case(STRING)),
            array=node(Case(ARRAY)),
            object=node(Case(OBJECT)),
            texts=self.builder.any_text(),
            punctuation=(
                *(layout.open_object, layout.close_object, layout.colon, layout.comma, layout.empty_object),
                *(layout.open_array, layout.close_array, layout.empty_array),
            ),
            margins=margins(self.builder, options),
            escapes=options.escapes,
            closed=options.closed_objects,
            digits=options.max_integer_digits if options.numbers == "plain" else None,
            keywords=KNOWN,
            drafts=DRAFTS,
            formats=partial(plain_format, options),
            integers={} if options.formats == "annotate" else _INTEGERS,
            cut=sorted(
                name
                for name, known in FORMATS.items()
                if known.written is not None or (known.python_narrows and options.formats == "python")
            ),
        )

    def fork(self, limits: _core.Limits | None = None) -> _core.GrammarBuilder:
        return self.builder.fork(limits=limits)


def prelude_of(options: JSONSchemaOptions) -> Prelude:
    # Hashing the options takes as long as lowering some places: those of most callers are known by identity.
    return _prelude_of_default() if options is DEFAULT else _prelude_of(options)


@lru_cache(maxsize=32)
def _prelude_of(options: JSONSchemaOptions) -> Prelude:
    return Prelude(options)


@cache
def _prelude_of_default() -> Prelude:
    return _prelude_of(DEFAULT)


def restricted(builder: _core.GrammarBuilder, options: JSONSchemaOptions) -> _core.GrammarBuilder:
    """The builder, whose JSON strings from now on hold none of the forbidden texts."""
    words = [text.encode("utf-8", "replace") for text in options.forbidden_texts]
    if words:
        everything = builder.not_(builder.empty())
        holding = builder.cat([everything, builder.words(words), everything])
        builder.restrict_strings(builder.and_([builder.any_text(), builder.not_(holding)]))
    return builder
