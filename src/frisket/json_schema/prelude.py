"""Options → what the grammars of all their schemas have in common, made once."""

from __future__ import annotations

from functools import lru_cache

from frisket import _core
from frisket.json_schema.algebra import Algebra
from frisket.json_schema.lower import Lowering
from frisket.json_schema.options import JSONSchemaOptions
from frisket.json_schema.report import Report
from frisket.json_schema.resolve import Documents
from frisket.json_schema.value import ANYTHING, INTEGER, Case


class Prelude:
    """Nodes that most schemas need: any value, any text, any integer, punctuation.

    They are a third of what a median schema is made of. Each schema goes on with a fork of the builder that has them.
    """

    __slots__ = ("_builder", "lowering")

    def __init__(self, options: JSONSchemaOptions) -> None:
        self._builder = _core.GrammarBuilder()
        self.lowering = Lowering(
            self._builder, options, Algebra(self._builder, Documents(True, None), options, Report())
        )
        # Under `pretty` each level has punctuation of its own; what is common is little.
        if options.whitespace != "pretty":
            self.lowering.lower(ANYTHING)
            self.lowering.union([Case(INTEGER)])

    def fork(self, limits: _core.Limits | None = None) -> _core.GrammarBuilder:
        return self._builder.fork(limits=limits)


@lru_cache(maxsize=32)
def prelude_of(options: JSONSchemaOptions) -> Prelude:
    return Prelude(options)
