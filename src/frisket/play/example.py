"""The examples of the page: the tasks of `frisket example`, and one grammar in each notation."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from frisket import examples

#: Name of a task → its title and an example prompt.
SYSTEMS = {
    "triage": ("Ticket triage", "My card was charged twice and nobody answers the phone"),
    "orders": ("Café orders", "two large oat lattes and a blueberry muffin to go"),
    "tutor": ("Grammar tutor", "She wrote a book"),
    "agent": ("File agent, action first", "write 'buy milk' to notes/todo.txt"),
    "agent-last": ("File agent, action last", "write 'buy milk' to notes/todo.txt"),
}
#: A schema that lacks a category which the text needs: the mask overrules the model, and the page shows the pressure.
MISSING = {
    "type": "object",
    "properties": {
        "priority": {"enum": ["low", "normal", "high"]},
        "category": {"enum": ["account", "bug", "other"]},
        "needs_human": {"type": "boolean"},
    },
    "required": ["priority", "category", "needs_human"],
    "additionalProperties": False,
}
TOOLS = {
    "family": "hermes",
    "choice": "required",
    "tools": [
        {
            "name": "weather",
            "description": "The weather in a city",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"enum": ["Rome", "Oslo"]},
                    "days": {"type": "integer", "minimum": 1, "maximum": 7},
                },
                "required": ["city"],
                "additionalProperties": False,
            },
        }
    ],
}
TAG = {
    "type": "structural_tag",
    "format": {
        "type": "tag",
        "begin": "<order>",
        "content": {"type": "regex", "pattern": "(tea|latte|muffin)(, (tea|latte|muffin)){0,2}"},
        "end": "</order>",
    },
}
RULES = (
    (
        "A regular expression: a date",
        "regex",
        r"20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])",
        "When was it? 2026-11-23",
    ),
    ("Choices: how urgent", "choices", "low\nnormal\nhigh", "My card was charged twice"),
    ("GBNF: sums", "gbnf", 'root   ::= number (" + " number)*\nnumber ::= [1-9] [0-9]{0,2}\n', "12 and 345"),
    (
        "Lark: calls",
        "lark",
        'start: NAME "(" [NUMBER ("," NUMBER)*] ")"\nNAME: /[a-z]{1,8}/\nNUMBER: /[0-9]{1,3}/\n',
        "add one and two",
    ),
    ("EBNF: a name", "ebnf", "Name ::= [A-Z] ([a-z] - 'x')*\n", "Ada Lovelace"),
    ("ABNF: a date", "abnf", 'date  = 4DIGIT "-" month "-" 2DIGIT\nmonth = "0" %x31-39 / "1" %x30-32\n', "2026-11-23"),
)


@cache
def listed() -> list[dict[str, str]]:
    """Name, notation, text and prompt of each example, in the order of the page."""

    def one(name: str, notation: str, text: str, prompt: str) -> dict[str, str]:
        return {"name": name, "notation": notation, "text": text, "prompt": prompt}

    def pretty(value: Any) -> str:
        return json.dumps(value, indent=2, ensure_ascii=False)

    return [
        *(one(title, "json_schema", pretty(examples.load(name)), prompt) for name, (title, prompt) in SYSTEMS.items()),
        one("A category that is missing", "json_schema", pretty(MISSING), "My card was charged twice"),
        *(one(*rule) for rule in RULES),
        one("Tools", "tools", pretty(TOOLS), "What is the weather in Rome?"),
        one("Structural tag", "structural_tag", pretty(TAG), "a tea and a muffin"),
    ]
