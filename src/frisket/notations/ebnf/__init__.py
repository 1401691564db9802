"""EBNF in the dialects of the W3C and of ISO → productions → structural node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from frisket.notations.ebnf.iso import ISO
from frisket.notations.ebnf.w3c import W3C
from frisket.notations.production.ast import Productions
from frisket.notations.production.lower import lower_productions
from frisket.notations.production.source import Source

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

__all__ = ["EBNFDialect", "lower_ebnf", "parse_ebnf"]

EBNFDialect: TypeAlias = Literal["w3c", "iso"]


def lower_ebnf(builder: GrammarBuilder, text: str, *, root: str | None = None, dialect: EBNFDialect = "w3c") -> int:
    """The node of a rule, of the first one if `root` is None; GrammarSyntaxError for what is not EBNF or not exact."""
    source = Source(text)
    builder.check(source.end)
    rules = parse_ebnf(source, dialect)
    return lower_productions(builder, source, rules, next(iter(rules), "") if root is None else root)


def parse_ebnf(source: Source, dialect: EBNFDialect = "w3c") -> Productions:
    """The rules by name, in the order of the text."""
    return W3C(source).parse() if dialect == "w3c" else ISO(source).parse()
