"""Target of any type → Grammar; `generate`, `sample` and `think` all read targets here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from frisket.grammar import Grammar
from frisket.limit import Limits

__all__ = ["as_grammar"]


def as_grammar(target: Any, limits: Limits | None = None) -> Grammar:
    """The grammar of any target that `generate` accepts.

    >>> as_grammar(["yes", "no"]) == Grammar.from_choices(["yes", "no"])
    True
    """
    if isinstance(target, Grammar):
        return target
    if isinstance(target, Mapping | bool):
        return Grammar.from_json_schema(target, limits=limits)
    if isinstance(target, re.Pattern):
        return Grammar.from_regex(target, limits=limits)
    if isinstance(target, list | tuple):
        return Grammar.from_choices(target, limits=limits)
    if isinstance(target, str):
        raise TypeError(
            "a str is ambiguous as a target: use Grammar.from_json_schema, from_regex, or a list for choices"
        )
    return Grammar.from_type(target, limits=limits)
