"""Messages of a chat × property names → the text that a model completes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from frisket.models import prompt as template
from frisket.models.embedded import Embedded
from frisket.models.protocol import Model
from frisket.server.body import Body
from frisket.server.failure import Failure


@runtime_checkable
class Chats(Protocol):
    """A model that was trained on turns."""

    def chat(self, turns: Sequence[dict[str, str]]) -> str | None:
        """The text to complete after some turns, `role` and `content` of each; None if the model knows no turns."""
        ...


class CalledFunction(Body):
    name: str
    arguments: str


class Call(Body):
    """A call that an earlier answer held."""

    id: str
    type: Literal["function"]
    function: CalledFunction
    index: int | None = None


class Message(Body):
    """One turn."""

    role: str
    content: str | list[dict[str, Any]] | None = None
    name: str | None = None
    type: str | None = None
    refusal: Any = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None
    reasoning_content: str | None = None
    """Of no effect: models read the reasoning of earlier turns no more."""


ROLES = {"developer": "system", "system": "system", "user": "user", "assistant": "assistant", "tool": "user"}
#: The parts of a message that are text.
TEXTS = ("text", "input_text", "output_text")


def render(
    model: Model,
    messages: Sequence[Message],
    keys: Sequence[str] | None,
    tools: str = "",
    described: tuple[str, str] | None = None,
) -> str:
    """The prompt for a conversation. The names of the properties that are asked for follow its last message.

    `tools` describes what the model may call, for models that read more than names. `described` is a description of the
    answer, with its style.

    A model that knows no turns completes the conversation as one text: its instructions, then what was said.
    """
    if not messages:
        raise Failure(400, "a conversation has at least one message", code="request", where="messages")
    turns = [
        {"role": _role(message, place), "content": _text(message, place)} for place, message in enumerate(messages)
    ]
    if described is not None:
        keys = None
        turns[-1]["content"] = template.described(turns[-1]["content"], *described)
    if tools and not isinstance(model, Embedded):
        turns = [{"role": "system", "content": tools}, *turns]
    if isinstance(model, Chats):
        last = {**turns[-1], "content": template.wish(turns[-1]["content"], keys)}
        told = model.chat([*turns[:-1], last])
        if told is not None:
            return told
    said = [turn["content"] for turn in turns] if len({turn["role"] for turn in turns} - {"system"}) < 2 else [
        turn["content"] if turn["role"] == "system" else f"{turn['role']}: {turn['content']}" for turn in turns
    ]  # fmt: skip
    return model.prompt("\n".join(said), keys)


def _role(message: Message, place: int) -> str:
    role = ROLES.get(message.role)
    if role is None:
        raise Failure(
            400, f"the role {message.role!r} is not served", code="unsupported", where=f"messages/{place}/role",
            hint=f"one of {', '.join(ROLES)}",
        )  # fmt: skip
    return role


def _text(message: Message, place: int) -> str:
    text = "" if message.content is None else _content(message, place)
    if message.role == "tool":
        if message.tool_call_id is None:
            raise Failure(
                400, "a tool's message names its call", code="request", where=f"messages/{place}/tool_call_id"
            )
        return f"<tool_response>\n{text}\n</tool_response>"
    if message.tool_calls and message.role != "assistant":
        raise Failure(400, "only an assistant calls tools", code="request", where=f"messages/{place}/tool_calls")
    calls = [call.function for call in message.tool_calls or ()]
    called = [
        f'<tool_call>\n{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}\n</tool_call>'
        for call in calls
    ]
    return "\n".join([*([text] if text or not called else []), *called])


def _content(message: Message, place: int) -> str:
    if isinstance(message.content, str):
        return message.content
    texts = []
    for number, part in enumerate(message.content or ()):
        if part.get("type") not in TEXTS or not isinstance(part.get("text"), str):
            raise Failure(
                400, f"a part of type {part.get('type')!r} is not served", code="unsupported",
                where=f"messages/{place}/content/{number}", hint="send text",
            )  # fmt: skip
        texts.append(part["text"])
    return "\n".join(texts)
