"""Tools, choice and thinking of a chat request → the structured output of its messages."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from frisket.engines.structured_output import StructuredOutput
from frisket.errors import MessageSyntaxError, RefusedToolsError
from frisket.grammar import Grammar
from frisket.json_schema.options import DEFAULT, JSONSchemaOptions
from frisket.limit import Limits
from frisket.models.prompt import property_names
from frisket.server.body import Body
from frisket.server.conversation import Message, render
from frisket.server.failure import Failure
from frisket.thinking import Mode, Thinking
from frisket.tools import Family, Tools, family
from frisket.vocabulary import Vocabulary

if TYPE_CHECKING:
    from frisket.server.parameters import Parameters
    from frisket.server.service import Service


class Function(Body):
    """What a model may call. The schema is enforced whether or not it says `strict`."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class FunctionTool(Body):
    """One entry of `tools`."""

    type: Literal["function"]
    function: Function


class FunctionName(Body):
    name: str


class NamedChoice(Body):
    """`tool_choice` where it names a tool."""

    type: Literal["function"]
    function: FunctionName


Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
"""How long a model shall think. Templates do not say it to the models: all but `none` ask for reasoning alike."""
Choice = Literal["auto", "required", "none"] | NamedChoice


class TemplateArguments(Body):
    """`chat_template_kwargs`, as vLLM's and SGLang's clients send them."""

    enable_thinking: bool | None = None


@dataclass(frozen=True)
class ToolOutput:
    """The messages of a model that may call tools or think; requests whose `specification` is equal share a grammar."""

    family: str | Family
    tools: tuple[FunctionTool, ...]
    choice: str
    parallel: bool
    final: StructuredOutput | None
    thinking: Mode
    said: Thinking = Thinking.ABSENT
    options: JSONSchemaOptions = DEFAULT
    vocabulary: Vocabulary | None = field(default=None, compare=False)
    within: str = field(default="/function", compare=False)
    """Where the schema stands in an entry of the request's `tools`, for errors."""
    kind: Literal["tools"] = "tools"

    @cached_property
    def specification(self) -> str:
        """All that decides about the grammar, as JSON text; options and vocabulary aside."""
        final = self.final and [self.final.kind, self.final.specification, repr(self.final.options)]
        tools = [tool.function.model_dump(exclude_none=True) for tool in self.tools]
        return json.dumps(
            [repr(self.family), tools, self.choice, self.parallel, final, self.thinking, self.said.value],
            ensure_ascii=False,
        )

    def grammar(self, limits: Limits | None = None) -> Grammar:
        """The messages; RefusedToolsError names the first tool that cannot be enforced, and its place."""
        functions = [tool.function.model_dump(exclude_none=True) for tool in self.tools]
        tools = Tools(functions, options=self.options, policy="reject")
        refused = [(place, one) for place, one in enumerate(tools.report(self.family)) if one.status == "refused"]
        if refused:
            place, first = refused[0]
            pointer, reason = first.places[0] if first.places else ("", "it cannot be called")
            inner = "" if pointer == "/name" else "/parameters"
            raise RefusedToolsError(
                f"the tool {first.name} cannot be enforced: {reason}",
                where=f"/tools/{place}{self.within}{inner}{pointer}",
                hint=first.hint or "correct the tool, or leave it out",
                places=[(one.name, reason) for _, one in refused for _, reason in one.places],
            )
        grammar = Grammar.from_tools(
            tools, self.family, choice=self.choice, parallel=self.parallel,
            final=None if self.final is None else self.final.grammar(limits),
            thinking=self.thinking, prompt=self.said, vocabulary=self.vocabulary, limits=limits,
        )  # fmt: skip
        # The first text that is read builds the grammar that reads: here, beside the loop of the server.
        with contextlib.suppress(MessageSyntaxError):
            grammar.value("")
        return grammar

    def keys(self) -> list[str]:
        """The property names that a prompt mentions: those of all arguments, and of the final answer."""
        schemas: list[Any] = [tool.function.parameters for tool in self.tools]
        if self.final is not None and self.final.kind == "json":
            with contextlib.suppress(ValueError, RecursionError):  # the grammar says what is wrong with it
                schemas.append(json.loads(self.final.specification))
        return list(dict.fromkeys(name for schema in schemas for name in property_names(schema)))


def chosen(tools: Sequence[FunctionTool] | None, choice: Choice | None) -> tuple[tuple[FunctionTool, ...], str, bool]:
    """(the tools that may be called, `choice` of `Grammar.from_tools`, whether one call is the most)"""
    given = tuple(tools or ())
    if isinstance(choice, NamedChoice):
        # One tool alone: its name could be the word for another choice.
        named = tuple(tool for tool in given if tool.function.name == choice.function.name)
        if not named:
            names = ", ".join(tool.function.name for tool in given) or "none"
            raise Failure(
                400, f"there is no tool {choice.function.name!r} to call", code="tools-refused", where="tool_choice",
                hint=f"the tools are {names}",
            )  # fmt: skip
        return named, "required", True
    if choice == "required" and not given:
        raise Failure(
            400, "a call is required, and there is no tool", code="tools-refused", where="tool_choice",
            hint="send tools, or leave tool_choice out",
        )  # fmt: skip
    return given, (choice or "auto") if given else "none", False


def thinking(wanted: bool | None, family_name: str | Family, where: str) -> Mode | None:
    """Whether reasoning must come first; None where the request does not say. `where` is the field that asks."""
    if wanted is None:
        return None
    if wanted and family(family_name).thinking is None:
        raise Failure(
            400, f"the models of {family(family_name).name} do not think", code="unsupported", where=where,
            hint="leave it out, or start the server with the --tool-family of its model",
        )  # fmt: skip
    return "on" if wanted else "off"


def prompt_says(prompt: str, family_name: str | Family) -> Thinking:
    """What a rendered prompt says of the reasoning that is to come."""
    wanted = family(family_name)
    if wanted.thinking is None:
        return Thinking.ABSENT
    return Thinking.of_prompt(prompt, *wanted.thinking, wanted.turn)


def described(tools: Sequence[FunctionTool], family_name: str | Family) -> str:
    """What a model is told of its tools: their descriptions, and how a call of its family is written."""
    wanted = family(family_name)
    call = wanted.calls.replace("$calls", wanted.call[0]).replace("$ws", " ")
    form = call.replace("$name", "NAME").replace("$arguments", "ARGUMENTS").replace("$id", "ID")
    functions = [json.dumps(tool.function.model_dump(exclude_none=True), ensure_ascii=False) for tool in tools]
    return "\n".join(["You may call these functions:", *functions, "A call is written so:", form])


def tool_output(
    service: Service,
    body: Parameters,
    messages: Sequence[Message],
    tools: Sequence[FunctionTool] | None,
    choice: Choice | None,
    *,
    parallel: bool | None,
    final: StructuredOutput | None,
    mode: Mode | None = None,
    within: str = "/function",
) -> tuple[ToolOutput, str] | None:
    """What is asked for where tools or reasoning are, and the prompt; None where an answer is text alone."""
    settings = service.settings
    given, word, one = chosen(tools, choice)
    if not given and mode is None:
        return None
    if body.style() is not None:
        raise Failure(
            400, "an answer beside tools or reasoning is not described", code="unsupported", where="frisket/describe",
            hint="leave it out: the prompt describes the tools",
        )  # fmt: skip
    output = ToolOutput(
        settings.tool_family, given, word, parallel is not False and not one, final, mode or "auto",
        options=body.options(settings.options), vocabulary=service.vocabulary, within=within,
    )  # fmt: skip
    if len(output.specification.encode()) > settings.max_schema_bytes:
        raise Failure(
            400, f"the tools have more than {settings.max_schema_bytes:,} bytes", code="limit", where="tools",
            hint="send fewer, or start the server with a larger --max-schema-bytes",
        )  # fmt: skip
    told = described(given, settings.tool_family) if word != "none" else ""
    prompt = render(service.model, messages, output.keys(), told)
    return replace(output, said=prompt_says(prompt, settings.tool_family)), prompt
