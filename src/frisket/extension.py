"""Names for programs that extend frisket, such as servers, strategies, linters and dialects, in addition to public
names.

The applications of this package (`server`, `play`, `lint`, `hosted`, `examples`, `strategies`) import only public
modules of the library and these names; a test checks that. The names may change in any minor version.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frisket._core import front_end
    from frisket._core.front_end import Regex
    from frisket.argument_name import explain_fields
    from frisket.conversation import Conversation, Turn, chat_template
    from frisket.conversation.conversation import THINKS, thinking_variables
    from frisket.decoding.argument import check_integer
    from frisket.decoding.branch import Branch, Fate
    from frisket.decoding.budget import Budget
    from frisket.decoding.call import read_task
    from frisket.decoding.document import Document
    from frisket.decoding.draft import drafter
    from frisket.decoding.generate import begin_stream
    from frisket.decoding.loop import FinishReason, decode, holds, is_closed
    from frisket.decoding.sampler import MOST_PENALTY, noise
    from frisket.decoding.task import Beginning, Task
    from frisket.decoding.text import Text
    from frisket.engines.compiler import Compiler, Wanted
    from frisket.engines.structured_output import KINDS, StructuredOutput, read_options
    from frisket.json_fault import json_fault
    from frisket.json_schema import DEFAULT, prelude_of
    from frisket.json_schema.text import parse as parse_json
    from frisket.limit import Meter
    from frisket.markup import PALETTE
    from frisket.models.prompt import described, property_names
    from frisket.notations.regex import ast as regex_ast
    from frisket.notations.regex import parse as parse_regex
    from frisket.pressure.heat import LEVELS, level
    from frisket.pressure.report import Likely
    from frisket.python_type import PythonType
    from frisket.token_name import token_name
    from frisket.tools.template import Special, literal_pieces

__all__ = [
    "DEFAULT",
    "KINDS",
    "LEVELS",
    "MOST_PENALTY",
    "PALETTE",
    "THINKS",
    "Beginning",
    "Branch",
    "Budget",
    "Compiler",
    "Conversation",
    "Document",
    "Fate",
    "FinishReason",
    "Likely",
    "Meter",
    "PythonType",
    "Regex",
    "Special",
    "StructuredOutput",
    "Task",
    "Text",
    "Turn",
    "Wanted",
    "begin_stream",
    "chat_template",
    "check_integer",
    "decode",
    "described",
    "drafter",
    "explain_fields",
    "front_end",
    "holds",
    "is_closed",
    "json_fault",
    "level",
    "literal_pieces",
    "noise",
    "parse_json",
    "parse_regex",
    "prelude_of",
    "property_names",
    "read_options",
    "read_task",
    "regex_ast",
    "thinking_variables",
    "token_name",
]

# The module of each name. A module is imported when one of its names is first used: a linter loads no server.
_HOMES = {
    "_core": ("front_end",),
    "_core.front_end": ("Regex",),
    "argument_name": ("explain_fields",),
    "conversation": ("Conversation", "Turn", "chat_template"),
    "conversation.conversation": ("THINKS", "thinking_variables"),
    "decoding.argument": ("check_integer",),
    "decoding.branch": ("Branch", "Fate"),
    "decoding.budget": ("Budget",),
    "decoding.call": ("read_task",),
    "decoding.document": ("Document",),
    "decoding.draft": ("drafter",),
    "decoding.generate": ("begin_stream",),
    "decoding.loop": ("FinishReason", "decode", "holds", "is_closed"),
    "decoding.sampler": ("MOST_PENALTY", "noise"),
    "decoding.task": ("Beginning", "Task"),
    "decoding.text": ("Text",),
    "engines.compiler": ("Compiler", "Wanted"),
    "engines.structured_output": ("KINDS", "StructuredOutput", "read_options"),
    "json_fault": ("json_fault",),
    "json_schema": ("DEFAULT", "prelude_of"),
    "json_schema.text": ("parse_json",),
    "limit": ("Meter",),
    "models.prompt": ("described", "property_names"),
    "notations.regex": ("regex_ast", "parse_regex"),
    "pressure.heat": ("LEVELS", "level"),
    "markup": ("PALETTE",),
    "pressure.report": ("Likely",),
    "python_type": ("PythonType",),
    "token_name": ("token_name",),
    "tools.template": ("Special", "literal_pieces"),
}
# Names that are longer here than in their module, to say what they belong to.
_RENAMED = {"parse_json": "parse", "parse_regex": "parse", "regex_ast": "ast"}


def __getattr__(name: str) -> Any:
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'frisket.extension' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"frisket.{home}"), _RENAMED.get(name, name))
    globals()[name] = value
    return value
