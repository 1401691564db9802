"""Lark's notation → productions → structural node.

ast          what a file says                  literal      texts, patterns, special tokens, JSON
pattern      a dialect's pattern → Python's    library      the terminals of `common`
expression   the body of a definition          parser       definitions and directives
parameter    functions of a rule's parameter   instance     templates and parameters → plain definitions
competition  lazy rules beside other terminals terminal     what must be one regular language
production   definitions → productions
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.notations.lark.ast import LarkDialect, Module
from frisket.notations.lark.parser import LarkParser
from frisket.notations.lark.production import BEGIN, Productions
from frisket.notations.production import ast
from frisket.notations.production.lower import lower_productions
from frisket.notations.production.source import STEPS_PER_CHARACTER, Source

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

__all__ = ["LarkDialect", "lower_lark", "parse_lark"]


def lower_lark(builder: GrammarBuilder, text: str, *, start: str = "start", dialect: LarkDialect = "llguidance") -> int:
    """The node of the rule `start`; GrammarSyntaxError, with line and column, for what is not Lark or not exact."""
    source = Source(text, builder.check)
    source.check(source.end)
    if dialect == "llguidance":
        usual = builder.lark(text, start)
        if usual is not None:
            return usual
    source.check(STEPS_PER_CHARACTER * source.end)
    return _lowered(builder, source, LarkParser(source, dialect).parse(), dialect, start)


def parse_lark(
    source: Source, *, start: str = "start", dialect: LarkDialect = "llguidance"
) -> tuple[ast.Productions, str]:
    """The productions by name, and the name of the one whose texts are the grammar's."""
    return _productions(source, LarkParser(source, dialect).parse(), dialect, start)


def _lowered(builder: GrammarBuilder, source: Source, module: Module, dialect: LarkDialect, start: str) -> int:
    rules, begin = _productions(source, module, dialect, start)
    return lower_productions(builder, source, rules, begin, "start")


def _productions(source: Source, module: Module, dialect: LarkDialect, start: str) -> tuple[ast.Productions, str]:
    def lower(builder: GrammarBuilder, inner: Module, at: int) -> int:
        if "start" not in inner.definitions:
            source.fail("the nested grammar has no rule start", at)
        return _lowered(builder, source, inner, dialect, "start")

    rules = Productions(source, module, dialect, lower, start).rules
    return rules, BEGIN if BEGIN in rules else start
