"""Constructor and arguments of a grammar → a record by which grammars are compared and pickled.

Rules belong to the process and the version of frisket that made them. The arguments do not: they are short, and any
version can make rules from them.
"""

from __future__ import annotations

import copy
import json
import marshal
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frisket.limit import Limits
    from frisket.tools.tools import Tools

#: The defaults of each constructor's keywords, other than None.
_USUAL: dict[str, dict[str, Any]] = {
    "from_regex": {"dialect": "python", "search": False},
    "from_gbnf": {"root": "root"},
    "from_abnf": {"values": "characters"},
    "from_ebnf": {"dialect": "w3c"},
    "from_lark": {"dialect": "llguidance", "start": "start"},
    "from_tools": {"choice": "auto", "parallel": True, "thinking": "auto"},
    "_from_thinking": {"start": "<think>", "end": "</think>", "mode": "auto"},
}

#: How a `repr` names what is called, if it is no constructor of the class.
_CALLED = {"_from_thinking": " think"}

#: Most characters of an argument in a `repr`.
_SHOWN = 60


@dataclass(frozen=True, eq=False)
class Origin:
    """One call of a constructor of `Grammar`.

    `argument` is in canonical form: sorted choices; a pattern, with flags only if it has some; a copy of a schema's
    content, since its owner may change it later; a type. `limits` decide whether a grammar can be made, not which one.
    """

    constructor: str
    argument: Any
    keywords: dict[str, Any] = field(default_factory=dict)
    limits: Limits | None = None

    @classmethod
    def of_choices(cls, choices: list[str], limits: Limits | None) -> Origin:
        return cls("from_choices", sorted(choices), {}, limits)

    @classmethod
    def of_pattern(cls, pattern: str | re.Pattern[str], dialect: str, search: bool, limits: Limits | None) -> Origin:
        return cls("from_regex", pattern, {"dialect": dialect, "search": search}, limits)

    @classmethod
    def of_notation(cls, constructor: str, text: str, limits: Limits | None, **keywords: str | None) -> Origin:
        """The call of a constructor that reads `text` in its notation."""
        return cls(constructor, text, keywords, limits)

    @classmethod
    def of_schema(
        cls, schema: Any, data: bytes | None, options: Any, registry: Any, limits: Limits | None
    ) -> Origin | None:
        """The call for a schema with the content `data`, or else a copy of the schema; None if it cannot be copied."""
        argument = Content(data) if data is not None else None
        if argument is None:
            try:
                argument = copy.deepcopy(schema)
            except (TypeError, RecursionError):
                return None
        return cls("from_json_schema", argument, {"options": options, "registry": registry}, limits)

    @classmethod
    def of_structural_tag(cls, tag: Any, data: bytes | None, options: Any, limits: Limits | None) -> Origin | None:
        """The call for a structural tag with the content `data`, handled like that of a schema."""
        origin = cls.of_schema(tag, data, options, None, limits)
        if origin is None:
            return None
        return cls("from_structural_tag", origin.argument, {"options": options}, limits)

    @classmethod
    def of_tools(cls, tools: Tools, limits: Limits | None, **keywords: Any) -> Origin | None:
        """The call for the present state of `tools`; None if they cannot be copied."""
        try:
            return cls("from_tools", tools._kept(), keywords, limits)
        except (TypeError, RecursionError):
            return None

    def equals(self, other: Origin) -> bool:
        """Whether both calls have equal arguments; limits do not matter."""
        return (
            self.constructor == other.constructor
            and bool(self.argument == other.argument)
            and self.keywords == other.keywords
        )

    def sent(self) -> tuple[str, Any, dict[str, Any]]:
        """(constructor, argument, keywords) for another process.

        Time and cancellation stay in this process; steps and memory are sent, since the grammar may need them.
        """
        if self.keywords.get("registry") is not None:
            raise TypeError(
                "a Grammar whose schema refers to a registry cannot be pickled, since a registry cannot: copy the "
                "documents into $defs, or send them and build it there"
            )
        argument = self.argument
        if isinstance(argument, Content):
            argument = argument.text() or argument
        keywords = {name: value for name, value in self.keywords.items() if value is not None}
        if self.limits is not None:
            kept = type(self.limits)(memory_bytes=self.limits.memory_bytes, steps=self.limits.steps)
            keywords |= {"limits": kept} if kept != type(kept)() else {}
        return self.constructor, argument, keywords

    def __str__(self) -> str:
        shown = repr(self.argument)
        if isinstance(self.argument, Content):
            shown = self.argument.text() or "…"
        if isinstance(self.argument, type):
            shown = self.argument.__qualname__
        if len(shown) > _SHOWN:
            shown = shown[:_SHOWN] + "…"
        called = _CALLED.get(self.constructor, f".{self.constructor}")
        return f"{called}({', '.join([shown, *self._unusual()])})"

    def _unusual(self) -> list[str]:
        """The keywords that differ from their defaults."""
        usual = _USUAL.get(self.constructor, {})
        found = []
        for name, value in self.keywords.items():
            if name == "options":
                found += [repr(value)] if value is not None and value.changes() else []
            elif value != usual.get(name):
                shown = repr(value)
                found.append(f"{name}=…" if name == "registry" or len(shown) > _SHOWN else f"{name}={shown}")
        return found


class Content:
    """A copy of a JSON value, or of its text; equal to copies of the same value with members in another order."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data

    def value(self) -> Any:
        value = marshal.loads(self.data)
        return json.loads(value) if isinstance(value, str) else value

    def text(self) -> str | None:
        """The value as JSON, which any version of Python reads; None if it nests too deep, or has a value that JSON
        lacks (such as a set in an annotation)."""
        try:
            return json.dumps(self.value())
        except (TypeError, ValueError, RecursionError):
            return None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Content):
            return NotImplemented
        return self.data == other.data or bool(self.value() == other.value())

    __hash__ = None  # type: ignore[assignment]
