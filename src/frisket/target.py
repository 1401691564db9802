"""Target of any type → Grammar; `generate`, `sample` and `think` all read targets here."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Any

from frisket._core import front_end
from frisket.errors import InvalidSchemaError
from frisket.grammar import Grammar
from frisket.limit import Limits

__all__ = ["as_grammar", "check_asks"]


def as_grammar(target: Any, limits: Limits | None = None) -> Grammar:
    """The grammar of any target that `generate` accepts.

    >>> as_grammar(["yes", "no"]) == Grammar.from_choices(["yes", "no"])
    True
    """
    if isinstance(target, Grammar):
        return target
    if isinstance(target, Mapping | bool):
        grammar = Grammar.from_json_schema(target, limits=limits)
        if isinstance(target, Mapping):
            check_asks(target, grammar)
            _warn_of_slips(grammar)
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


def _warn_of_slips(grammar: Grammar) -> None:
    """A UserWarning for each word that may mean a keyword, and asks nothing as it is written."""
    report = grammar.report
    for entry in report.misspelt if report is not None else ():
        if not front_end.is_keyword(str(entry.meant)):
            continue  # one that asks nothing either, such as a title
        message = (
            f"{entry.pointer or '(root)'}: {entry.keyword} is no keyword and asks nothing; do you mean {entry.meant}?"
        )
        warnings.warn(message, UserWarning, stacklevel=2)


def check_asks(schema: Mapping[str, Any], grammar: Grammar) -> None:
    """InvalidSchemaError for a dict of members or definitions alone: as a schema, it would allow any JSON."""
    if any(front_end.is_keyword(str(word)) for word in schema):
        return
    report = grammar.report
    note = next((one for one in report.notes if one.code == "root-asks-nothing"), None) if report is not None else None
    if report is None or note is None:
        return
    meant = next((entry.meant for entry in report.misspelt), None)
    if note.pointers:
        hint = f'write {{"$ref": "#{note.pointers[0]}", …}}'
    elif meant is not None:
        hint = f"do you mean {meant}?"
    else:
        hint = (
            'for an object with these members write {"type": "object", "properties": {…}, "required": […]}; for a '
            "class, pass the class; for any JSON, pass True"
        )
    raise InvalidSchemaError(str(note), where="", hint=hint)
