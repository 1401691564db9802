"""Name of a notation × text → Grammar."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from frisket import Grammar, Limits, Vocabulary
from frisket.errors import GrammarSyntaxError
from frisket.extension import json_fault, read_options

#: Fields of the JSON text that describes tools.
TOOL_FIELDS = ("family", "tools", "choice", "parallel")


@dataclass(frozen=True)
class Notation:
    """One notation: its name on the page, and the function that reads its text."""

    title: str
    read: Callable[[str, Mapping[str, Any], Limits, Vocabulary], Grammar]
    is_json: bool = False
    """Whether the text is JSON, so that places in it are JSON pointers."""


def _schema(text: str, options: Mapping[str, Any], limits: Limits, _: Vocabulary) -> Grammar:
    return Grammar.from_json_schema(text, read_options(dict(options)) if options else None, limits=limits)


def _choices(text: str, options: Mapping[str, Any], limits: Limits, _: Vocabulary) -> Grammar:
    return Grammar.from_choices([line for line in text.splitlines() if line], limits=limits)


def _tools(text: str, options: Mapping[str, Any], limits: Limits, vocabulary: Vocabulary) -> Grammar:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        fault = json_fault(error)
        hint = fault.hint or "write a list of tools"
        raise GrammarSyntaxError(f"the list of tools {fault.message}", where=fault.where, hint=hint) from error
    described = {"tools": given} if isinstance(given, list) else given
    if not isinstance(described, dict) or not isinstance(described.get("tools"), list):
        raise GrammarSyntaxError(
            "tools are a list, or an object with such a list", where="",
            hint='write [{"name": …, "parameters": …}], or {"family": "qwen3", "tools": […]}',
        )  # fmt: skip
    unknown = next((name for name in described if name not in TOOL_FIELDS), None)
    if unknown is not None:
        raise GrammarSyntaxError(
            f"{unknown!r} says nothing here", where=f"/{unknown}", hint=f"the fields are {', '.join(TOOL_FIELDS)}"
        )
    choice, parallel = described.get("choice", "auto"), described.get("parallel", True)
    family = described.get("family", "hermes")
    if not (isinstance(choice, str) and isinstance(family, str) and isinstance(parallel, bool)):
        raise GrammarSyntaxError("family and choice are texts, parallel is true or false", where="")
    return Grammar.from_tools(
        described["tools"], family, choice=choice, parallel=parallel, vocabulary=vocabulary, limits=limits
    )


#: Notations in the order of the page's list.
NOTATIONS: Mapping[str, Notation] = {
    "json_schema": Notation("JSON Schema", _schema, is_json=True),
    "regex": Notation("Regular expression", lambda text, _, limits, __: Grammar.from_regex(text, limits=limits)),
    "choices": Notation("Choices, one a line", _choices),
    "gbnf": Notation("GBNF", lambda text, _, limits, __: Grammar.from_gbnf(text, limits=limits)),
    "lark": Notation("Lark", lambda text, _, limits, __: Grammar.from_lark(text, limits=limits)),
    "ebnf": Notation("EBNF (W3C)", lambda text, _, limits, __: Grammar.from_ebnf(text, limits=limits)),
    "ebnf_iso": Notation(
        "EBNF (ISO)", lambda text, _, limits, __: Grammar.from_ebnf(text, dialect="iso", limits=limits)
    ),
    "abnf": Notation("ABNF", lambda text, _, limits, __: Grammar.from_abnf(text, limits=limits)),
    "structural_tag": Notation(
        "Structural tag", lambda text, _, limits, __: Grammar.from_structural_tag(text, limits=limits), is_json=True
    ),
    "tools": Notation("Tools", _tools, is_json=True),
}
