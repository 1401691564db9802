"""Descriptions of tools → the functions that chat templates show, or a text for models whose template shows none.

A description is a dict as `frisket.tools` reads it: name, description and parameters, or type `custom` with a format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from frisket.tools.custom import SCHEMA
from frisket.tools.family import Family
from frisket.tools.tool import Tool


def to_description(tool: Tool) -> dict[str, Any]:
    """The description of a tool, without the titles that Pydantic derives from names.

    >>> to_description(Tool("now", {"type": "object"}, "The time."))
    {'name': 'now', 'description': 'The time.', 'parameters': {'type': 'object'}}
    """
    said = {"name": tool.name, **({"description": tool.description} if tool.description else {})}
    if tool.custom is None:
        return {**said, "parameters": tool.schema if tool.python is None else _without_titles(tool.schema)}
    if tool.custom.syntax == "text":
        return {"type": "custom", **said}
    grammar = {"syntax": tool.custom.syntax, "definition": tool.custom.definition}
    return {"type": "custom", **said, "format": {"type": "grammar", **grammar}}


def _without_titles(schema: Any, *, names: bool = False) -> Any:
    """A schema of Pydantic without its titles; with `names`, a mapping of names to such schemas."""
    if isinstance(schema, list):
        return [_without_titles(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: value
        if key in ("default", "examples", "enum", "const") and not names
        else _without_titles(value, names=key in ("properties", "$defs") and not names)
        for key, value in schema.items()
        if names or key != "title"
    }


def to_functions(tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The tools in the form that chat templates read; a custom tool becomes a function of one string.

    >>> to_functions([{"name": "now"}])
    [{'type': 'function', 'function': {'parameters': {'type': 'object'}, 'name': 'now'}}]
    """
    found = []
    for tool in tools:
        given = {name: value for name, value in tool.items() if name not in ("type", "format")}
        is_custom = tool.get("type") == "custom"
        function = {**given, "parameters": SCHEMA} if is_custom else {"parameters": {"type": "object"}, **given}
        found.append({"type": "function", "function": function})
    return found


def describe_tools(tools: Sequence[Mapping[str, Any]], family: Family) -> str:
    """A text about the tools: their descriptions, and how a call of the family is written."""
    call = family.calls.replace("$calls", family.call[0])
    form = call.replace("$name", "NAME").replace("$arguments", "ARGUMENTS").replace("$id", "ID")
    functions = [json.dumps(tool, ensure_ascii=False) for tool in tools]
    is_custom = any(tool.get("type") == "custom" for tool in tools)
    customs = ["A custom function takes one argument, the text input."] if is_custom else []
    lines = ["You may call these functions:", *functions, *customs, "A call is written so:", _spaced(form)]
    return "\n".join(lines)


def _spaced(form: str) -> str:
    """A format of calls with the usual white space: a blank in JSON, a line break beside a tag.

    >>> _spaced('<call>$ws{"name":$ws"NAME"$ws}$ws</call>')
    '<call>\\n{"name": "NAME"}\\n</call>'
    """
    form = re.sub(r"(?<=[:,])\$ws", " ", form)
    return re.sub(r"(?<=>)\$ws|\$ws(?=<)", "\n", form).replace("$ws", "")
