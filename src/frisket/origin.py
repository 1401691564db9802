"""Constructor and arguments → what two grammars are compared by, and what is sent in place of one.

A grammar's rules belong to the process and to the version of frisket that made them. What was asked for does not: it is
short, and any version can make rules of it.
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

#: The keywords of each constructor where nobody says anything, other than None.
_USUAL: dict[str, dict[str, Any]] = {
    "from_regex": {"dialect": "python", "search": False},
    "from_gbnf": {"root": "root"},
    "from_abnf": {"values": "characters"},
    "from_ebnf": {"dialect": "w3c"},
    "from_lark": {"dialect": "llguidance", "start": "start"},
    "from_tools": {"choice": "auto", "parallel": True, "thinking": "auto"},
    "_from_thinking": {"start": "<think>", "end": "</think>", "mode": "auto"},
}

#: A representation shows at most so many characters of an argument.
_SHOWN = 60


@dataclass(frozen=True, eq=False)
class Origin:
    """One call of a constructor of `Grammar`.

    `argument` is in canonical form: sorted choices, a pattern with its flags only if it has any, the content of a
    schema as it was (its owner may change it later), a type. `limits` decide whether a grammar can be made, not which.
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
        """`text` is a grammar's, in the notation of the constructor."""
        return cls(constructor, text, keywords, limits)

    @classmethod
    def of_schema(
        cls, schema: Any, data: bytes | None, options: Any, registry: Any, limits: Limits | None
    ) -> Origin | None:
        """`data` is the content of the schema; of one that has none, a copy is kept, if there can be one."""
        argument = Content(data) if data is not None else None
        if argument is None:
            try:
                argument = copy.deepcopy(schema)
            except (TypeError, RecursionError):
                return None
        return cls("from_json_schema", argument, {"options": options, "registry": registry}, limits)

    @classmethod
    def of_structural_tag(cls, tag: Any, data: bytes | None, options: Any, limits: Limits | None) -> Origin | None:
        """`data` is the content of the tag, as that of a schema."""
        origin = cls.of_schema(tag, data, options, None, limits)
        if origin is None:
            return None
        return cls("from_structural_tag", origin.argument, {"options": options}, limits)

    @classmethod
    def of_tools(cls, tools: Tools, limits: Limits | None, **keywords: Any) -> Origin | None:
        """`tools` are kept as they are now; None where they cannot be copied."""
        try:
            return cls("from_tools", tools.kept(), keywords, limits)
        except (TypeError, RecursionError):
            return None

    def equals(self, other: Origin) -> bool:
        """Whether both ask for the same, whatever the limits."""
        return (
            self.constructor == other.constructor
            and bool(self.argument == other.argument)
            and self.keywords == other.keywords
        )

    def sent(self) -> tuple[str, Any, dict[str, Any]]:
        """Constructor, argument and keywords as another process takes them.

        Time and cancellation are this process's; steps and memory go with the grammar, which may need them.
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
        return f"{self.constructor}({', '.join([shown, *self._unusual()])})"

    def _unusual(self) -> list[str]:
        """The keywords that are not as they are where nobody says anything."""
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
    """A JSON value, or its text, as it was; equal to others of the same value, whatever the order of their members."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data

    def value(self) -> Any:
        value = marshal.loads(self.data)
        return json.loads(value) if isinstance(value, str) else value

    def text(self) -> str | None:
        """JSON, which any version of Python reads; None where it nests deep or holds what JSON cannot (a set in an
        annotation)."""
        try:
            return json.dumps(self.value())
        except (TypeError, ValueError, RecursionError):
            return None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Content):
            return NotImplemented
        return self.data == other.data or bool(self.value() == other.value())

    __hash__ = None  # type: ignore[assignment]
