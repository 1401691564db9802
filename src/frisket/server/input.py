"""Input items of a response → the messages of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from frisket.server.conversation import CalledCustom, CalledFunction, CustomCall, FunctionCall, History, Message

Status = Literal["in_progress", "completed", "incomplete"]


class MessageItem(Message):
    """A message, in the form in which a client writes it, or in that of an earlier response."""

    type: Literal["message"] | None = None
    id: str | None = None
    status: Status | None = None
    phase: str | None = None


class CallItem(History):
    """A function call of an earlier response."""

    type: Literal["function_call"]
    call_id: str
    name: str
    arguments: str

    def call(self) -> FunctionCall:
        function = CalledFunction(name=self.name, arguments=self.arguments)
        return FunctionCall(id=self.call_id, type="function", function=function)


class CustomCallItem(History):
    """A call of a custom tool of an earlier response."""

    type: Literal["custom_tool_call"]
    call_id: str
    name: str
    input: str

    def call(self) -> CustomCall:
        return CustomCall(id=self.call_id, type="custom", custom=CalledCustom(name=self.name, input=self.input))


class ResultItem(History):
    """The result of a call."""

    type: Literal["function_call_output", "custom_tool_call_output"]
    call_id: str
    output: str | list[dict[str, Any]]


class ReasoningItem(History):
    """Reasoning of an earlier response; models are not shown it again."""

    type: Literal["reasoning"]


class LeftOutItem(History):
    """An item that this server ignores: stored elsewhere, or a call of a tool that OpenAI runs."""

    type: str


#: Types of items that are ignored. Calls of OpenAI's hosted tools are ignored, too; they are found by name.
LEFT_OUT = {"item_reference", "compaction", "compaction_summary", "compaction_trigger", "context_compaction",
            "mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "tool_search_output",
            "additional_tools", "ghost_snapshot"}  # fmt: skip


def _kind(item: Any) -> Any:
    kind = (item.get("type") if isinstance(item, dict) else getattr(item, "type", None)) or "message"
    if not isinstance(kind, str) or kind in TAGS:
        return kind
    return "left_out" if kind in LEFT_OUT or kind.endswith(("_call", "_call_output")) else kind


#: Type → model, for the items that are read.
TAGS: dict[str, type[History]] = {
    "message": MessageItem, "function_call": CallItem, "custom_tool_call": CustomCallItem,
    "function_call_output": ResultItem, "custom_tool_call_output": ResultItem, "reasoning": ReasoningItem,
}  # fmt: skip
Item = Annotated[
    Annotated[MessageItem, Tag("message")]
    | Annotated[CallItem, Tag("function_call")]
    | Annotated[CustomCallItem, Tag("custom_tool_call")]
    | Annotated[ResultItem, Tag("function_call_output")]
    | Annotated[ResultItem, Tag("custom_tool_call_output")]
    | Annotated[ReasoningItem, Tag("reasoning")]
    | Annotated[LeftOutItem, Tag("left_out")],
    Discriminator(_kind),
]


def read_items(given: Sequence[Item]) -> list[Message]:
    """The conversation; consecutive calls form one message."""
    messages: list[Message] = []
    for place, item in enumerate(given):
        where = f"/input/{place}"
        match item:
            case MessageItem():
                messages.append(item.place_at(where))
            case CallItem() | CustomCallItem():
                call, last = item.call(), messages[-1] if messages else None
                if last is not None and last.role == "assistant":
                    messages[-1] = last.model_copy(update={"tool_calls": [*(last.tool_calls or ()), call]})
                else:
                    messages.append(Message(role="assistant", tool_calls=[call]).place_at(where))
            case ResultItem():
                messages.append(Message(role="tool", tool_call_id=item.call_id, content=item.output).place_at(where))
    return messages
