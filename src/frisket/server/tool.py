"""Tools, tool choice and reasoning of a request → the structured output of its messages."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from frisket import Grammar, JSONSchemaOptions, Limits, Vocabulary
from frisket.errors import MessageSyntaxError, RefusedToolsError
from frisket.extension import (
    DEFAULT,
    Conversation,
    Special,
    chat_template,
    literal_pieces,
    property_names,
    thinking_variables,
)
from frisket.options import Mode
from frisket.server.body import Body
from frisket.server.conversation import render
from frisket.server.failure import Failure
from frisket.thinking import Thinking
from frisket.tools import Family, Tools, family

if TYPE_CHECKING:
    from frisket.server.parameters import Asked, Parameters
    from frisket.server.service import Plan, Service, Wish


class Function(Body):
    """A function that the model may call. Its schema is enforced whatever `strict` is."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Custom(Body):
    """A tool that takes one text: any text, or the texts of a grammar."""

    name: str
    description: str | None = None
    format: dict[str, Any] | None = None


class FunctionTool(Body):
    """One entry of `tools`."""

    type: Literal["function"]
    function: Function

    def offered(self, where: str) -> Offered:
        return Offered(self.function.model_dump(exclude_none=True), f"{where}/function")


class CustomTool(Body):
    """One entry of `tools`."""

    type: Literal["custom"]
    custom: Custom

    def offered(self, where: str) -> Offered:
        return Offered({"type": "custom", **self.custom.model_dump(exclude_none=True)}, f"{where}/custom")


ChatTool = Annotated[FunctionTool | CustomTool, Field(discriminator="type")]


class ToolName(Body):
    name: str


class NamedFunction(Body):
    """`tool_choice` that names a function."""

    type: Literal["function"]
    function: ToolName


class NamedCustom(Body):
    """`tool_choice` that names a custom tool."""

    type: Literal["custom"]
    custom: ToolName


class AllowedTools(Body):
    """The tools that may be called, and whether one must be."""

    mode: Literal["auto", "required"]
    tools: list[dict[str, Any]]


class ChatAllowed(Body):
    """`tool_choice` that lists the tools that may be called."""

    type: Literal["allowed_tools"]
    allowed_tools: AllowedTools


Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How much a model shall reason. Templates do not pass the amount on: every value but `none` asks for reasoning."""
Word = Literal["auto", "required", "none"]
ChatChoice = Word | Annotated[NamedFunction | NamedCustom | ChatAllowed, Field(discriminator="type")]


@dataclass(frozen=True)
class Choice:
    """The tools that may be called (all if `names` is None), and whether one must be."""

    word: Word = "auto"
    names: tuple[str, ...] | None = None
    is_one: bool = False
    """Whether at most one call may be made."""

    @classmethod
    def of_chat(cls, given: ChatChoice | None) -> Choice:
        match given:
            case NamedFunction(function=named) | NamedCustom(custom=named):
                return cls.of_name(named.name)
            case ChatAllowed(allowed_tools=allowed):
                return cls.of_allowed(allowed)
        return cls(given or "auto")

    @classmethod
    def of_name(cls, name: str) -> Choice:
        return cls("required", (name,), is_one=True)

    @classmethod
    def of_allowed(cls, allowed: AllowedTools) -> Choice:
        """The choice that lists allowed tools. The chat API nests the names of tools, the Responses API does not."""
        inner = [tool.get(str(tool.get("type")), tool) for tool in allowed.tools]
        return cls(allowed.mode, tuple(str(tool.get("name")) for tool in inner if isinstance(tool, dict)))


@dataclass(frozen=True)
class Offered:
    """A tool of a request: its description as `frisket.tools` reads it, and its place in the request."""

    description: dict[str, Any]
    where: str
    namespace: str | None = None

    @property
    def name(self) -> str:
        return str(self.description["name"])

    @property
    def is_custom(self) -> bool:
        return self.description.get("type") == "custom"

    def pointer(self, place: str) -> str:
        """The pointer into the request for a place in the tool."""
        if place == "/name":
            return f"{self.where}{place}"
        if not self.is_custom:
            return f"{self.where}/parameters{place}"
        is_nested = "grammar" in (self.description.get("format") or {})
        return self.where + (place.replace("/format/", "/format/grammar/") if is_nested else place)


@dataclass(frozen=True)
class ToolOutput:
    """The messages of a model with tools or reasoning; requests with equal `specification` share a grammar."""

    family: str | Family
    tools: tuple[Offered, ...]
    choice: str
    parallel: bool
    final: Asked | None
    thinking: Mode
    said: Thinking = Thinking.ABSENT
    options: JSONSchemaOptions = DEFAULT
    vocabulary: Vocabulary | None = field(default=None, compare=False)
    kind: Literal["tools"] = "tools"

    @cached_property
    def specification(self) -> str:
        """Everything that determines the grammar, except options and vocabulary, as JSON text."""
        final = self.final and [self.final.kind, self.final.specification, repr(self.final.options)]
        tools = [tool.description for tool in self.tools]
        return json.dumps(
            [repr(self.family), tools, self.choice, self.parallel, final, self.thinking, self.said.value],
            ensure_ascii=False,
        )

    def grammar(self, limits: Limits | None = None) -> Grammar:
        """The grammar of the messages; RefusedToolsError names the first tool that cannot be enforced."""
        tools = Tools([tool.description for tool in self.tools], options=self.options, policy="reject")
        refused = [(place, one) for place, one in enumerate(tools.report(self.family)) if one.status == "refused"]
        if refused:
            place, first = refused[0]
            pointer, reason = first.places[0] if first.places else ("", "it cannot be called")
            raise RefusedToolsError(
                f"the tool {first.name} cannot be enforced: {reason}",
                where=self.tools[place].pointer(pointer),
                hint=first.hint or "correct the tool, or leave it out",
                places=[(one.name, reason) for _, one in refused for _, reason in one.places],
            )
        grammar = Grammar.from_tools(
            tools, self.family, choice=self.choice, parallel=self.parallel,
            final=None if self.final is None else self.final.grammar(limits),
            thinking=self.thinking, prompt=self.said, vocabulary=self.vocabulary, limits=limits,
        )  # fmt: skip
        # Reading some text now builds the parser's grammar before an answer has to wait for it.
        with contextlib.suppress(MessageSyntaxError):
            grammar.value("")
        return grammar

    def keys(self, *, arguments: bool) -> list[str]:
        """The property names for the prompt: those of the final answer, and with `arguments` those of all tools."""
        schemas: list[Any] = [tool.description.get("parameters") for tool in self.tools] if arguments else []
        if self.final is not None and self.final.kind == "json":
            with contextlib.suppress(ValueError, RecursionError):  # making the grammar reports the error
                schemas.append(json.loads(self.final.specification))
        return list(dict.fromkeys(name for schema in schemas for name in property_names(schema)))


def chosen(given: Sequence[Offered], choice: Choice) -> tuple[tuple[Offered, ...], str]:
    """(the tools that may be called, `choice` of `Grammar.from_tools`)"""
    names = ", ".join(tool.name for tool in given) or "none"
    for name in choice.names or ():
        if name not in {tool.name for tool in given}:
            raise Failure(
                400, f"there is no tool {name!r} to call", code="tools-refused", where="/tool_choice",
                hint=f"the tools are {names}",
            )  # fmt: skip
    # A list of names, since a single name could equal a keyword of `choice`.
    allowed = tuple(tool for tool in given if choice.names is None or tool.name in choice.names)
    if choice.word == "required" and not allowed:
        raise Failure(
            400, "a call is required, and there is no tool", code="tools-refused", where="/tool_choice",
            hint="send tools, or leave tool_choice out",
        )  # fmt: skip
    return allowed, choice.word if allowed else "none"


def thinking(wanted: bool | None, family_name: str | Family, where: str) -> Mode | None:
    """Whether reasoning must come first; None if the request does not say. `where` is the field of `wanted`."""
    if wanted is None:
        return None
    if wanted and family(family_name).thinking is None:
        raise Failure(
            400, f"the models of {family(family_name).name} do not think", code="unsupported", where=where,
            hint="leave it out, or start the server with the --tool-family of its model",
        )  # fmt: skip
    return "on" if wanted else "off"


def head_of(output: ToolOutput, vocabulary: Vocabulary, head: str) -> list[str | int]:
    """The texts and special tokens of a message up to the end of `head`."""
    pieces = literal_pieces(family(output.family).content[0], frozenset(filter(None, vocabulary.special)))
    marks = [vocabulary.special[one.name] if isinstance(one, Special) else one.text for one in pieces]
    return [*marks, head]


def tool_output(
    service: Service,
    body: Parameters,
    conversation: Conversation,
    tools: Sequence[Offered],
    choice: Choice,
    *,
    parallel: bool | None,
    final: Asked | None,
    mode: Mode | None = None,
) -> tuple[ToolOutput, str] | None:
    """(the structured output, the prompt) of a request with tools or reasoning; None if its answer is text only."""
    settings = service.settings
    allowed, word = chosen(tools, choice)
    if not allowed and mode is None:
        return None
    if body.style() is not None:
        raise Failure(
            400, "an answer beside tools or reasoning is not described", code="unsupported", where="/frisket/describe",
            hint="leave it out: the prompt describes the tools",
        )  # fmt: skip
    output = ToolOutput(
        settings.tool_family, allowed, word, parallel is not False and not choice.is_one, final, mode or "auto",
        options=body.options(settings.options), vocabulary=service.vocabulary,
    )  # fmt: skip
    if len(output.specification.encode()) > settings.max_schema_bytes:
        raise Failure(
            400, f"the tools have more than {settings.max_schema_bytes:,} bytes", code="limit", where="/tools",
            hint="send fewer, or start the server with a larger --max-schema-bytes",
        )  # fmt: skip
    named = tools if word != "none" else ()
    conversation = replace(
        conversation, tools=[tool.description for tool in named], family=family(settings.tool_family)
    )
    # A model with a chat template reads about its tools there, and is not asked to answer with one value.
    keys = output.keys(arguments=chat_template(service.model) is None)
    prompt = render(service.model, conversation, keys)
    if conversation.head is None or family(settings.tool_family).thinking is None:
        said = family(settings.tool_family).prompt_says(prompt)
    else:
        said = Thinking.CLOSED  # the text to continue comes after the reasoning
    return replace(output, said=said), prompt


def make_plan(
    service: Service,
    body: Parameters,
    conversation: Conversation,
    tools: Sequence[Offered],
    choice: Choice,
    wish: Wish,
    *,
    parallel: bool | None,
    final: Asked | None,
    mode: Mode | None,
    effort: Effort | None,
) -> Plan:
    """The plan of an answer: with calls, in the format `final`, or with any text."""
    told = thinking_variables(service.model, mode, effort)
    conversation = replace(conversation, variables={**told, **conversation.variables})
    output, prompt = tool_output(
        service, body, conversation, tools, choice, parallel=parallel, final=final, mode=mode
    ) or (None, None)  # fmt: skip
    grammar = service.compile(output or final)
    if prompt is None:
        described = service.described(grammar, body.style())
        prompt = render(service.model, conversation, service.keys(grammar), described=described)
    head: Sequence[str | int] = [] if conversation.head is None else [conversation.head]
    if output is not None and conversation.head is not None:
        head = head_of(output, service.vocabulary, conversation.head)
    return service.plan(service.encode(prompt), grammar, replace(wish, head=head), output)
