"""The text of an answer, piece by piece → gains of its message: content, reasoning, calls and their arguments.

Without tools or reasoning, the message is the text. Otherwise the events of its grammar divide the text, for all
families in the same way, and every part is passed on as soon as it is certain.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from frisket import Grammar, Limits
from frisket.events import Closed, Event, Events, Grew, Opened
from frisket.extension import Text
from frisket.server.shape import AssistantMessage, Delta, ToolCall, ToolCallDelta
from frisket.server.tool import Offered, ToolOutput

Field = Literal["content", "reasoning", "call"]


@dataclass(frozen=True)
class Call:
    """A call of an answer."""

    index: int
    id: str
    tool: Offered


@dataclass(frozen=True)
class Gain:
    """An addition to a message: text of a field, the begin of a call, arguments of that call, or its end."""

    kind: Literal["content", "reasoning", "begin", "arguments", "end"]
    text: str = ""
    call: Call | None = None


class TextReply:
    """A message that is text only. The decode loop handles stop strings."""

    #: Whether a stop string has ended the message.
    stopped = False
    #: Number of calls with complete arguments.
    calls = 0

    @property
    def is_thinking(self) -> bool:
        """Whether the text so far ends inside reasoning."""
        return False

    def feed(self, text: str) -> Iterator[Gain]:
        """The gains that become certain with a piece of the text."""
        if text:
            yield Gain("content", text)

    def end(self, whole: bool) -> Iterator[Gain]:
        """The gains that become certain with the end of the text; `whole` if it is a text of the grammar."""
        yield from ()

    def field_of(self, start: int, end: int) -> Field | None:
        """The field of a token whose bytes stand at this place in the text; None while that is not certain."""
        return "content"

    def text_before_stop(self, text: str) -> str | None:
        """The text before the stop string; None if the message may end anywhere."""
        return text


class ToolReply(TextReply):
    """A message that may contain reasoning and calls.

    `stop` strings end the message; they are searched for in its content only. `head` is text that the prompt already
    has, and is not passed on.
    """

    def __init__(
        self, grammar: Grammar, output: ToolOutput, *, stop: Sequence[str] = (), head: str = "",
        limits: Limits | None = None,
    ) -> None:  # fmt: skip
        self._grammar, self._has_final = grammar, output.final is not None
        self._tools = {tool.name: tool for tool in output.tools}
        self._events = Events(grammar, limits=limits)
        self._text = ""
        self._read = 0
        self._trimmed = {"content": Trimmed(), "reasoning": Trimmed(joint="\n")}
        self._stop = Text()
        self._call: Call | None = None
        self._begun = 0
        self._arguments = Arguments()
        #: The field that grows, and the byte behind the text passed on so far.
        self._field: Literal["content", "reasoning"] | None = None
        self._place = 0
        #: First byte of a final answer in JSON.
        self._final: int | None = None
        self._is_final_whole = False
        self._said = ""
        self._spans: list[tuple[Field, int, int]] = []
        for _ in self.feed(head):
            pass
        data = head.encode()
        self._hidden, self._stop = len(data), Text(stop)
        self._said = "" if self._final is None else data[self._final :].decode()
        for field in self._trimmed.values():
            field.skip()

    def feed(self, text: str) -> Iterator[Gain]:
        data = text.encode()
        self._text += text
        for event in self._events.feed(text):
            yield from self._gains(event)
            if self.stopped:
                return
        if self._final is not None and not self._is_final_whole:
            begin = max(self._final - self._read, 0)
            yield from self._grow("content", data[begin:].decode())
        self._read += len(data)

    @property
    def is_thinking(self) -> bool:
        return self._field == "reasoning"

    def end(self, whole: bool) -> Iterator[Gain]:
        if whole and not self.stopped:
            for event in self._events.finish():
                yield from self._gains(event)
            if self._has_final and self._final is None and not self._begun:
                # A final answer that is not JSON has no events.
                yield from self._grow("content", self._grammar.value(self._text).content or "")
        yield from self._flush()
        self._place = self._read

    def field_of(self, start: int, end: int) -> Field | None:
        start, end = start + self._hidden, end + self._hidden
        if end > self._place:
            return None
        for field, begun, ended in self._spans:
            if start < ended and begun < end:
                return field
        return "call"

    def text_before_stop(self, text: str) -> str | None:
        return None if self._final is None else self._text.encode()[: self._final].decode() + self._said

    # -- events ------------------------------------------------------------------------------------------------------
    def _gains(self, event: Event) -> Iterator[Gain]:
        if self._final is not None:
            # A final answer is passed on in the spelling of the model.
            if isinstance(event, Closed) and not event.path:
                more = self._text.encode()[self._place : event.end]
                self._is_final_whole = True
                yield from self._grow("content", more.decode())
            return
        if self._call is not None:
            yield from self._argument(event, self._call)
        elif isinstance(event, Opened) and not event.path:
            self._final = self._place = event.start
        elif isinstance(event, Opened) and event.kind == "object":
            yield from self._flush()
            self._call = Call(self._begun, f"call_{secrets.token_hex(12)}", self._tools[str(event.path[0])])
            self._begun += 1
            yield Gain("begin", call=self._call)
            yield from self._argument(event, self._call)
        elif isinstance(event, Opened):
            self._field = "reasoning" if event.path == ("reasoning",) else "content"
            self._trimmed[self._field].begin()
            self._place = event.start
        elif isinstance(event, Grew) and self._field is not None:
            yield from self._grow(self._field, event.text)
        elif isinstance(event, Closed) and self._field is not None:
            self._trimmed[self._field].end()
            self._field, self._place = None, event.end

    def _argument(self, event: Event, call: Call) -> Iterator[Gain]:
        is_custom = call.tool.is_custom
        text = (
            event.text if is_custom and isinstance(event, Grew) else "" if is_custom else self._arguments.write(event)
        )
        if text:
            yield Gain("arguments", text, call)
        if not isinstance(event, Grew):
            self._place = event.end if isinstance(event, Closed) else event.start
        if isinstance(event, Closed) and len(event.path) == 1:
            self.calls += 1
            self._call = None
            yield Gain("end", call=call)

    def _grow(self, field: Literal["content", "reasoning"], text: str) -> Iterator[Gain]:
        """Gains of a field from a text, spelled as in the answer."""
        size = len(text.encode())
        if self._spans and self._spans[-1][0] == field and self._spans[-1][2] == self._place:
            self._spans[-1] = (field, self._spans[-1][1], self._place + size)
        else:
            self._spans.append((field, self._place, self._place + size))
        self._place += size
        more = self._trimmed[field].grow(text)
        if field == "content" and more:
            more = self._stop.feed(more.encode())
            self.stopped = self._stop.stopped
            self._said += more
        if more:
            yield Gain(field, more)

    def _flush(self) -> Iterator[Gain]:
        """The content that was held back because a stop string might have begun with it."""
        if held := self._stop.flush():
            yield Gain("content", held)


class Trimmed:
    """The texts of one field as one text, without blank texts, and without blanks at both ends.

    With a `joint`, each text is stripped of blanks, and the joint stands between two texts.

    >>> field = Trimmed()
    >>> [field.grow(piece) for piece in (" a", " ", "b ")]
    ['a', '', ' b']
    """

    def __init__(self, joint: str | None = None) -> None:
        self._joint = joint
        self._held = self._before = ""
        self._has_text = self._is_blank = False

    def begin(self) -> None:
        """Begin one more text."""
        self._held = self._held if self._joint is None else ""
        self._before, self._is_blank = self._held, True

    def grow(self, text: str) -> str:
        """The text of the field that becomes certain with one more piece."""
        text = self._held + text
        kept = text.rstrip()
        self._held = text[len(kept) :]
        if not kept:
            return ""
        is_first = self._joint is not None and self._is_blank
        found = kept.lstrip() if is_first or not self._has_text else kept
        joint = self._joint if is_first and self._has_text else None
        self._has_text, self._is_blank = True, False
        return (joint or "") + found

    def skip(self) -> None:
        """Skip the blanks so far, which come before the field's text."""
        self._held = self._before = ""

    def end(self) -> None:
        """End the current text."""
        if self._is_blank:
            self._held = self._before


class Arguments:
    """Events of a call's arguments → their JSON, as `json.dumps` writes it, piece by piece.

    >>> arguments = Arguments()
    >>> text = '{"a":"x","b":[1,2]}'
    >>> "".join(arguments.write(event) for event in Events().feed(text))
    '{"a": "x", "b": [1, 2]}'
    """

    def __init__(self) -> None:
        #: Number of values in each open container.
        self._counts: list[int] = []
        self._kinds: list[str] = []

    def write(self, event: Event) -> str:
        """The JSON of one event."""
        if isinstance(event, Grew):
            return json.dumps(event.text, ensure_ascii=False)[1:-1]
        if isinstance(event, Opened):
            found = self._before(event)
            self._kinds.append(event.kind)
            self._counts.append(0)
            return found + {"object": "{", "array": "[", "string": '"'}.get(event.kind, "")
        self._counts.pop()
        closer = {"object": "}", "array": "]", "string": '"'}.get(self._kinds.pop())
        return closer or json.dumps(event.value)

    def _before(self, event: Opened) -> str:
        """The text before a value: a comma, a key."""
        if not self._counts:
            return ""
        self._counts[-1] += 1
        comma = ", " if self._counts[-1] > 1 else ""
        key = f"{json.dumps(event.path[-1], ensure_ascii=False)}: " if self._kinds[-1] == "object" else ""
        return comma + key


# -- OpenAI's shapes ---------------------------------------------------------------------------------------------------
def delta(gain: Gain) -> Delta | None:
    """The gain in a chat event; None for the end of a call, which OpenAI's events omit."""
    if gain.kind == "content":
        return {"content": gain.text}
    if gain.kind == "reasoning":
        return {"reasoning_content": gain.text}
    call = gain.call
    if call is None or gain.kind == "end":
        return None
    found: ToolCallDelta = {"index": call.index}
    if gain.kind == "begin":
        found["id"], found["type"] = call.id, "custom" if call.tool.is_custom else "function"
    name = {"name": call.tool.name} if gain.kind == "begin" else {}
    if call.tool.is_custom:
        found["custom"] = {**name, "input": gain.text}  # type: ignore[typeddict-item]
    else:
        found["function"] = {**name, "arguments": gain.text}  # type: ignore[typeddict-item]
    return {"tool_calls": [found]}


def gathered(gains: Sequence[Gain], *, tools: bool) -> AssistantMessage:
    """The whole message, without a call that was cut."""
    texts = {"content": "", "reasoning": ""}
    arguments: dict[int, str] = {}
    calls: list[ToolCall] = []
    for gain in gains:
        if gain.call is None:
            texts[gain.kind] += gain.text
            continue
        call, index = gain.call, gain.call.index
        arguments[index] = arguments.get(index, "") + gain.text
        if gain.kind == "end" and call.tool.is_custom:
            custom = {"name": call.tool.name, "input": arguments[index]}
            calls.append({"id": call.id, "type": "custom", "custom": custom})  # type: ignore[typeddict-item]
        elif gain.kind == "end":
            function = {"name": call.tool.name, "arguments": arguments[index]}
            calls.append({"id": call.id, "type": "function", "function": function})  # type: ignore[typeddict-item]
    content = texts["content"]
    message: AssistantMessage = {
        "role": "assistant",
        "content": (content or None) if tools else content,
        "refusal": None,
    }
    if texts["reasoning"]:
        message["reasoning_content"] = texts["reasoning"]
    if calls:
        message["tool_calls"] = calls
    return message
