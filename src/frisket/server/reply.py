"""The text of an answer, in pieces → the fields of its message, each as soon as it is certain."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Literal, cast

from frisket.errors import MessageSyntaxError
from frisket.grammar import CompiledGrammar, Grammar
from frisket.server.shape import AssistantMessage, Delta, ToolCall
from frisket.server.tool import ToolOutput
from frisket.thinking import Thinking
from frisket.tools import Message, family
from frisket.tools.template import Hole, Special, Text, pieces_of


class TextReply:
    """A message that is its text."""

    @property
    def called(self) -> bool:
        """Whether a tool was called."""
        return False

    def feed(self, text: str) -> Iterator[Delta]:
        """What a piece of the text makes certain."""
        if text:
            yield {"content": text}

    def end(self, whole: bool) -> Iterator[Delta]:
        """What the end of the text makes certain; `whole` if it is a text of the grammar."""
        yield from ()


class ToolReply(TextReply):
    """A message that may hold reasoning and calls.

    Reasoning and the text before the first call are certain character by character where markers announce a call;
    in other formats, at the end. A call comes in one piece, once it is complete.
    """

    def __init__(self, grammar: Grammar, output: ToolOutput) -> None:
        self._grammar = grammar
        self._family = family(output.family)
        self._text = ""
        self._sent = {"reasoning_content": "", "content": ""}
        self._calls = 0
        #: Where the message goes on after its reasoning; None while that is not certain.
        self._begin = 0 if self._family.thinking is None or output.said is Thinking.CLOSED else None
        self._opened = output.said is Thinking.OPEN
        self._closers = _closers(self._family.calls, self._family.call)

    @property
    def called(self) -> bool:
        return self._calls > 0

    def feed(self, text: str) -> Iterator[Delta]:
        self._text += text
        if not text or not self._family.trigger:
            return
        if self._begin is None:
            yield from self._reasoning()
        if self._begin is None:
            return
        said = self._text[self._begin :]
        if self._family.trigger not in said:
            yield from self._more("content", _certain(said, self._family.trigger))
        elif self._text.rstrip().endswith(self._closers):
            try:
                message = self._grammar.value(self._text)
            except MessageSyntaxError:
                return  # what looks like the end of a call stands inside of it
            yield from self._called(message)

    def end(self, whole: bool) -> Iterator[Delta]:
        if whole:
            message = self._grammar.value(self._text)
            yield from self._more("reasoning_content", message.reasoning or "")
            yield from self._more("content", message.content or "")
            yield from self._called(message)
        elif self._begin is not None and self._family.trigger:
            # The beginning of a call is no call, and no text either.
            said = self._text[self._begin :]
            yield from self._more("content", said.partition(self._family.trigger)[0])

    def _reasoning(self) -> Iterator[Delta]:
        assert self._family.thinking is not None
        start, end = (marker.strip() for marker in self._family.thinking)
        text = self._text.lstrip()
        if not self._opened and not text.startswith(start):
            if not start.startswith(text):
                self._begin = 0
            return
        reasoning = text if self._opened else text[len(start) :]
        yield from self._more("reasoning_content", _certain(reasoning, end))
        if end in reasoning:
            self._begin = self._text.index(end) + len(end)

    def _more(self, name: Literal["reasoning_content", "content"], text: str) -> Iterator[Delta]:
        """What a field has gained; blanks around it are not its own."""
        text, sent = text.strip(), self._sent[name]
        if len(text) > len(sent) and text.startswith(sent):
            self._sent[name] = text
            more = text[len(sent) :]
            yield {"content": more} if name == "content" else {"reasoning_content": more}

    def _called(self, message: Message) -> Iterator[Delta]:
        for number in range(self._calls, len(message.calls)):
            call = cast("ToolCall", message.calls[number].to_openai())
            if not self._family.id:
                # Unlike `call_0`, it is unique in a conversation.
                call["id"] = f"call_{secrets.token_hex(12)}"
            yield {"tool_calls": [{"index": number, **call}]}
        self._calls = max(self._calls, len(message.calls))


def reply(grammar: CompiledGrammar | None, output: ToolOutput | None) -> TextReply:
    """What reads an answer."""
    return TextReply() if grammar is None or output is None else ToolReply(grammar.grammar, output)


def gathered(deltas: list[Delta], *, tools: bool) -> AssistantMessage:
    """The whole message of its deltas."""
    content = "".join(one.get("content", "") for one in deltas)
    reasoning = "".join(one.get("reasoning_content", "") for one in deltas)
    calls = [call for one in deltas for call in one.get("tool_calls", ())]
    message: AssistantMessage = {
        "role": "assistant",
        "content": (content or None) if tools else content,
        "refusal": None,
    }
    if reasoning:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = [
            {"id": call["id"], "type": call["type"], "function": call["function"]} for call in calls
        ]
    return message


def _certain(text: str, marker: str) -> str:
    """The text before a marker, or before what may be the beginning of one."""
    before, found, _ = text.partition(marker)
    if found:
        return before
    held = next((n for n in range(min(len(marker) - 1, len(text)), 0, -1) if text.endswith(marker[:n])), 0)
    return text[: len(text) - held]


def _closers(calls: str, templates: tuple[str, ...]) -> tuple[str, ...]:
    """The last words of a section of calls, one for each way to write it."""
    ways = [calls] if pieces_of(calls)[-1] != Hole("calls") else list(templates)
    last = [pieces_of(way)[-1] for way in ways]
    found = [
        piece.text if isinstance(piece, Text) else piece.name for piece in last if isinstance(piece, Text | Special)
    ]
    # Without a literal at its end, a call ends with its arguments.
    return tuple({text.split()[-1] for text in found if text.strip()}) or ("}", ")")
