"""Turns × tools × a model → the prompt that the model continues.

The model's own chat template renders the turns. For a model without one they are lines: instructions unchanged, and
every other turn after its role. If all turns have one role, the role is left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from frisket.chat_template import ChatTemplate
from frisket.conversation.tool_text import describe_tools, to_functions
from frisket.conversation.turn import Turn
from frisket.errors import ConversationError, EngineError, StrategyError
from frisket.models import prompt as template
from frisket.models.embedded import Embedded
from frisket.models.protocol import Model
from frisket.tools.family import Family

if TYPE_CHECKING:
    from frisket.options import Mode

#: Variables by which chat templates switch reasoning on. A request may set one that the template does not read, since
#: families of tool calls read them, too.
THINKS = ("enable_thinking", "thinking")
#: Variables by which chat templates set how much the model reasons.
EFFORTS = ("reasoning_effort", "thinking_effort")


@runtime_checkable
class Templated(Protocol):
    """A model that was trained on chats, and has a chat template."""

    @property
    def chat_template(self) -> ChatTemplate | None:
        """The chat template of the model; None if it has none."""
        ...


def chat_template(model: Model) -> ChatTemplate | None:
    """The chat template of a model; None if it has none."""
    return model.chat_template if isinstance(model, Templated) else None


def thinking_variables(model: Model, mode: Mode | None, effort: str | None = None) -> dict[str, Any]:
    """The variables for reasoning that the caller has set and the template reads."""
    chat = chat_template(model)
    said: dict[str, Any] = {} if effort is None else dict.fromkeys(EFFORTS, effort)
    if mode in ("on", "off"):
        said |= dict.fromkeys(THINKS, mode == "on")
    return {name: value for name, value in said.items() if chat is not None and name in chat.variables}


@dataclass(frozen=True)
class Conversation:
    """The messages before an answer, and the tools that are described to the model.

    >>> from frisket.models import embedded
    >>> Conversation([Turn("system", "Be brief."), Turn("user", "Hi")]).render(embedded(), ["a"])
    'keys: a\\ninput: Be brief. Hi\\noutput: '
    """

    turns: Sequence[Turn]
    tools: Sequence[Mapping[str, Any]] = ()
    """Descriptions of tools, as `frisket.tools` reads them."""
    family: Family | None = None
    """The format of calls that is described in words, if the model's template does not show tools."""
    variables: Mapping[str, Any] = field(default_factory=dict)
    """Further variables of the chat template."""
    continues: bool | None = None
    """Whether the answer continues the last message; None if only that message can say so."""
    keys: tuple[str, ...] = ()
    """Names of requested properties, in addition to those given to `render`."""
    where: str = "/messages"
    """The JSON pointer to the messages in the client's request."""

    @property
    def head(self) -> str | None:
        """The beginning of the answer, which is the last message; None if the answer is a new message."""
        last = self.turns[-1] if self.turns else None
        if last is None or not (self.continues or last.continues):
            return None
        if last.role != "assistant" or last.calls:
            raise ConversationError(
                "only the text of an assistant can be continued", where=last.where,
                hint="let the last message be the beginning of the answer, or leave the field out",
            )  # fmt: skip
        return last.content

    def render(
        self,
        model: Model,
        keys: Sequence[str] | None = None,
        *,
        described: tuple[str, str] | None = None,
        draft: str | None = None,
    ) -> str:
        """The prompt. The names of the requested properties follow the last message.

        `described` is (style, description) of the answer, in place of the names. `draft` is an answer in free text that
        the model shall rewrite.
        """
        head = self.head
        said = self.turns if head is None else self.turns[:-1]
        if not said:
            raise ConversationError("a conversation has at least one message", where=self.where)
        chat = chat_template(model)
        reads_tools = chat is not None and "tools" in chat.variables
        turns = [turn.for_template() if reads_tools else turn.as_text() for turn in said]
        if described is not None:
            turns[-1]["content"] = template.described(turns[-1]["content"], *described)
        told = ""
        if self.tools and self.family is not None and not reads_tools and not isinstance(model, Embedded):
            told = describe_tools(self.tools, self.family)
        names = None if described else [*(keys or ()), *self.keys] or keys
        if chat is None:
            return _join(model, _tell(turns, told), names, draft) + (head or "")
        if draft is None:
            turns[-1]["content"] = template.wish(turns[-1]["content"], names)
        else:
            turns += template.redraft(draft, names)
        functions = to_functions(self.tools) if reads_tools else []
        try:
            return self._written(chat, _tell(turns, told), functions, head)
        except ConversationError:
            if not told:
                raise
            # Some templates refuse a system turn; then the first turn of the user gets the text.
            return self._written(chat, _tell(turns, told, role="user"), functions, head)

    def _written(
        self, chat: ChatTemplate, turns: list[dict[str, Any]], functions: list[dict[str, Any]], head: str | None
    ) -> str:
        """The rendered turns, and after them the beginning of the answer."""
        begun = [] if head is None else [{"role": "assistant", "content": head}]
        tools = functions or None
        try:
            text = chat.render([*turns, *begun], tools, add_generation_prompt=head is None, **self.variables)
        except EngineError as error:
            raise ConversationError(error.message, where=self.where, hint=error.hint) from error
        if not head:
            return text if head is None else chat.render(turns, tools, **self.variables)
        place = text.rfind(head.strip())
        if place < 0 or not head.strip():
            raise ConversationError(
                "the chat template changes the last message", where=self.where,
                hint="let the answer be a message of its own",
            )  # fmt: skip
        return text[:place] + head.lstrip()


def _tell(turns: list[dict[str, Any]], told: str, role: str = "system") -> list[dict[str, Any]]:
    """The turns with a text about tools, in a first system turn or in the first turn of `role`."""
    if not told:
        return turns
    place = next((place for place, turn in enumerate(turns) if turn["role"] == role), None)
    if place is None or (role == "system" and place > 0):
        return [{"role": role, "content": told}, *turns]
    content = turns[place]["content"]
    text = f"{content}\n\n{told}" if role == "system" else f"{told}\n\n{content}"
    return [*turns[:place], {**turns[place], "content": text}, *turns[place + 1 :]]


def _join(model: Model, turns: list[dict[str, Any]], keys: Sequence[str] | None, draft: str | None) -> str:
    """The prompt for a model without a chat template: plain lines."""
    has_roles = len({turn["role"] for turn in turns} - {"system"}) > 1
    lines = [
        f"{turn['role']}: {turn['content']}" if has_roles and turn["role"] != "system" else turn["content"]
        for turn in turns
    ]
    return write_prompt(model, "\n".join(lines), keys, draft)


def write_prompt(model: Model, text: str, keys: Sequence[str] | None, draft: str | None = None) -> str:
    """The model's own prompt for a text; StrategyError if it cannot contain a draft."""
    if draft is None:
        return model.prompt(text, keys)
    if "draft" not in inspect.signature(model.prompt).parameters:
        raise StrategyError(
            f"the prompt of {type(model).__name__} has no place for a draft",
            where="strategy",
            hint="give its method `prompt` a parameter `draft: str | None = None`",
        )
    return model.prompt(text, keys, draft=draft)
