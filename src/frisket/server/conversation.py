"""Messages of a request → the turns that the library renders; these × property names → the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, PrivateAttr

from frisket.extension import THINKS, Conversation, Turn, chat_template
from frisket.models import ChatTemplate, Model
from frisket.server.body import Body
from frisket.server.failure import Failure


class CalledFunction(Body):
    name: str
    arguments: str


class CalledCustom(Body):
    name: str
    input: str


class History(Body):
    """A part of an earlier answer. Other servers add fields of their own to it, which do not affect the next answer."""

    model_config = ConfigDict(extra="allow")


class FunctionCall(History):
    """A function call in an earlier answer."""

    id: str
    type: Literal["function"]
    function: CalledFunction
    index: int | None = None


class CustomCall(History):
    """A call of a custom tool in an earlier answer."""

    id: str
    type: Literal["custom"]
    custom: CalledCustom
    index: int | None = None


Call = Annotated[FunctionCall | CustomCall, Field(discriminator="type")]


class Message(History):
    """One message of a conversation. Those of the assistant and of tools are history, and may have unknown fields."""

    role: str
    content: str | list[dict[str, Any]] | None = None
    name: str | None = None
    type: str | None = None
    refusal: Any = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None
    prefix: bool | None = None
    partial: bool | None = None
    """In the last message: whether the answer continues it. DeepSeek and Mistral name the field `prefix`, Moonshot and
    Qwen `partial`."""
    reasoning_content: str | None = None
    """Reasoning of an earlier answer, for chat templates that read it."""
    _where: str = PrivateAttr("/messages")

    def place_at(self, where: str) -> Message:
        """The message, with its place in the request for errors."""
        self._where = where
        return self

    @property
    def turn(self) -> Turn:
        """The message as a turn of the library's conversation."""
        return Turn.of(self.model_dump(exclude_none=True), self._where)


def render(
    model: Model,
    conversation: Conversation,
    keys: Sequence[str] | None,
    described: tuple[str, str] | None = None,
) -> str:
    """The prompt for a conversation. The names of the requested properties follow its last message.

    `described` is (a description of the answer, its style).
    """
    check_variables(chat_template(model), conversation.variables)
    return conversation.render(model, keys, described=described)


def check_variables(chat: ChatTemplate | None, variables: Mapping[str, Any]) -> None:
    """A Failure for a variable that the template does not read, and so would ignore."""
    read = sorted({*THINKS, *(chat.variables if chat else ())} - OWN)
    for name in variables:
        if name not in read:
            raise Failure(
                400, f"the chat template reads no {name!r}", code="request", where=f"/chat_template_kwargs/{name}",
                hint=f"leave it out; it reads {', '.join(read)}",
            )  # fmt: skip


#: Template variables that the server sets itself.
OWN = {"messages", "tools", "add_generation_prompt"}
