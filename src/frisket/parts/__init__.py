"""Texts, patterns, schemas and types → parts of a grammar, and parts → Grammar.

combinator     one part after another, one of them, some of them, text up to one
text_template  fixed text with typed holes
"""

from frisket.parts.combinator import (
    GrammarPart,
    capture,
    choice,
    json,
    lit,
    optional,
    regex,
    repeat,
    seq,
    special,
    tags,
    text,
    until,
)
from frisket.parts.text_template import template

__all__ = [
    "GrammarPart",
    "capture",
    "choice",
    "json",
    "lit",
    "optional",
    "regex",
    "repeat",
    "seq",
    "special",
    "tags",
    "template",
    "text",
    "until",
]
