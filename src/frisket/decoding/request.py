"""Model × prompt or messages × target or tools → the text for the model, and the grammar of its answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from frisket.chat_template import ChatTemplate
from frisket.conversation import Conversation, Turn, chat_template, read_turns
from frisket.conversation.conversation import thinking_variables
from frisket.conversation.tool_text import to_description
from frisket.decoding.argument import check_model, kind
from frisket.errors import UnknownFamilyError, UnreadableTemplateError
from frisket.grammar import Grammar
from frisket.models.prompt import property_names
from frisket.target import as_grammar, warn_of_slips
from frisket.tools import Family, Tools, families, family, family_of

if TYPE_CHECKING:
    from frisket.limit import Limits
    from frisket.models.protocol import Model
    from frisket.options import Mode

#: The format of tool calls that is described to a model whose chat template has no tools.
DEFAULT_FAMILY = "hermes"


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """The tools of an answer and how they may be called: the arguments of `Grammar.from_tools`."""

    tools: Tools | Iterable[Any] | None = None
    choice: str = "auto"
    parallel: bool = True
    final: Any = None
    thinking: Mode = "auto"
    family: str | Family | None = None


_NO_TOOLS = ToolRequest()


def read_request(
    model: Model, prompt: Any, target: Any, asked: ToolRequest, limits: Limits | None, *, describe: object = False
) -> tuple[str | Conversation, Grammar]:
    """(the prompt, the grammar of the answer); TypeError or ConversationError if the prompt is no text and no chat."""
    check_model(model, prompt)
    said = read_prompt(prompt)
    if asked.tools is None:
        _check_no_tools(asked)
        if target is None:
            raise TypeError("nothing is asked for: give a target such as a type, or tools=[…]")
        return said, as_grammar(target, limits)
    if target is not None:
        raise TypeError("with tools the answer is a Message: give the target as final=…, in place of free text")
    if describe:
        raise TypeError("with tools there is nothing to describe: the prompt describes them; leave describe out")
    turns = [Turn("user", said)] if isinstance(said, str) else said.turns
    return _with_tools(model, turns, asked, limits)


def read_prompt(prompt: Any) -> str | Conversation:
    """The prompt; TypeError or ConversationError if it is no text and no chat."""
    if isinstance(prompt, str):
        return prompt
    if prompt is None or isinstance(prompt, int | float | bytes):
        raise TypeError(f"prompt is a str or a list of messages, got {kind(prompt)}")
    if isinstance(prompt, list | tuple) and prompt and all(isinstance(one, str) for one in prompt):
        raise TypeError(f"prompt is a str or a list of messages, got {kind(prompt)} of str: use generate_many")
    found = Conversation(read_turns(prompt))
    if found.head is not None:
        raise TypeError(
            "a message that the answer goes on with is for `frisket serve`: leave prefix and partial out, and let the "
            "target begin with the text, as in frisket.parts.seq(frisket.parts.lit(text), …)"
        )
    return found


def _check_no_tools(asked: ToolRequest) -> None:
    for name in ("choice", "parallel", "final", "thinking", "family"):
        if getattr(asked, name) != getattr(_NO_TOOLS, name):
            advice = "; for reasoning before an answer write frisket.think(target)" if name == "thinking" else ""
            raise TypeError(f"{name} is for tools: give tools=[…], too{advice}")


def _with_tools(
    model: Model, turns: Sequence[Turn], asked: ToolRequest, limits: Limits | None
) -> tuple[Conversation, Grammar]:
    given = asked.tools if isinstance(asked.tools, Tools) else Tools(asked.tools or ())
    wanted = family(own_family(model) if asked.family is None else asked.family)
    callable_tools = [one.tool for one in given._arguments(wanted, limits=limits)] if asked.choice != "none" else []
    chat = chat_template(model)
    final = None if asked.final is None else as_grammar(asked.final, limits)
    # A model without a chat template reads the names of the tools only.
    schemas = [tool.schema for tool in callable_tools if asked.choice in ("auto", "required", tool.name)]
    named = ([] if chat is not None else schemas) + ([] if final is None else [final.schema])
    conversation = Conversation(
        turns,
        [to_description(tool) for tool in callable_tools],
        wanted,
        thinking_variables(model, asked.thinking),
        keys=tuple(dict.fromkeys(name for schema in named for name in property_names(schema))),
    )
    grammar = Grammar.from_tools(
        given, wanted, choice=asked.choice, parallel=asked.parallel, final=final, thinking=asked.thinking,
        prompt=conversation.render(model), vocabulary=model.vocabulary, limits=limits,
    )  # fmt: skip
    if grammar.report is not None:
        warn_of_slips(grammar.report)
    return conversation, grammar


def own_family(model: Model) -> str | Family:
    """The format in which a model calls tools, read from its chat template or found by its name.

    A model without a template, or whose template has no tools, gets the default format, described in words.
    UnknownFamilyError if the template has tools, but the format of their calls cannot be read from it.
    """
    chat = chat_template(model)
    if chat is None:
        return DEFAULT_FAMILY
    if chat not in _KNOWN:
        try:
            _KNOWN[chat] = family_of(model)
        except UnreadableTemplateError as error:
            _KNOWN[chat] = error.message
    found = _KNOWN[chat]
    if isinstance(found, Family):
        return found
    if "tools" not in chat.variables:
        return DEFAULT_FAMILY
    raise UnknownFamilyError(
        f"the model's chat template does not tell how it calls tools: {found}",
        where="family",
        hint=f"say in which format: family=…, one of {', '.join(families())}, or the id of a model that writes so",
    )


#: Families by template: reading a format renders the template some hundred times, so it is read once.
_KNOWN: WeakKeyDictionary[ChatTemplate, Family | str] = WeakKeyDictionary()
