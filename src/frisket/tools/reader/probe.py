"""A message → its rendering by a chat template.

Templates take their messages in several spellings: arguments as a mapping or as JSON text, reasoning under one name or
another. The first spelling whose rendering shows all parts of the message is used; no model is known by name.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from frisket.chat_template import ChatTemplate
from frisket.errors import EngineError, UnreadableTemplateError
from frisket.tools.reader.difference import common_start

#: Texts that no template writes by itself, so they are easy to find in a rendering.
USER, NEXT_USER, CONTENT, REASONING = "Quokka asks", "Okapi asks", "Narwhal says", "Axolotl ponders"
NAMES, KEYS, TEXTS = ("zebra_finch", "yellow_jay"), ("aardvark", "buffalo"), ("Ibis nest", "Kiwi nest")
#: Identifiers of nine letters, which all templates accept.
IDS = ("kFxTqLmRa", "kFxTqLmRb")
#: Placeholder for an unknown end token.
UNNAMED_EOS = "<|frisket-eos|>"

#: Variables by which templates switch reasoning on and off.
MODES: tuple[dict[str, Any], ...] = (
    {},
    {"enable_thinking": True, "thinking": True},
    {"enable_thinking": False, "thinking": False},
)
_UNDEFINED = re.compile(r"'(\w+)' is undefined")
#: HTML escapes, which some templates write by mistake where they join escaped text with other text.
_ESCAPED = re.compile(r"&(#\d+|quot|amp|lt|gt);")
#: The key of a message part in the rendering: the template has printed the whole part instead of its text.
_PRINTED_KEY = re.compile(r"""['"]type['"]: ['"](thinking|thoughts)['"]""")

Follow: TypeAlias = Literal["user", "tool"] | None


@dataclass(frozen=True)
class Call:
    """A call that the assistant of a probe makes."""

    name: str = NAMES[0]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = IDS[0]


@dataclass(frozen=True)
class Said:
    """A message of the assistant."""

    content: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Turn:
    """How a template renders a message of the assistant after a prompt."""

    prompt: str
    """The conversation up to the message, and the text by which the template asks the model for a message."""
    head: str
    """The text between the user's text and the message. Before an earlier message, templates may write it otherwise
    than at the end of a prompt; then it is the part that both have in common."""
    text: str
    """The message and the text that ends it."""

    @property
    def prompt_tail(self) -> str:
        """The text between the user's text and the end of the prompt."""
        return self.prompt.rpartition(USER)[2]

    @property
    def follows_prompt(self) -> bool:
        """Whether the message directly follows the prompt."""
        return self.head == self.prompt_tail

    @property
    def written(self) -> str:
        """The whole rendering after the user's text."""
        return self.head + self.text


@dataclass(frozen=True)
class Spelling:
    """The form in which a template receives the messages of a conversation."""

    arguments_as_text: bool = False
    no_content: str | None = ""
    with_tools: bool = True
    reasoning_as: Literal["fields", "reasoning_content", "thinking", "reasoning", "parts", "blocks"] = "fields"

    def message(self, said: Said) -> dict[str, Any]:
        """The message as a mapping."""
        content: Any = said.content or self.no_content
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if said.reasoning and self.reasoning_as == "fields":
            message |= dict.fromkeys(("reasoning_content", "thinking", "reasoning"), said.reasoning)
        elif said.reasoning and self.reasoning_as == "parts":
            text = [{"type": "text", "text": said.content}] if said.content else []
            message["content"] = [{"type": "thinking", "thinking": said.reasoning}, *text]
        elif said.reasoning and self.reasoning_as == "blocks":
            text = [{"type": "response", "text": said.content}] if said.content else []
            message["content"] = {"blocks": [{"type": "thoughts", "text": said.reasoning}, *text]}
        elif said.reasoning:
            message[self.reasoning_as] = said.reasoning
        if said.calls:
            message["tool_calls"] = [self._call(call) for call in said.calls]
        return message

    def _call(self, call: Call) -> dict[str, Any]:
        arguments: Any = json.dumps(call.arguments, ensure_ascii=False) if self.arguments_as_text else call.arguments
        return {"type": "function", "id": call.id, "function": {"name": call.name, "arguments": arguments}}


class _Missing(str):
    """Stands in for a variable or function of the model's own code, which some templates need to list tools."""

    def __call__(self, *_: Any, **__: Any) -> str:
        return ""


class Probe:
    """A template with its variables, and the spelling of messages that it takes."""

    def __init__(self, text: str, variables: Mapping[str, Any]) -> None:
        self.text = text
        self.variables = {"bos_token": "", "eos_token": UNNAMED_EOS, **variables}
        self._template = ChatTemplate(text, self.variables)

    @cached_property
    def spelling(self) -> Spelling:
        """The first spelling in which the rendering shows the name and the argument of a call."""
        call = Call(arguments={KEYS[0]: TEXTS[0]})
        refusals: list[str] = []
        is_rendered = False
        for with_tools, as_text, nothing in itertools.product((True, False), (False, True), ("", None)):
            spelling = Spelling(as_text, nothing, with_tools)
            try:
                text = self.render(Said(calls=(call,)), spelling=spelling).text
            except EngineError as error:
                refusals.append(error.message)
                continue
            is_rendered = True
            if call.name in text and TEXTS[0] in text and not _ESCAPED.search(text):
                return spelling
        if is_rendered:
            raise UnreadableTemplateError(
                "the template writes no calls of tools: their names and arguments are not in what it renders",
                where="calls",
                hint="name the family, if the model has one",
            )
        raise UnreadableTemplateError(refusals[0], where="template", hint="name the family, if the model has one")

    def turn(self, said: Said, mode: Mapping[str, Any] | None = None, *, follow: Follow = None) -> Turn | None:
        """The rendering of a message; None if the template refuses it."""
        try:
            return self.render(said, mode, follow=follow, spelling=self.spelling)
        except EngineError:
            return None

    def turns(self, said: Said) -> Iterator[Turn]:
        """The renderings of a message in all modes of reasoning."""
        for mode in MODES:
            turn = self.turn(said, mode)
            if turn is not None:
                yield turn

    def reasoned(self, said: Said) -> Iterator[Turn]:
        """The renderings of a message that show its reasoning, in all modes and spellings."""
        for reasoning_as in ("fields", "reasoning_content", "thinking", "reasoning", "parts", "blocks"):
            spelling = replace(self.spelling, reasoning_as=reasoning_as)
            for mode in MODES:
                try:
                    turn = self.render(said, mode, spelling=spelling)
                except EngineError:
                    continue
                if said.reasoning in turn.written and not _PRINTED_KEY.search(turn.written):
                    yield turn

    def prompts(self) -> Iterator[str]:
        """For each mode of reasoning: the text between the user's text and the end of the prompt."""
        for turn in self.turns(Said(CONTENT)):
            yield turn.prompt_tail

    def render(
        self,
        said: Said,
        mode: Mapping[str, Any] | None = None,
        *,
        follow: Follow = None,
        spelling: Spelling,
    ) -> Turn:
        """The rendering of a message in one mode; EngineError with the template's own words if it refuses."""
        user = {"role": "user", "content": USER}
        messages = [user, spelling.message(said)]
        if follow == "user":
            messages.append({"role": "user", "content": NEXT_USER})
        elif follow == "tool":
            messages += [
                {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": NEXT_USER}
                for call in said.calls
            ]
        tools = _tools(said.calls) if spelling.with_tools else None
        prompt = self._text([user], tools, mode or {}, True)
        written = self._text(messages, tools, mode or {}, False)
        tail, rest = _after_user(prompt), _after_user(written)
        head = tail if rest.startswith(tail) else common_start([tail, rest])
        return Turn(prompt, head, rest[len(head) :])

    def _text(self, messages: Sequence[Mapping[str, Any]], tools: Any, mode: Mapping[str, Any], generate: bool) -> str:
        missing: dict[str, Any] = {}
        while True:
            variables = {**mode, **self.variables, **missing}
            try:
                return self._template.render(messages, tools, add_generation_prompt=generate, **variables)
            except EngineError as error:
                found = _UNDEFINED.search(error.message)
                if found is None or found[1] in missing:
                    raise
                missing[found[1]] = _Missing()


def _tools(calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Descriptions of the tools that are called, or of one tool if there are no calls."""
    known = {call.name: call.arguments for call in calls} or {NAMES[0]: {KEYS[0]: TEXTS[0]}}
    return [
        {"type": "function", "function": {"name": name, "description": "A tool.", "parameters": schema_of(arguments)}}
        for name, arguments in known.items()
    ]


def schema_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema that fits the given arguments."""
    properties = {key: {"type": json_type(value), "description": "A value."} for key, value in arguments.items()}
    return {"type": "object", "properties": properties, "required": []}


def json_type(value: Any) -> str:
    """The name of a value's type in JSON Schema."""
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"), (dict, "object"),
    )  # fmt: skip
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def _after_user(text: str) -> str:
    """The text after the user's text; the whole text if the template does not show it."""
    return text.rpartition(USER)[2]
