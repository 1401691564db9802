"""The text that a model wrote, parsed: reasoning, text and tool calls."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from frisket.tools.custom import INPUT

if TYPE_CHECKING:
    from frisket.tools.tool import Tool


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool."""

    id: str
    """The identifier that the model wrote; if its format has none, `call_0`, `call_1` … in the order of the message."""
    name: str
    arguments: dict[str, Any]
    """The arguments as JSON values."""
    tool: Tool = field(repr=False, compare=False)

    @property
    def value(self) -> Any:
        """The arguments in the tool's own type: a Pydantic model, a text, or a dict with a function's types.

        FrisketError if a validator of the type refuses them.
        """
        return self.tool.value(json.dumps(self.arguments, ensure_ascii=False))

    def to_openai(self) -> dict[str, Any]:
        """The call as the chat API of OpenAI describes it."""
        if self.tool.custom is not None:
            return {"id": self.id, "type": "custom", "custom": {"name": self.name, "input": self.arguments[INPUT]}}
        arguments = json.dumps(self.arguments, ensure_ascii=False)
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": arguments}}


@dataclass(frozen=True)
class Message:
    """A message of a model, parsed."""

    reasoning: str | None = None
    content: str | None = None
    """The text outside of reasoning and calls; None if there is none."""
    calls: list[ToolCall] = field(default_factory=list)
    final: Any = None
    """The value of the final answer, if the grammar allows one and the model gave it."""
