"""The table of cases: what the assistant says in one turn, and the tools that it calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

CONTENT = "Let me see."
REASONING = "First, I look."


@dataclass(frozen=True)
class Case:
    """One turn of the assistant."""

    name: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Names of tools and arguments, in the order of the calls."""
    content: str | None = None
    reasoning: str = REASONING
    """The reasoning of the turn, where thinking is on."""
    follows_result: bool = False
    """Whether the turn answers the result of a call; all others answer the user."""


#: Name of a tool with one required parameter `v` → the schema of `v`.
VALUES: dict[str, Any] = {
    "text": {"type": "string"},
    "whole": {"type": "integer"},
    "number": {"type": "number"},
    "switch": {"type": "boolean"},
    "nothing": {"type": "null"},
    "maybe_text": {"type": ["string", "null"]},
    "maybe_whole": {"type": ["integer", "null"]},
    "maybe_switch": {"type": ["boolean", "null"]},
    "words": {"type": "array", "items": {"type": "string"}},
    "maybe_words": {"type": "array", "items": {"type": ["string", "null"]}},
    "rows": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "boolean"}, "b": {}}}},
    "mapping": {"type": "object"},
    "untyped": {},
    "choice": {"enum": ["c", "f", 3]},
}

#: Every tool of a case, as clients describe it.
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {"name": name, "description": f"Takes {name}.", "parameters": parameters},
    }
    for name, parameters in {
        **{
            name: {"type": "object", "properties": {"v": {"description": "A value.", **value}}, "required": ["v"]}
            for name, value in VALUES.items()
        },
        "weather": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Where."},
                "days": {"type": "integer", "description": "For how long."},
                "metric": {"type": "boolean", "description": "Whether in degrees Celsius."},
            },
            "required": ["city"],
        },
        "now": {"type": "object", "properties": {}},
    }.items()
]

WEATHER = ("weather", {"city": "Rome", "days": 3, "metric": True})

#: Name of a case → (tool, value of its parameter).
_OF_VALUES: dict[str, tuple[str, Any]] = {
    "a text": ("text", "Rome"),
    "an empty text": ("text", ""),
    "blanks at both ends": ("text", "  a b  "),
    "line breaks at both ends": ("text", "\na\n\nb\n"),
    "a tab and a line break within": ("text", "a\n\tb"),
    "digits as text": ("text", "5"),
    "a word of JSON as text": ("text", "null"),
    "unicode": ("text", "São Paulo – 東京 😀"),
    "quotes": ("text", 'say "hi", it\'s \\n'),
    "markup": ("text", "<b>a & b</b>"),
    "an integer": ("whole", -3),
    "a number": ("number", 3.5),
    "3.0": ("number", 3.0),
    "1e-07": ("number", 1e-07),
    "1e+22": ("number", 1e22),
    "true": ("switch", True),
    "false": ("switch", False),
    "null": ("nothing", None),
    "null for a text": ("maybe_text", None),
    "a text that may be null": ("maybe_text", "x"),
    "null for an integer": ("maybe_whole", None),
    "an integer that may be null": ("maybe_whole", 5),
    "null for a truth value": ("maybe_switch", None),
    "a list of texts": ("words", ["a", "b c", "it's", 'say "hi"']),
    "an empty list": ("words", []),
    "null in a list": ("maybe_words", ["a", None]),
    "a list of objects": ("rows", [{"a": True, "b": None}, {"a": False, "b": 1.5}]),
    "an object": ("mapping", {"a": "x", "b": 1, "c": [True, None]}),
    "an empty object": ("mapping", {}),
    "a nested object": ("mapping", {"a": {"b": [{"c": "é"}, False]}, "d": 1e-07}),
    "an untyped text": ("untyped", "a b"),
    "untyped digits as text": ("untyped", "5"),
    "an untyped integer": ("untyped", 5),
    "an untyped null": ("untyped", None),
    "an untyped truth value": ("untyped", False),
    "an untyped list": ("untyped", [1, "a", {"b": None}]),
    "a text of an enum": ("choice", "f"),
    "a number of an enum": ("choice", 3),
}

CASES: tuple[Case, ...] = (
    Case("a call", (WEATHER,)),
    Case("optional arguments left out", (("weather", {"city": "Rome"}),)),
    Case("no arguments", (("now", {}),)),
    Case("two calls", (WEATHER, ("text", {"v": "a"}))),
    Case("two calls without arguments", (("now", {}), ("now", {}))),
    Case("three calls", (("now", {}), WEATHER, ("whole", {"v": 1}))),
    Case("text", content=CONTENT),
    Case("text of several lines", content="One.\n\nTwo < three & four."),
    Case("text and a call", (WEATHER,), CONTENT),
    Case("text and two calls", (WEATHER, ("now", {})), CONTENT),
    Case("a call after a result", (WEATHER,), follows_result=True),
    Case("text after a result", content=CONTENT, follows_result=True),
    Case("reasoning of several lines", (WEATHER,), reasoning="One < two.\n\nThree."),
    *(Case(name, ((tool, {"v": value}),)) for name, (tool, value) in _OF_VALUES.items()),
)
