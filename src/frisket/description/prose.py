"""JSON Schema → plain English: lists of members with their values, for models that do not know type notations.

An object's members are the lines below it, in the order of the mask. Types have the names of JSON Schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frisket.description.writer import Member, Writer, as_json, key_text
from frisket.limit import Meter


def prose(schema: Any, meter: Meter | None = None) -> str:
    r"""The schema in sentences and lists; referenced schemas come first, under their names.

    >>> age = {"type": "integer", "minimum": 0, "description": "in years"}
    >>> print(prose({"type": "object", "properties": {"name": {"type": "string"}, "age": age, "of": {"enum": [1, 2]}},
    ...     "required": ["name"], "additionalProperties": False}))
    object:
    - name: string
    - age (optional): integer (in years; at least 0)
    - of (optional): 1 or 2
    """
    return Prose(schema, meter).document()


class Prose(Writer):
    """The sentences of one schema document.

    A text is one line, or a line and the list below it. The colon after that line is added when the text is placed.
    """

    ANYTHING, NOTHING = "anything", "nothing at all"

    def main(self, text: str, notes: Sequence[str]) -> str:
        return _announced(self.noted(text, notes))

    def definition(self, name: str, text: str, notes: Sequence[str]) -> str:
        return f"{name} means {_announced(self.noted(text, notes))}"

    def object(self, members: Sequence[Member]) -> str:
        if not members:
            return "object without members"
        return _listed("object", [f"{_key(one)}: {self.noted(one.text, one.notes)}" for one in members])

    def array(self, item: str) -> str:
        return f"array of {item}"

    def tuple(self, items: Sequence[str], rest: str | None) -> str:
        lines = [f"item {place}: {item}" for place, item in enumerate(items, 1)]
        return _listed("array", [*lines, *([] if rest is None else [f"all further items: {rest}"])])

    def either(self, parts: Sequence[str]) -> str:
        if any("\n" in part for part in parts):
            return _listed("one of", parts)
        return f"{', '.join(parts[:-1])} or {parts[-1]}"

    def both(self, parts: Sequence[str]) -> str:
        if any("\n" in part for part in parts):
            return _listed("all of", parts)
        return " and at once ".join(parts)

    def noted(self, text: str, notes: Sequence[str]) -> str:
        if not notes:
            return text
        head, between, tail = text.partition("\n")
        return f"{head} ({'; '.join(notes)}){between}{tail}"


def _key(member: Member) -> str:
    if member.kind == "pattern":
        return f"any names that match {as_json(member.key)}"
    if member.kind == "others":
        return "any other names"
    return key_text(member.key) + " (optional)" * member.optional


def _listed(head: str, lines: Sequence[str]) -> str:
    return "\n".join([head, *("- " + _announced(line).replace("\n", "\n  ") for line in lines)])


def _announced(text: str) -> str:
    """A text with a colon before its list."""
    head, between, tail = text.partition("\n")
    return f"{head}:{between}{tail}" if tail else head
