"""EBNF in the dialects of the W3C, of ISO and of xgrammar → productions → structural node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from frisket.notations.ebnf.iso import ISO
from frisket.notations.ebnf.w3c import W3C
from frisket.notations.ebnf.xgrammar import XGrammar
from frisket.notations.production.ast import Productions
from frisket.notations.production.lower import lower_productions
from frisket.notations.production.source import STEPS_PER_CHARACTER, Source

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

__all__ = ["EBNFDialect", "lower_ebnf", "parse_ebnf"]

EBNFDialect: TypeAlias = Literal["w3c", "iso", "xgrammar"]


def lower_ebnf(builder: GrammarBuilder, text: str, *, root: str | None = None, dialect: EBNFDialect = "w3c") -> int:
    """The node of a rule; GrammarSyntaxError for text that is not EBNF, or not exact.

    Without `root` it is the first rule, or in xgrammar's dialect the rule `root`.
    """
    source = Source(text)
    builder.check(STEPS_PER_CHARACTER * source.end)
    rules = parse_ebnf(source, dialect)
    usual = "root" if dialect == "xgrammar" else next(iter(rules), "")
    return lower_productions(builder, source, rules, usual if root is None else root)


def parse_ebnf(source: Source, dialect: EBNFDialect = "w3c") -> Productions:
    """The rules by name, in the order of the text."""
    if dialect == "xgrammar":
        return XGrammar(source).parse()
    return W3C(source).parse() if dialect == "w3c" else ISO(source).parse()
