"""Messages of a chat × property names → the text that a model completes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol, runtime_checkable

from pydantic import ConfigDict, Field, PrivateAttr, model_validator

from frisket.chat_template import ChatTemplate
from frisket.errors import EngineError
from frisket.models import prompt as template
from frisket.models.embedded import Embedded
from frisket.models.protocol import Model
from frisket.server.body import Body
from frisket.server.failure import Failure


@runtime_checkable
class Templated(Protocol):
    """A model that was trained on turns."""

    @property
    def chat_template(self) -> ChatTemplate | None:
        """How its turns are written; None if the model knows no turns."""
        ...


def chat_template(model: Model) -> ChatTemplate | None:
    """How the model's turns are written; None if it knows no turns."""
    return model.chat_template if isinstance(model, Templated) else None


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
    prefix: bool | None = None
    partial: bool | None = None
    """Of the last message, whether the answer continues it: `prefix` as DeepSeek and Mistral say it, `partial` as
    Moonshot and Qwen do."""
    reasoning_content: str | None = None
    """Of no effect: models read the reasoning of earlier turns no more."""
    _where: str = PrivateAttr("/messages")

    def place_at(self, where: str) -> Message:
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


@dataclass(frozen=True)
class Conversation:
    """Messages before an answer. `variables` are what else the chat template reads."""

    messages: Sequence[Message]
    variables: Mapping[str, Any] = field(default_factory=dict)
    continues: bool | None = None
    """Whether the answer goes on with the last message, where the request itself says so."""

    @property
    def head(self) -> str | None:
        """The beginning of the answer, which is the last message; None if the answer is a message of its own."""
        last = self.messages[-1] if self.messages else None
        if last is None or not (self.continues or last.prefix or last.partial):
            return None
        if last.role != "assistant" or last.tool_calls:
            raise Failure(
                400, "only the text of an assistant can be continued", code="request", where=last._where,
                hint="let the last message be the beginning of the answer, or leave the field out",
            )  # fmt: skip
        return _content(last)


def render(
    model: Model,
    conversation: Conversation,
    keys: Sequence[str] | None,
    tools: Sequence[Mapping[str, Any]] = (),
    told: str = "",
    described: tuple[str, str] | None = None,
) -> str:
    """The prompt for a conversation. The names of the properties that are asked for follow its last message.

    `tools` are those that the model may call, as a chat template reads them. `told` describes them for models whose
    template does not, and that read more than names. `described` is a description of the answer, with its style.

    A model that knows no turns completes the conversation as one text: its instructions, then what was said.
    """
    messages, head = conversation.messages, conversation.head
    if head is not None:
        messages = messages[:-1]
    if not messages:
        raise Failure(400, "a conversation has at least one message", code="request", where="/messages")
    chat = chat_template(model)
    check_variables(chat, conversation.variables)
    reads_tools = chat is not None and "tools" in chat.variables
    turns = [_turn(message) if reads_tools else _as_text(message) for message in messages]
    if described is not None:
        turns[-1]["content"] = template.described(turns[-1]["content"], *described)
    if told and not reads_tools and not isinstance(model, Embedded):
        turns = [{"role": "system", "content": told}, *turns]
    if chat is not None:
        if described is None:
            turns[-1]["content"] = template.wish(turns[-1]["content"], keys)
        return _render_turns(chat, turns, list(tools) if reads_tools else [], conversation.variables, head)
    said = [turn["content"] for turn in turns] if len({turn["role"] for turn in turns} - {"system"}) < 2 else [
        turn["content"] if turn["role"] == "system" else f"{turn['role']}: {turn['content']}" for turn in turns
    ]  # fmt: skip
    return model.prompt("\n".join(said), None if described else keys) + (head or "")


#: What a request may say of reasoning, whether or not the template reads it: families do.
THINKS = ("enable_thinking", "thinking")


def check_variables(chat: ChatTemplate | None, variables: Mapping[str, Any]) -> None:
    """A Failure for a variable that the template does not read: it would be ignored."""
    read = sorted({*THINKS, *(chat.variables if chat else ())} - OWN)
    for name in variables:
        if name not in read:
            raise Failure(
                400, f"the chat template reads no {name!r}", code="request", where=f"/chat_template_kwargs/{name}",
                hint=f"leave it out; it reads {', '.join(read)}",
            )  # fmt: skip


#: Variables of templates that the server sets.
OWN = {"messages", "tools", "add_generation_prompt"}


def _render_turns(
    chat: ChatTemplate, turns: list[dict[str, Any]], tools: list[Mapping[str, Any]], variables: Mapping[str, Any],
    head: str | None,
) -> str:  # fmt: skip
    """The text of the turns, up to the end of the beginning of the answer."""
    begun = [] if head is None else [{"role": "assistant", "content": head}]
    try:
        text = chat.render([*turns, *begun], tools or None, add_generation_prompt=head is None, **variables)
    except EngineError as error:
        raise Failure(400, error.message, code="request", where="/messages", hint=error.hint) from error
    if not head:
        return text if head is None else chat.render(turns, tools or None, **variables)
    place = text.rfind(head.strip())
    if place < 0 or not head.strip():
        raise Failure(400, "the chat template changes the last message", code="request", where="/messages",
                      hint="let the answer be a message of its own")  # fmt: skip
    return text[:place] + head.lstrip()


def _turn(message: Message) -> dict[str, Any]:
    """A message as chat templates read it."""
    _role(message)
    found: dict[str, Any] = {"role": "system" if message.role == "developer" else message.role}
    found["content"] = "" if message.content is None else _content(message)
    if message.role == "tool":
        _check_result(message)
        found["tool_call_id"] = message.tool_call_id
        if message.name:
            found["name"] = message.name
    if message.tool_calls:
        _check_caller(message)
        found["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": name, "arguments": _read(arguments)}}
            for call, (name, arguments) in ((call, call.written()) for call in message.tool_calls)
        ]
    return found


def _read(arguments: str) -> Any:
    """Arguments as templates print them; those that an answer was cut in, as they are."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _as_text(message: Message) -> dict[str, Any]:
    """A message whose calls and results are text."""
    return {"role": _role(message), "content": _text(message)}


def _check_result(message: Message) -> None:
    if message.tool_call_id is None:
        raise Failure(400, "a tool's message names its call", code="request", where=f"{message._where}/tool_call_id")


def _check_caller(message: Message) -> None:
    if message.role != "assistant":
        raise Failure(400, "only an assistant calls tools", code="request", where=f"{message._where}/tool_calls")


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
        _check_result(message)
        return f"<tool_response>\n{text}\n</tool_response>"
    if message.tool_calls:
        _check_caller(message)
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
