"""What is known of one format: its language, and how exact that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from frisket.notations.regex import lower_regex

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions


@dataclass(frozen=True, slots=True)
class Format:
    """One value of `format`.

    `exact`: the node holds the format's texts, no more and no fewer. Where it is False, `reason` says what is amiss,
    and `sound` whether every text of the node is valid at least. `check` decides single texts where the node cannot
    (for `enum`), and `outer` holds every valid text, so that its complement is what a negation may write. `nested`
    builds the structural node of whole JSON strings where the format is no regular language, for a way to escape and
    for all texts or those that are not empty. `vocabulary` is `json-schema` or `openapi`; the latter's names are
    annotations to a JSON Schema.

    `written` builds the texts that are written, where the format has others without end: those with as many digits as
    the options allow. What the schema itself lists or excludes is still judged by `node`.
    """

    name: str
    node: Callable[[GrammarBuilder, bool], int] | None
    exact: bool = True
    sound: bool = True
    reason: str = ""
    vocabulary: str = "json-schema"
    check: Callable[[str], bool] | None = None
    nested: Callable[[GrammarBuilder, str, bool], int] | None = None
    written: Callable[[GrammarBuilder, JSONSchemaOptions], int] | None = None
    #: What the options bound of the written texts, for the report.
    note: Callable[[JSONSchemaOptions], str] | None = None
    outer: Callable[[GrammarBuilder], int] | None = None
    #: Whether the texts for Python are not all that its types hold: then those for anyone bound them.
    python_narrows: bool = False

    def bound(self, builder: GrammarBuilder, python: bool) -> Callable[[], int] | None:
        """What makes a node that holds every valid text, where `node` leaves some out.

        Only negations and searches for contradictions ask for that node, and some take longer than all else of a
        schema; so it is made when it is first asked for, and once.
        """
        if self.outer is not None:
            return cache(partial(self.outer, builder))
        if python and self.python_narrows and self.node is not None:
            return cache(partial(self.node, builder, False))
        return None


def by_pattern(name: str, pattern: str, *, python: str | None = None, vocabulary: str = "json-schema") -> Format:
    """A format whose texts are those of an ECMA pattern; `python` is the pattern of what Python's types can hold."""

    def node(builder: GrammarBuilder, for_python: bool) -> int:
        return lower_regex(builder, python if for_python and python else pattern, dialect="ecma")

    return Format(name, node, vocabulary=vocabulary)
