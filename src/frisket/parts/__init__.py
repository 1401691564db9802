"""Texts, patterns, schemas and types → parts of a grammar, and parts → Grammar.

combinator     sequences, choices, repetitions, free text and tags
text_template  fixed text with typed holes
"""

from typing import TYPE_CHECKING

from frisket.foreign_name import missing
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


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise missing("frisket.parts", name)
