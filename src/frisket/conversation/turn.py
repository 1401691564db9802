"""A message of a chat, as clients write it → Turn.

A message may be a dict, an object of the openai package, or the `Message` of an earlier answer. `generate` and the
server use this one reader.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from frisket.errors import ConversationError
from frisket.tools.message import Message


class Dumpable(Protocol):
    """An object that can turn itself into a dict, such as a message of the openai package."""

    def model_dump(self) -> dict[str, Any]:
        """The object as a dict."""
        ...


ChatMessage: TypeAlias = Mapping[str, Any] | Dumpable | Message
"""A message: a dict with `role` and `content`, a message of the openai package, or an answer of `tools=`."""

#: Roles in clients' messages → roles that chat templates read.
ROLES = {"developer": "system", "system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
#: Types of message parts that are text.
TEXTS = ("text", "input_text", "output_text")
#: Fields that are read, and fields that are ignored, since they do not affect the prompt.
FIELDS = {
    *("role", "content", "name", "tool_calls", "tool_call_id", "prefix", "partial", "reasoning_content"),
    *("id", "type", "status", "phase", "refusal", "cache_control", "metadata"),
}
_EMPTY: tuple[Any, ...] = (None, False, "", [], {})


@dataclass(frozen=True)
class Called:
    """A call of an earlier answer. `arguments` is JSON, or the text of it if the answer was cut inside."""

    id: str
    name: str
    arguments: Any

    @property
    def text(self) -> str:
        """The arguments as JSON text."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Turn:
    """One message before an answer.

    >>> Turn.of({"role": "developer", "content": [{"type": "text", "text": "Be brief."}]})
    Turn(role='system', content='Be brief.')
    """

    role: str
    content: str = ""
    calls: tuple[Called, ...] = field(default=(), repr=False)
    call_id: str | None = field(default=None, repr=False)
    """In a tool's message: the id of the call to which it is the result."""
    name: str | None = field(default=None, repr=False)
    """In a tool's message: the name of the tool, if the message has it."""
    reasoning: str | None = field(default=None, repr=False)
    continues: bool = field(default=False, repr=False)
    """Whether the answer continues this message. DeepSeek and Mistral name the field `prefix`, Moonshot and Qwen
    `partial`."""
    where: str = field(default="", repr=False, compare=False)
    """The JSON pointer to the message in the client's request."""

    @classmethod
    def of(cls, source: Any, where: str = "") -> Turn:
        """The message at that JSON pointer; ConversationError names a part of it that no model could read."""
        if isinstance(source, Message):
            calls = tuple(Called(call.id, call.name, call.arguments) for call in source.calls)
            return cls("assistant", _answer(source), calls, reasoning=source.reasoning, where=where)
        message = _fields(source, where)
        said = message.get("role")
        if not isinstance(said, str) or said not in ROLES:
            raise ConversationError(
                f"the role {said!r} is unknown" if "role" in message else "the message has no role",
                code="unsupported", where=f"{where}/role", hint=f"write one of {', '.join(ROLES)}",
            )  # fmt: skip
        role = ROLES[said]
        if role in ("user", "system"):
            # Every field of a user's message must be read, since an unread one could be a picture.
            for key, value in message.items():
                if key not in FIELDS and value not in _EMPTY:
                    raise _error(f"a message has no field {key!r}", where, "leave it out, or write it into content")
            if message.get("content") is None:
                raise _error(f"a message of the {role} has a content", f"{where}/content", "write its text there")
        call_id, name = message.get("tool_call_id"), message.get("name")
        if role == "tool" and not isinstance(call_id, str):
            raise _error("a tool's message names its call", f"{where}/tool_call_id", "write the id of the call there")
        calls = tuple(_calls(message.get("tool_calls"), f"{where}/tool_calls"))
        if calls and role != "assistant":
            raise _error("only an assistant calls tools", f"{where}/tool_calls", "leave it out")
        reasoning = message.get("reasoning_content")
        return cls(
            role, _text(message.get("content"), f"{where}/content"), calls,
            call_id=call_id if role == "tool" else None,
            name=name if role == "tool" and isinstance(name, str) else None,
            reasoning=reasoning if role == "assistant" and isinstance(reasoning, str) else None,
            continues=bool(message.get("prefix") or message.get("partial")), where=where,
        )  # fmt: skip

    def for_template(self) -> dict[str, Any]:
        """The message in the form that chat templates read."""
        found: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.call_id is not None:
            found["tool_call_id"] = self.call_id
        if self.name:
            found["name"] = self.name
        if self.reasoning:
            found["reasoning_content"] = self.reasoning
        if self.calls:
            found["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in self.calls
            ]
        return found

    def as_text(self) -> dict[str, Any]:
        """The message for templates without tools: calls and results are text, and the user says the results."""
        if self.role == "tool":
            return {"role": "user", "content": f"<tool_response>\n{self.content}\n</tool_response>"}
        calls = [
            f'<tool_call>\n{{"name": {json.dumps(call.name)}, "arguments": {call.text}}}\n</tool_call>'
            for call in self.calls
        ]
        return {
            "role": self.role,
            "content": "\n".join([*([self.content] if self.content or not calls else []), *calls]),
        }


def read_turns(messages: Any, where: str = "/messages") -> tuple[Turn, ...]:
    """The messages of a conversation at that JSON pointer; ConversationError if they are no messages."""
    if isinstance(messages, Mapping) or _is_object(messages):
        raise _error("messages are a list, and this is one message", where, "write [message]")
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        raise _error(f"messages are a list, got {type(messages).__name__}", where, EXAMPLE)
    if not messages:
        raise _error("a conversation has at least one message", where, EXAMPLE)
    turns = tuple(Turn.of(message, f"{where}/{place}") for place, message in enumerate(messages))
    _check_results(turns)
    return turns


def _check_results(turns: Sequence[Turn]) -> None:
    """ConversationError for the result of a call that no message before it has made."""
    made: dict[str, None] = {}
    for turn in turns:
        made.update(dict.fromkeys(call.id for call in turn.calls))
        if turn.call_id is not None and turn.call_id not in made:
            hint = f"the calls are {', '.join(made)}" if made else "the assistant's message with the call comes first"
            raise _error(f"no message before makes the call {turn.call_id!r}", f"{turn.where}/tool_call_id", hint)


EXAMPLE = 'write [{"role": "user", "content": "…"}]'


def _error(message: str, where: str, hint: str | None = None) -> ConversationError:
    return ConversationError(message, where=where, hint=hint)


def _is_object(source: Any) -> bool:
    return isinstance(source, Message) or (
        callable(getattr(source, "model_dump", None)) and not isinstance(source, type)
    )


def _fields(source: Any, where: str) -> Mapping[str, Any]:
    """A message as a mapping."""
    found = source.model_dump() if _is_object(source) else source
    if isinstance(found, Mapping):
        return found
    raise _error(f"a message is a dict with a role and a content, got {type(source).__name__}", where, EXAMPLE)


def _answer(message: Message) -> str:
    """The text of an answer; a final value is written as JSON again."""
    if message.content is not None or message.final is None:
        return message.content or ""
    final = message.final.model_dump(mode="json") if _is_object(message.final) else message.final
    return final if isinstance(final, str) else json.dumps(final, ensure_ascii=False, default=str)


def _text(content: Any, where: str) -> str:
    """The text of a message's content, which may come in parts."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, Sequence):
        raise _error(f"the content of a message is a text, got {type(content).__name__}", where,
                     "write a value as text: json.dumps(value)")  # fmt: skip
    texts = []
    for number, part in enumerate(content):
        kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
        if not isinstance(part, Mapping) or kind not in TEXTS or not isinstance(part.get("text"), str):
            raise ConversationError(
                f"a part of type {kind!r} is not read",
                code="unsupported",
                where=f"{where}/{number}",
                hint="send text",
            )
        texts.append(part["text"])
    return "\n".join(texts)


def _calls(calls: Any, where: str) -> list[Called]:
    """The calls of an assistant's message."""
    if calls is not None and (not isinstance(calls, Sequence) or isinstance(calls, str)):
        raise _error("the calls of a message are a list", where, "write what `to_openai` of each call says")
    return [_called(call, f"{where}/{place}") for place, call in enumerate(calls or ())]


def _called(call: Any, where: str) -> Called:
    call = _fields(call, where)
    inner = call.get("custom") if call.get("type") == "custom" else call.get("function")
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(inner, Mapping) or not isinstance(name, str):
        raise _error(
            "a call has a function with its name and arguments", where, "write what `to_openai` of the call says"
        )
    if call.get("type") == "custom":
        return Called(str(call.get("id")), name, {"input": inner.get("input")})
    return Called(str(call.get("id")), name, _arguments(inner.get("arguments")))


def _arguments(given: Any) -> Any:
    """Arguments in the form that templates print; their text if the answer was cut inside them."""
    if not isinstance(given, str):
        return {} if given is None else given
    try:
        return json.loads(given)
    except ValueError:
        return given
