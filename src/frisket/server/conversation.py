"""Messages of a chat × property names → the text that a model completes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol, runtime_checkable

from pydantic import ConfigDict, Field, PrivateAttr, model_validator

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


class CalledCustom(Body):
    name: str
    input: str


class History(Body):
    """What an earlier answer held. Other servers add fields of their own, which say nothing of the next answer."""

    model_config = ConfigDict(extra="allow")


class FunctionCall(History):
    """A call of a function that an earlier answer held."""

    id: str
    type: Literal["function"]
    function: CalledFunction
    index: int | None = None

    def written(self) -> tuple[str, str]:
        """The name and the arguments as JSON."""
        return self.function.name, self.function.arguments


class CustomCall(History):
    """A call of a custom tool that an earlier answer held."""

    id: str
    type: Literal["custom"]
    custom: CalledCustom
    index: int | None = None

    def written(self) -> tuple[str, str]:
        """The name and the arguments as JSON."""
        return self.custom.name, json.dumps({"input": self.custom.input}, ensure_ascii=False)


Call = Annotated[FunctionCall | CustomCall, Field(discriminator="type")]


class Message(History):
    """One turn. Of an assistant and of a tool it is history."""

    role: str
    content: str | list[dict[str, Any]] | None = None
    name: str | None = None
    type: str | None = None
    refusal: Any = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None
    reasoning_content: str | None = None
    """Of no effect: models read the reasoning of earlier turns no more."""
    _where: str = PrivateAttr("/messages")

    def at(self, where: str) -> Message:
        """The same message, which stands there in the request."""
        self._where = where
        return self

    @model_validator(mode="after")
    def _is_read(self) -> Message:
        """What a user says is read in full: a field that nobody reads could be a picture."""
        for name, value in (self.model_extra or {}).items():
            if self.role in ("user", "system", "developer") and name not in MARKS and value not in SAYS_NOTHING:
                raise ValueError(f"a message has no field {name!r}")
        return self


#: Fields of messages that say nothing of their meaning, and values that say nothing.
MARKS = ("id", "cache_control", "metadata")
SAYS_NOTHING: tuple[Any, ...] = (None, False, "", [], {})
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
        raise Failure(400, "a conversation has at least one message", code="request", where="/messages")
    turns = [{"role": _role(message), "content": _text(message)} for message in messages]
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


def _role(message: Message) -> str:
    role = ROLES.get(message.role)
    if role is None:
        raise Failure(
            400, f"the role {message.role!r} is not served", code="unsupported", where=f"{message._where}/role",
            hint=f"one of {', '.join(ROLES)}",
        )  # fmt: skip
    return role


def _text(message: Message) -> str:
    text = "" if message.content is None else _content(message)
    if message.role == "tool":
        if message.tool_call_id is None:
            raise Failure(
                400, "a tool's message names its call", code="request", where=f"{message._where}/tool_call_id"
            )
        return f"<tool_response>\n{text}\n</tool_response>"
    if message.tool_calls and message.role != "assistant":
        raise Failure(400, "only an assistant calls tools", code="request", where=f"{message._where}/tool_calls")
    called = [
        f'<tool_call>\n{{"name": {json.dumps(name)}, "arguments": {arguments}}}\n</tool_call>'
        for name, arguments in (call.written() for call in message.tool_calls or ())
    ]
    return "\n".join([*([text] if text or not called else []), *called])


def _content(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    texts = []
    for number, part in enumerate(message.content or ()):
        if part.get("type") not in TEXTS or not isinstance(part.get("text"), str):
            raise Failure(
                400, f"a part of type {part.get('type')!r} is not served", code="unsupported",
                where=f"{message._where}/content/{number}", hint="send text",
            )  # fmt: skip
        texts.append(part["text"])
    return "\n".join(texts)
