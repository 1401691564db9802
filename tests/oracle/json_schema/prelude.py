"""Options → what the grammars of all their schemas have in common, made once."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache

from frisket import _core
from frisket.json_schema.options import DEFAULT, JSONSchemaOptions
from frisket.json_schema.report import Report
from frisket.lint.resolve import Documents
from tests.oracle.json_schema import interval
from tests.oracle.json_schema.algebra import Algebra
from tests.oracle.json_schema.lower import Lowering
from tests.oracle.json_schema.value import ANYTHING, INTEGER, NUMBER, Case


class Prelude:
    """Nodes that most schemas need: any value, any text, any integer, punctuation.

    They are a third of what a median schema is made of. Each schema goes on with a fork of the builder that has them.
    """

    __slots__ = ("builder", "lowering")

    def __init__(self, options: JSONSchemaOptions) -> None:
        self.builder = restricted(_core.GrammarBuilder(), options)
        self.lowering = Lowering(self.builder, options, Algebra(self.builder, Documents(True, None), options, Report()))
        # Under `pretty` each level has punctuation of its own; what is common is little.
        if options.whitespace != "pretty":
            self.lowering.lower(ANYTHING)
            self.lowering.union([Case(INTEGER)])
            # The exponents that most bounds leave.
            self.lowering.union([Case(NUMBER, numbers=(interval.AtLeast(Fraction(-1), False),))])
        # The first fork prepares what all others use, and gives other threads their turns meanwhile: it is over before
        # any of them can see this builder.
        self.builder.fork()

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
