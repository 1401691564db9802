"""JSON Schema → a TypeScript type; comments hold what types cannot express.

Lines of an object end without commas, as TypeScript allows: each comma would cost a token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frisket.description.writer import Member, Writer, key_text
from frisket.limit import Meter

#: Most characters of an object or union on one line.
WIDTH = 80


def typescript(schema: Any, meter: Meter | None = None) -> str:
    r"""The schema as a type; referenced schemas come first, under their names.

    >>> age = {"type": "integer", "minimum": 0, "description": "in years"}
    >>> print(typescript({"type": "object", "properties": {"name": {"type": "string"}, "age": age},
    ...     "required": ["name"], "additionalProperties": False}))
    {
      name: string
      age?: integer // in years; at least 0
    }
    """
    return TypeScript(schema, meter).document()


class TypeScript(Writer):
    """The types of one schema document."""

    ANYTHING, NOTHING = "unknown", "never"

    def __init__(self, root: Any, meter: Meter | None = None) -> None:
        super().__init__(root, meter)
        # Type texts that need parentheses beside other operators.
        self._unions: set[str] = set()
        self._intersections: set[str] = set()
        self._noted: set[str] = set()

    def main(self, text: str, notes: Sequence[str]) -> str:
        return _comment(notes) + text

    def definition(self, name: str, text: str, notes: Sequence[str]) -> str:
        return f"{_comment(notes)}type {name} = {text}"

    def object(self, members: Sequence[Member]) -> str:
        if not members:
            return "{}"
        lines = [(f"{_key(member)}: {member.text}", member.notes) for member in members]
        short = f"{{{', '.join(text for text, _ in lines)}}}"
        if len(short) <= WIDTH and not any(notes for _, notes in lines) and "\n" not in short and len(lines) < 4:
            return short
        body = []
        for text, notes in lines:
            head, between, tail = text.partition("\n")
            comment = f" // {'; '.join(notes)}" if notes else ""
            # The comment on a multi-line object stands on its first line.
            body.append(f"{head}{comment}{between}{tail}")
        inner = "\n".join(body).replace("\n", "\n  ")
        return f"{{\n  {inner}\n}}"

    def array(self, item: str) -> str:
        loose = item in self._unions or item in self._intersections or item in self._noted
        return f"({item})[]" if loose else f"{item}[]"

    def tuple(self, items: Sequence[str], rest: str | None) -> str:
        parts = [*items, *([] if rest is None else ["..." + self.array(rest)])]
        return f"[{', '.join(parts)}]"

    def either(self, parts: Sequence[str]) -> str:
        text = " | ".join(f"({part})" if part in self._intersections else part for part in parts)
        self._unions.add(text)
        return text

    def both(self, parts: Sequence[str]) -> str:
        text = " & ".join(f"({part})" if part in self._unions else part for part in parts)
        self._intersections.add(text)
        return text

    def noted(self, text: str, notes: Sequence[str]) -> str:
        # `\/` is JSON's escape of a slash: the pattern keeps its meaning, and cannot end the comment.
        inside = "; ".join(notes).replace("*/", "*\\/")
        found = f"/* {inside} */ {text}"
        self._noted.add(found)
        for kind in (self._unions, self._intersections):
            if text in kind:
                kind.add(found)
        return found


def _key(member: Member) -> str:
    if member.kind == "pattern":
        return f"[key: /{member.key}/]"
    if member.kind == "others":
        return "[key: string]"
    return key_text(member.key) + "?" * member.optional


def _comment(notes: Sequence[str]) -> str:
    return f"// {'; '.join(notes)}\n" if notes else ""
