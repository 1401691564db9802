"""Target of any type → Grammar; `generate`, `sample` and `think` all read targets here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from frisket._core import front_end
from frisket.errors import InvalidSchemaError
from frisket.grammar import Grammar
from frisket.limit import Limits

__all__ = ["as_grammar"]

#: Keywords whose values are objects and lists.
_HOLDERS = ("allOf", "anyOf", "oneOf", "properties", "items", "prefixItems", "enum")


def as_grammar(target: Any, limits: Limits | None = None) -> Grammar:
    """The grammar of any target that `generate` accepts.

    >>> as_grammar(["yes", "no"]) == Grammar.from_choices(["yes", "no"])
    True
    """
    if isinstance(target, Grammar):
        return target
    if isinstance(target, Mapping | bool):
        _check_asks(target)
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


def _check_asks(schema: Mapping[str, Any] | bool) -> None:
    """InvalidSchemaError for a dict of members or definitions alone: as a schema, it would allow any JSON."""
    if isinstance(schema, bool) or any(isinstance(word, str) and front_end.is_keyword(word) for word in schema):
        return
    words = [str(word) for word, value in schema.items() if isinstance(value, Mapping | list | type)]
    if not words:
        return
    meant = next((found for word in words if (found := front_end.closest(word, _HOLDERS)) is not None), None)
    if meant is not None:
        hint = f"do you mean {meant}?"
    elif words[0] in ("$defs", "definitions"):
        hint = f'refer to one of the definitions: {{"$ref": "#/{words[0]}/…", "{words[0]}": …}}'
    else:
        hint = (
            'for an object with these members write {"type": "object", "properties": {…}, "required": […]}; for a '
            "class, pass the class; for any JSON, pass True"
        )
    message = f"the schema asks nothing of a document: no keyword is among {', '.join(words[:5])}"
    raise InvalidSchemaError(message, where="", hint=hint)
