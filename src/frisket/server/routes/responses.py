"""POST /v1/responses: an input → one answer, in the form of OpenAI's Responses API; nothing is stored."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, ConfigDict, Field, field_validator
from starlette.requests import Request
from starlette.responses import Response

from frisket.extension import Conversation, Turn
from frisket.options import Mode
from frisket.server import exchange
from frisket.server.body import Body
from frisket.server.conversation import Message
from frisket.server.input import Item, LeftOutItem, read_items
from frisket.server.item import Output, Told
from frisket.server.job import Ended, Event, Written
from frisket.server.logprob import of_fields
from frisket.server.openapi import Operation
from frisket.server.parameters import MOST_ENTRIES, MOST_INTEGER, Asked, Parameters, read_schema
from frisket.server.response import ErrorEvent, ItemStatus, OutputItem, ResponseBody, ResponseEvent, ResponseUsage
from frisket.server.service import Answers, Plan, Service, Wish
from frisket.server.shape import TokenLogprob
from frisket.server.tool import AllowedTools, Choice, Custom, Effort, Function, Offered, Word, make_plan
from frisket.server.truncation import truncate
from frisket.tools import Family, family

logger = logging.getLogger(__name__)

PATH, METHODS = "/v1/responses", ["POST"]
#: Header that lists the ignored parts of a request, and the most places that it names.
LEFT_OUT, MOST_TOLD = "X-Frisket-Left-Out", 20
#: OpenAI's optional parts of a response, of which this server has only log-probabilities.
Include = Literal[
    "message.output_text.logprobs", "reasoning.encrypted_content", "message.input_image.image_url",
    "computer_call_output.output.image_url", "file_search_call.results", "web_search_call.results",
    "web_search_call.action.sources", "code_interpreter_call.outputs",
]  # fmt: skip


class Format(Body):
    """`text.format`."""

    type: Literal["text", "json_object", "json_schema"]
    name: str | None = None
    schema_: Any = Field(None, alias="schema")
    description: str | None = None
    strict: bool | None = None

    def structured(self) -> Asked | None:
        if self.type == "json_schema":
            return read_schema(self.schema_, "/text/format/schema")
        return Asked.of("json_object", True, "/text/format") if self.type == "json_object" else None


class TextSettings(Body):
    """`text`."""

    format: Format | None = None
    verbosity: Literal["low", "medium", "high"] | None = None


class Reasoning(Body):
    """`reasoning`. This server makes no summaries: whatever `summary` is, the reasoning itself is returned."""

    effort: Effort | None = None
    summary: Literal["auto", "concise", "detailed", "none"] | None = None
    generate_summary: Literal["auto", "concise", "detailed"] | None = None
    context: str | None = None


class FlatFunction(Function):
    """One entry of `tools`."""

    type: Literal["function"]
    defer_loading: bool | None = None


class FlatCustom(Custom):
    """One entry of `tools`."""

    type: Literal["custom"]
    defer_loading: bool | None = None


FlatTool = Annotated[FlatFunction | FlatCustom, Field(discriminator="type")]


class Namespace(Body):
    """One entry of `tools`: tools under a common name, which their calls have, too."""

    type: Literal["namespace"]
    name: str
    description: str | None = None
    tools: list[FlatTool] = Field(max_length=MOST_ENTRIES)


class HostedTool(Body):
    """One entry of `tools` that OpenAI would run; this server ignores it."""

    model_config = ConfigDict(extra="allow")
    type: Literal[
        "web_search", "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11", "local_shell",
        "shell", "apply_patch", "file_search", "computer", "computer_use_preview", "code_interpreter",
        "image_generation", "mcp", "tool_search",
    ]  # fmt: skip


ResponseTool = Annotated[FlatFunction | FlatCustom | Namespace | HostedTool, Field(discriminator="type")]


class NamedTool(Body):
    """`tool_choice` that names a tool."""

    type: Literal["function", "custom"]
    name: str


class Allowed(AllowedTools):
    """`tool_choice` that lists the tools that may be called."""

    type: Literal["allowed_tools"]


def _offered(tool: FlatFunction | FlatCustom, where: str, namespace: str | None = None) -> Offered:
    described = tool.model_dump(exclude_none=True, exclude={"defer_loading"})
    return Offered(described, where, namespace)


def _no_number(given: Any) -> Any:
    """Refuse a number where JSON has a boolean; Python would read 0 as false."""
    if type(given) is int:
        raise ValueError("Input should be false")
    return given


class ResponseRequest(Parameters):
    """The body of a request for a response."""

    input: list[Item] = Field(max_length=MOST_ENTRIES)
    instructions: str | None = None
    text: TextSettings | None = None
    reasoning: Reasoning | None = None
    max_output_tokens: int | None = Field(None, ge=1, le=MOST_INTEGER)
    top_logprobs: int | None = Field(None, ge=0, le=20)
    include: list[Include] | None = None
    truncation: Literal["auto", "disabled"] | None = None
    client_metadata: dict[str, Any] | None = None
    background: Annotated[Literal[False], BeforeValidator(_no_number)] | None = None
    tools: list[ResponseTool] | None = Field(None, max_length=MOST_ENTRIES)
    tool_choice: Word | Annotated[NamedTool | Allowed, Field(discriminator="type")] | None = None
    parallel_tool_calls: bool | None = None
    stream_options: dict[str, Any] | None = None

    @field_validator("input", mode="before", json_schema_input_type=str | list[Item])
    @classmethod
    def _items(cls, given: Any) -> Any:
        return [{"role": "user", "content": given}] if isinstance(given, str) else given

    def choice(self) -> Choice:
        match self.tool_choice:
            case NamedTool(name=name):
                return Choice.of_name(name)
            case Allowed() as allowed:
                return Choice.of_allowed(allowed)
        return Choice(self.tool_choice or "auto")

    def offered(self) -> list[Offered]:
        """The tools that the model may call."""
        found = []
        for place, tool in enumerate(self.tools or ()):
            where = f"/tools/{place}"
            if isinstance(tool, Namespace):
                found += [_offered(one, f"{where}/tools/{n}", tool.name) for n, one in enumerate(tool.tools)]
            elif not isinstance(tool, HostedTool):
                found.append(_offered(tool, where))
        return found

    def left_out(self, family_name: str | Family) -> list[str]:
        """Places and values of the parts of the request that have no effect here, though a client may expect one."""
        tools = [f"/tools/{n} {one.type}" for n, one in enumerate(self.tools or ()) if isinstance(one, HostedTool)]
        items = [f"/input/{n} {one.type}" for n, one in enumerate(self.input) if isinstance(one, LeftOutItem)]
        effort, verbosity = self.reasoning and self.reasoning.effort, self.text and self.text.verbosity
        hints = [f"/text/verbosity {verbosity}"] if verbosity in ("low", "high") else []
        if effort not in (None, "none") and family(family_name).thinking is None:
            hints.append(f"/reasoning/effort {effort}")
        return [*tools, *items, *hints]

    def mode(self, family_name: str | Family) -> Mode | None:
        """Whether reasoning must come first; for models without reasoning, `left_out` mentions the field."""
        effort = self.reasoning.effort if self.reasoning else None
        if effort is None or family(family_name).thinking is None:
            return None
        return "off" if effort == "none" else "on"

    def has_logprobs(self) -> bool:
        return "message.output_text.logprobs" in (self.include or ())


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
    body, plan, dropped = await service.turns.run(client, _plan, service, data)
    made = Made(service, body, service.answers(client, [plan]), has_parts=plan.output is not None)
    if body.stream:
        response: Response = await exchange.stream(_events(made), named=True)
    else:
        response = await exchange.answer(_document(made))
    truncated = [f"/input {dropped} oldest messages"] if dropped else []
    if left_out := [*body.left_out(service.settings.tool_family), *truncated]:
        logger.warning("left out of a request: %s", ", ".join(left_out))
        response.headers[LEFT_OUT] = ", ".join(left_out[:MOST_TOLD])
    return response


def _plan(service: Service, data: bytes) -> tuple[ResponseRequest, Plan, int]:
    """The request, its plan, and how many of the oldest messages were left out."""
    body = exchange.parse(data, ResponseRequest)
    service.check_model(body.model)
    with exchange.rename_places({"/prompt": "/input", "/messages": "/input"}, tokens="max_output_tokens"):
        return body, *_read_plan(service, body)


def _read_plan(service: Service, body: ResponseRequest) -> tuple[Plan, int]:
    format_ = body.text.format if body.text else None
    tools = body.offered()
    final = body.structured(service.settings, format_.structured() if format_ else None, tools=bool(tools))
    messages = read_items(body.input)
    if body.instructions is not None:
        messages = [Message(role="system", content=body.instructions).place_at("/instructions"), *messages]
    turns = [message.turn for message in messages]
    wish = Wish(
        body.max_output_tokens, body.sampler(service.settings), body.first_seed(),
        top=(body.top_logprobs or 0) if body.has_logprobs() else 0,
        on_budget=body.on_budget or "finish", min_tokens=body.min_tokens or 0,
    )  # fmt: skip

    def plan_of(turns: Sequence[Turn]) -> Plan:
        return make_plan(
            service, body, Conversation(turns), tools, body.choice(), wish, parallel=body.parallel_tool_calls,
            final=final, mode=body.mode(service.settings.tool_family),
            effort=body.reasoning.effort if body.reasoning else None,
        )  # fmt: skip

    return truncate(turns, plan_of, service.model.context) if body.truncation == "auto" else (plan_of(turns), 0)


class Made:
    """The response so far, and its events."""

    def __init__(self, service: Service, body: ResponseRequest, answers: Answers, *, has_parts: bool) -> None:
        self.service, self.body, self.answers, self._has_parts = service, body, answers, has_parts
        self.name, self.created = f"resp_{secrets.token_hex(12)}", int(time.time())
        self.status: ItemStatus = "in_progress"
        self.budgeted = False
        self.output = Output()

    def begin(self) -> Iterator[Told]:
        """The first events; a message of text only is begun at once."""
        if not self._has_parts:
            yield from self.output.begin("message")

    def take(self, event: Event) -> Iterator[Told]:
        """The events that follow from a token or from the end."""
        if not isinstance(event, Written | Ended):
            return
        logprobs: list[TokenLogprob] = []
        if self.body.has_logprobs():
            logprobs = of_fields(self.service.vocabulary, event.placed)["content"]
        for gain in event.gains:
            yield from self.output.take(gain, logprobs)
            logprobs = [] if gain.kind == "content" else logprobs
        self.output.add_logprobs(logprobs)
        if isinstance(event, Ended):
            self.status = "incomplete" if event.reason == "length" else "completed"
            self.budgeted = event.budgeted
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
        document: ResponseBody = {
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
            "tool_choice": choice if isinstance(choice, str) else choice.model_dump(),
            "tools": [tool.model_dump(exclude_none=True) for tool in body.tools or ()],
            "top_p": body.top_p,
            "truncation": body.truncation or "disabled",
            "usage": usage if done else None,
        }
        if self.budgeted:
            document["budgeted"] = True
        return document


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
