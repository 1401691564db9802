"""Input items of a response → the messages of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from frisket.server.body import Body
from frisket.server.conversation import Call, CalledFunction, Message

Status = Literal["in_progress", "completed", "incomplete"]


class MessageItem(Message):
    """What somebody said; as a client sends it, or as it got it."""

    type: Literal["message"] | None = None
    id: str | None = None
    status: Status | None = None
    phase: str | None = None


class CallItem(Body):
    """A call that an earlier response held."""

    type: Literal["function_call"]
    call_id: str
    name: str
    arguments: str
    id: str | None = None
    status: Status | None = None


class ResultItem(Body):
    """What a call has returned."""

    type: Literal["function_call_output"]
    call_id: str
    output: str | list[dict[str, Any]]
    id: str | None = None
    status: Status | None = None


class ReasoningItem(Body):
    """Reasoning of an earlier response: models read it no more."""

    type: Literal["reasoning"]
    id: str | None = None
    summary: list[dict[str, Any]] | None = None
    content: list[dict[str, Any]] | None = None
    status: Status | None = None
    encrypted_content: str | None = None


def _kind(item: Any) -> Any:
    return (item.get("type") if isinstance(item, dict) else getattr(item, "type", None)) or "message"


Item = Annotated[
    Annotated[MessageItem, Tag("message")]
    | Annotated[CallItem, Tag("function_call")]
    | Annotated[ResultItem, Tag("function_call_output")]
    | Annotated[ReasoningItem, Tag("reasoning")],
    Discriminator(_kind),
]


def read_items(given: Sequence[Item]) -> list[Message]:
    """The conversation; calls that follow each other are those of one message."""
    messages: list[Message] = []
    for item in given:
        match item:
            case MessageItem():
                messages.append(item)
            case CallItem():
                function = CalledFunction(name=item.name, arguments=item.arguments)
                call = Call(id=item.call_id, type="function", function=function)
                last = messages[-1] if messages else None
                if last is not None and last.role == "assistant":
                    messages[-1] = last.model_copy(update={"tool_calls": [*(last.tool_calls or ()), call]})
                else:
                    messages.append(Message(role="assistant", tool_calls=[call]))
            case ResultItem():
                messages.append(Message(role="tool", tool_call_id=item.call_id, content=item.output))
    return messages
