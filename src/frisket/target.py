"""Target of any type → Grammar; `generate`, `sample` and `think` all read targets here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from frisket import log
from frisket._core import front_end
from frisket.grammar import Grammar
from frisket.limit import Limits

if TYPE_CHECKING:
    from frisket.json_schema.report import Report

__all__ = ["as_grammar", "slips", "warn_of_slips"]


def as_grammar(target: Any, limits: Limits | None = None) -> Grammar:
    """The grammar of any target that `generate` accepts.

    >>> as_grammar(["yes", "no"]) == Grammar.from_choices(["yes", "no"])
    True
    """
    if isinstance(target, Grammar):
        return target
    if isinstance(target, Mapping | bool):
        grammar = Grammar.from_json_schema(target, limits=limits)
        if grammar.report is not None:
            grammar.report.check_asks()
            warn_of_slips(grammar.report)
        return grammar
    if isinstance(target, re.Pattern):
        return Grammar.from_regex(target, limits=limits)
    if isinstance(target, list | tuple):
        return Grammar.from_choices(target, limits=limits)
    if isinstance(target, str):
        raise TypeError(
            "a str is ambiguous as a target: use Grammar.from_json_schema, from_regex, or a list for choices"
        )
    return Grammar.from_type(target, limits=limits)


def slips(report: Report) -> Iterator[str]:
    """A sentence on each word that may mean a keyword, and asks nothing as it is written."""
    for entry in report.misspelt:
        if front_end.is_keyword(str(entry.meant)):  # others, such as a title, ask nothing either
            place = entry.pointer or "(root)"
            yield f"{place}: {entry.keyword} is no keyword and asks nothing; do you mean {entry.meant}?"


def warn_of_slips(report: Report) -> None:
    """A UserWarning of each of the `slips`."""
    for slip in slips(report):
        log.warn(slip)
