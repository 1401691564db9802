"""POST /v1/responses: an input → one answer, in the form of OpenAI's Responses API; nothing is stored."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Field, field_validator
from starlette.requests import Request
from starlette.responses import Response

from frisket.engines.structured_output import StructuredOutput
from frisket.server import exchange
from frisket.server.body import Body
from frisket.server.conversation import Message, render
from frisket.server.failure import Failure
from frisket.server.input import Item, read_items
from frisket.server.item import Output, Told
from frisket.server.job import Ended, Event, Written
from frisket.server.logprob import of_chat
from frisket.server.openapi import Operation
from frisket.server.parameters import MOST_ENTRIES, MOST_INTEGER, Parameters, schema_output
from frisket.server.reply import TextReply, ToolReply, reply
from frisket.server.response import ErrorEvent, ItemStatus, OutputItem, ResponseBody, ResponseEvent, ResponseUsage
from frisket.server.service import Answers, Plan, Service, Wish
from frisket.server.tool import (
    Choice,
    Effort,
    Function,
    FunctionName,
    FunctionTool,
    NamedChoice,
    ToolOutput,
    thinking,
    tool_output,
)
from frisket.thinking import Mode
from frisket.tools import Family

PATH, METHODS = "/v1/responses", ["POST"]


class Format(Body):
    """`text.format`."""

    type: Literal["text", "json_object", "json_schema"]
    name: str | None = None
    schema_: Any = Field(None, alias="schema")
    description: str | None = None
    strict: bool | None = None

    def structured(self) -> StructuredOutput | None:
        if self.type == "json_object":
            return StructuredOutput("json_object", "")
        return schema_output(self.schema_) if self.type == "json_schema" else None


class TextSettings(Body):
    """`text`."""

    format: Format | None = None
    verbosity: Literal["medium"] | None = None


class Reasoning(Body):
    """`reasoning`. Nobody sums reasoning up: with `auto`, too, it comes as it is."""

    effort: Effort | None = None
    summary: Literal["auto"] | None = None


class ResponseTool(Body):
    """One entry of `tools`."""

    type: Literal["function"]
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None

    def tool(self) -> FunctionTool:
        return FunctionTool(type="function", function=Function(**self.model_dump(exclude={"type"})))


class NamedTool(Body):
    """`tool_choice` where it names a tool."""

    type: Literal["function"]
    name: str


def _no_number(given: Any) -> Any:
    """Python holds 0 for false; JSON does not."""
    if type(given) is int:
        raise ValueError("Input should be false")
    return given


class ResponseRequest(Parameters):
    """The body."""

    input: list[Item] = Field(max_length=MOST_ENTRIES)
    instructions: str | None = None
    text: TextSettings | None = None
    reasoning: Reasoning | None = None
    max_output_tokens: int | None = Field(None, ge=1, le=MOST_INTEGER)
    top_logprobs: int | None = Field(None, ge=0, le=20)
    include: list[Literal["message.output_text.logprobs"]] | None = None
    truncation: Literal["disabled"] | None = None
    background: Annotated[Literal[False], BeforeValidator(_no_number)] | None = None
    tools: list[ResponseTool] | None = Field(None, max_length=MOST_ENTRIES)
    tool_choice: Literal["auto", "required", "none"] | NamedTool | None = None
    parallel_tool_calls: bool | None = None
    stream_options: dict[str, Any] | None = None

    @field_validator("input", mode="before", json_schema_input_type=str | list[Item])
    @classmethod
    def _items(cls, given: Any) -> Any:
        return [{"role": "user", "content": given}] if isinstance(given, str) else given

    def choice(self) -> Choice | None:
        named = self.tool_choice
        if isinstance(named, NamedTool):
            return NamedChoice(type="function", function=FunctionName(name=named.name))
        return named

    def mode(self, family_name: str | Family) -> Mode | None:
        """Whether reasoning must come first."""
        effort = self.reasoning.effort if self.reasoning else None
        return thinking(None if effort is None else effort != "none", family_name, "reasoning/effort")


ASKED = {"model": "embedded", "input": "My card was charged twice", "max_output_tokens": 64}
TICKET = {"type": "object", "properties": {"urgent": {"type": "boolean"}}, "required": ["urgent"]}
TOOL = {"type": "function", "name": "open_ticket", "parameters": TICKET}
EXAMPLES = {
    "schema": {**ASKED, "text": {"format": {"type": "json_schema", "name": "ticket", "schema": TICKET}}},
    "tools": {**ASKED, "tools": [TOOL], "tool_choice": "required", "parallel_tool_calls": False},
    "stream": {**ASKED, "guided_choice": ["billing", "bug", "other"], "stream": True},
}
OPERATIONS = (
    Operation(
        PATH, "An input → one answer; nothing is stored", ResponseBody, ResponseRequest, ResponseEvent | ErrorEvent,
        examples=EXAMPLES,
        has_done=False,
    ),
)  # fmt: skip


async def endpoint(request: Request) -> Response:
    data = await exchange.receive(request)
    return await exchange.while_connected(
        request, _respond(request.app.state.service, exchange.client_of(request), data)
    )


async def _respond(service: Service, client: str, data: bytes) -> Response:
    body, output, plan = await service.turns.run(client, _plan, service, data)
    made = Made(service, body, service.answers(client, plan), reply(plan.grammar, output))
    if body.stream:
        return await exchange.stream(_events(made), named=True)
    return await exchange.answer(_document(made))


def _plan(service: Service, data: bytes) -> tuple[ResponseRequest, ToolOutput | None, Plan]:
    body = exchange.parse(data, ResponseRequest)
    service.check_model(body.model)
    format_ = body.text.format if body.text else None
    final = body.structured(service.settings, format_.structured() if format_ else None, tools=bool(body.tools))
    messages = read_items(body.input)
    if body.instructions is not None:
        messages = [Message(role="system", content=body.instructions), *messages]
    tools = [tool.tool() for tool in body.tools or ()]
    output, prompt = tool_output(
        service, body, messages, tools, body.choice(), parallel=body.parallel_tool_calls, final=final, within="",
        mode=body.mode(service.settings.tool_family),
    ) or (None, None)  # fmt: skip
    if output is not None and body.include:
        raise Failure(
            400, "the text beside calls has no log-probabilities", code="unsupported", where="include",
            hint="leave it out, or ask /v1/chat/completions",
        )  # fmt: skip
    grammar = service.compile(output or final)
    if prompt is None:
        described = service.described(grammar, body.style())
        prompt = render(service.model, messages, service.keys(grammar), described=described)
    wish = Wish(
        body.max_output_tokens, body.sampler(service.settings), body.first_seed(),
        top=(body.top_logprobs or 0) if body.include else 0,
        on_budget=body.on_budget or "finish", min_tokens=body.min_tokens or 0,
    )  # fmt: skip
    return body, output, service.plan(service.encode(prompt), grammar, wish)


class Made:
    """The response as far as it is known."""

    def __init__(self, service: Service, body: ResponseRequest, answers: Answers, told: TextReply) -> None:
        self.service, self.body, self.answers, self.reply = service, body, answers, told
        self.name, self.created = f"resp_{secrets.token_hex(12)}", int(time.time())
        self.status: ItemStatus = "in_progress"
        self.output = Output()

    def begin(self) -> Iterator[Told]:
        """A message of text alone is there from the beginning."""
        if not isinstance(self.reply, ToolReply):
            yield from self.output.begin("message")

    def take(self, event: Event) -> Iterator[Told]:
        """What a token, or the end, adds."""
        if isinstance(event, Written):
            logprobs = of_chat(self.service.vocabulary, [event]) if self.body.include else []
            for delta in list(self.reply.feed(event.step.text)) or [{}]:
                yield from self.output.take(delta, logprobs)
        elif isinstance(event, Ended):
            for delta in self.reply.end(event.whole):
                yield from self.output.take(delta, [])
            self.status = "incomplete" if event.reason == "length" else "completed"
            yield from self.output.close(self.status)

    def document(self) -> ResponseBody:
        body, answers, done = self.body, self.answers, self.status != "in_progress"
        format_ = (
            body.text.format.model_dump(by_alias=True, exclude_none=True) if body.text and body.text.format else None
        )
        usage: ResponseUsage = {
            "input_tokens": answers.prompt_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": answers.tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": answers.prompt_tokens + answers.tokens,
        }
        choice = body.tool_choice or ("auto" if body.tools else "none")
        return {
            "id": self.name,
            "object": "response",
            "created_at": self.created,
            "status": self.status,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if self.status == "incomplete" else None,
            "instructions": body.instructions,
            "max_output_tokens": body.max_output_tokens,
            "metadata": body.metadata or {},
            "model": body.model,
            "output": cast("list[OutputItem]", self.output.items) if done else [],
            "parallel_tool_calls": bool(body.tools) and body.parallel_tool_calls is not False,
            "store": False,
            "temperature": body.temperature,
            "text": {"format": format_ or {"type": "text"}},
            "tool_choice": choice.model_dump() if isinstance(choice, NamedTool) else choice,
            "tools": [tool.model_dump(exclude_none=True) for tool in body.tools or ()],
            "top_p": body.top_p,
            "truncation": "disabled",
            "usage": usage if done else None,
        }


async def _document(made: Made) -> ResponseBody:
    for _ in made.begin():
        pass
    async for _, event in made.answers.events:
        for _ in made.take(event):
            pass
    return made.document()


async def _events(made: Made) -> AsyncIterator[dict[str, Any]]:
    count = iter(range(1 << 62))

    def event(name: str, fields: dict[str, Any]) -> dict[str, Any]:
        return {"type": f"response.{name}", "sequence_number": next(count), **fields}

    begun = False
    try:
        async for _, one in made.answers.events:
            if not begun:
                begun = True
                yield event("created", {"response": made.document()})
                yield event("in_progress", {"response": made.document()})
                for told in made.begin():
                    yield event(*told)
            for told in made.take(one):
                yield event(*told)
        yield event(made.status, {"response": made.document()})
    finally:
        await made.answers.events.aclose()  # type: ignore[attr-defined]
