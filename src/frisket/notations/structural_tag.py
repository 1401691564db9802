"""Structural tag, a JSON value in requests to vLLM and SGLang → its grammar; its parts, for places and events.

The engine reads the tag. This module gives the advice that names other constructors, and makes the grammars in the tag.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from frisket._core import front_end
from frisket.errors import GrammarSyntaxError, LimitExceededError
from frisket.json_fault import json_fault
from frisket.json_pointer import find
from frisket.json_schema.compile import documents_of
from frisket.misuse import instead_of_rules, instead_of_schema
from frisket.notations.combination.part import Part
from frisket.origin import Content, Origin

if TYPE_CHECKING:
    from frisket import _core
    from frisket.grammar import Grammar
    from frisket.json_schema import JSONSchemaOptions
    from frisket.limit import Limits

#: Types of the values of JSON.
_JSON = (dict, list, tuple, str, int, float, type(None))


@dataclass(frozen=True, slots=True)
class TagText:
    """The value of a structural tag's text, which is the text itself."""

    tag: Any
    """The tag, or its Content."""
    parts: front_end.TagParts

    def __call__(self, text: str) -> str:
        return text

    def outline(self) -> Part:
        """The tag as a tree of named parts."""
        try:
            tag = self.tag.value() if isinstance(self.tag, Content) else self.tag
            tag = json.loads(tag) if isinstance(tag, str) else tag
        except (ValueError, RecursionError) as error:
            fault = json_fault(error)
            message = f"the structural tag {fault.message} for Python's json"
            raise LimitExceededError(message, hint="events and places need it as a value") from None
        part: Part = self.parts.tree(partial(_inner, tag))
        return part


def read_structural_tag(
    tag: Mapping[str, Any] | str, options: JSONSchemaOptions | None, limits: Limits | None
) -> tuple[_core.Grammar, front_end.TagParts]:
    """The rules of a structural tag, and its parts.

    GrammarSyntaxError, with the JSON pointer, for one that is invalid or not exact.
    """
    value = dict(tag) if isinstance(tag, Mapping) else tag
    try:
        return front_end.read_structural_tag(value, options, documents_of(None), limits)
    except GrammarSyntaxError as error:
        error.hint = _advice(value, error.where or "") or error.hint
        raise


def _advice(tag: Any, where: str) -> str | None:
    """Advice on a value inside the tag that another constructor reads; None if no better advice is known."""
    try:
        value = find(json.loads(tag) if isinstance(tag, str) else tag, where)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, str) and where.endswith("/grammar"):
        return instead_of_rules(value, "xgrammar")
    return None if isinstance(value, _JSON) else instead_of_schema(value)


def _inner(tag: Any, notation: str, core: _core.Grammar, pointer: str) -> Grammar[Any]:
    """The grammar of a part in another notation, from which readers know its schema or its rules."""
    from frisket.grammar import Grammar
    from frisket.language import json_value

    value = find(tag, pointer)
    if notation == "schema":
        origin = Origin("from_json_schema", value, {"options": None, "registry": None})
        return Grammar(core, schema=value, value=json_value, origin=origin)
    if notation == "rules":
        return Grammar(core, origin=Origin.of_notation("from_ebnf", value, None, root="root", dialect="xgrammar"))
    return Grammar(core)
