"""Chat template × case → the end of the prompt and what the assistant writes after it, rendered by Jinja."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from frisket.chat_template import ChatTemplate
from frisket.errors import EngineError
from frisket.tools import Family

from .case import CONTENT, REASONING, TOOLS, WEATHER, Case

ASKED: list[dict[str, Any]] = [{"role": "user", "content": "What is the weather?"}]


@dataclass(frozen=True)
class Style:
    """How clients write the parts of a message that templates read differently."""

    content: str | None
    """The content of a message that is nothing but calls."""
    is_text: bool
    """Whether arguments are JSON as text."""
    describes: bool = True
    """Whether the prompt describes the tools: some templates need functions for it that only their vendor has."""


#: In the order of preference; the first with which a template writes a call is its style.
STYLES = tuple(
    Style(content, is_text, describes)
    for describes in (True, False)
    for is_text in (False, True)
    for content in (None, "")
)
#: Variables of templates that only their vendors' own code gives.
VARIABLES: dict[str, Any] = {
    "bos_token": "<s>",
    "functions": "",
    "datetime": "",
    "generate_schema_from_functions": lambda functions: "",
}
_CALL = Case("", (WEATHER,))
REASONING_KEYS = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True)
class Turn:
    """One turn of the assistant as the template writes it."""

    prompt: str
    """The text before the turn, as far as the turn's text goes on from it."""
    text: str
    """What the model writes, up to the family's stop."""


def common_prefix(first: str, second: str) -> str:
    """The text with which both begin."""
    length = next((place for place, pair in enumerate(zip(first, second, strict=False)) if len(set(pair)) > 1), None)
    return min(first, second, key=len) if length is None else first[:length]


def without_empty_reasoning(text: str, family: Family) -> str:
    """The text after reasoning that ends where it begins, as templates write it to switch thinking off."""
    if family.thinking is None:
        return text
    start, end = map(re.escape, family.thinking)
    return re.sub(rf"\A\s*(?:{start}\s*)?{end}", "", text)


class Rendering:
    """One template as one family writes its messages."""

    def __init__(self, template: str, family: Family, variables: dict[str, Any] | None = None) -> None:
        end = family.stops[0] if family.stops else "</s>"
        self.template = ChatTemplate(template, {**VARIABLES, "eos_token": end, **(variables or {})})
        self.family = family

    @cached_property
    def style(self) -> Style | None:
        """How messages with calls are written for this template; None if it writes no calls."""
        for style in STYLES:
            try:
                text = self._after(_CALL, style, None)
            except EngineError:
                continue
            if WEATHER[0] in text and "Rome" in text and "None" not in text and "&#34;" not in text:
                return style
        return None

    @cached_property
    def reasoning_key(self) -> str | None:
        """The key under which the template finds reasoning; None if it writes none."""
        for key in REASONING_KEYS:
            for case in (_CALL, Case("", content=CONTENT)):
                if case.calls and self.style is None:
                    continue
                try:
                    text = self._after(case, self.style or STYLES[0], key)
                except EngineError:
                    continue
                if REASONING in text:
                    return key
        return None

    def turn(self, case: Case, is_thinking: bool) -> Turn:
        """The turn of a case; EngineError if the template refuses it."""
        style = self.style or Style(None, False, False)
        message = self._message(case, style, self.reasoning_key if is_thinking else None)
        prompt = self._rendered(case, style, [], is_thinking, True)
        whole = self._rendered(case, style, [message], is_thinking, False)
        if whole.startswith(prompt):
            return Turn(prompt, self._cut(whole[len(prompt) :]))
        header = self._without_half_a_marker(common_prefix(prompt, whole))
        # Some prompts hold a turn of the system that is not written into the past: the answer stands behind what asks.
        asks = prompt.removeprefix(self._rendered(case, style, [], is_thinking, False))
        place = whole.find(asks, max(0, len(header) - len(asks))) if asks else -1
        if 0 <= place <= len(header):
            header = whole[: place + len(asks)]
        text = self._cut(whole[len(header) :])
        closed = without_empty_reasoning(text, self.family)
        if closed != text and without_empty_reasoning(prompt[len(header) :], self.family).strip() == "":
            return Turn(prompt, closed)  # the prompt and the turn close the reasoning, each in its own way
        return Turn(header, text)

    def _cut(self, text: str) -> str:
        # A stop that begins another part of the same turn does not end it.
        stops = "|".join(re.escape(stop) for stop in self.family.stops)
        more = f"(?!{re.escape(self.family.turn)})" if self.family.turn else ""
        found = re.search(f"(?:{stops}){more}", text) if stops else None
        return text[: found.start()] if found else text

    def _without_half_a_marker(self, text: str) -> str:
        for marker in self.family.markers:
            for length in range(len(marker) - 1, 0, -1):
                if text.endswith(marker[:length]):
                    return text[:-length]
        return text

    def _after(self, case: Case, style: Style, reasoning_key: str | None) -> str:
        """What the template writes for a case after the user's message."""
        is_thinking = reasoning_key is not None
        before = self._rendered(case, style, [], is_thinking, False)
        whole = self._rendered(case, style, [self._message(case, style, reasoning_key)], is_thinking, False)
        return whole[len(common_prefix(before, whole)) :]

    def _rendered(self, case: Case, style: Style, messages: list[dict[str, Any]], is_thinking: bool, asks: bool) -> str:
        # Some templates cannot describe every type, so the prompt holds no tools but those of the case.
        names = {name for name, _ in case.calls} or {WEATHER[0]}
        asked = [*ASKED, *self._answered(style)] if case.follows_result else ASKED
        tools = [tool for tool in TOOLS if tool["function"]["name"] in names] if style.describes else None
        return self.template.render(
            [*asked, *messages], tools, add_generation_prompt=asks, enable_thinking=is_thinking, thinking=is_thinking
        )

    def _answered(self, style: Style) -> list[dict[str, Any]]:
        """A call and its result."""
        called, identifier = self._message(_CALL, style, None), self._id(WEATHER[0], 9)
        called["tool_calls"][0]["id"] = identifier
        return [called, {"role": "tool", "tool_call_id": identifier, "name": WEATHER[0], "content": "Sunny."}]

    def _message(self, case: Case, style: Style, reasoning_key: str | None) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": case.content or style.content}
        if reasoning_key is not None:
            message[reasoning_key] = case.reasoning
        if case.calls:
            message["tool_calls"] = [
                {
                    "id": self._id(name, place),
                    "type": "function",
                    "function": {
                        "name": name,
                        "arguments": json.dumps(values, ensure_ascii=False) if style.is_text else values,
                    },
                }
                for place, (name, values) in enumerate(case.calls)
            ]
        return message

    def _id(self, name: str, place: int) -> str:
        """An identifier as the family's models write them: its templates print what the server gave."""
        before, hole, _ = self.family.call[0].partition("$id")
        return f"functions.{name}:{place}" if hole and before.endswith("$name:") else f"call0000{place}"
