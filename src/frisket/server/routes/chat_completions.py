"""POST /v1/chat/completions: messages → answers."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from typing import Any, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from frisket.extension import THINKS, Conversation
from frisket.options import Mode
from frisket.server import exchange
from frisket.server.bias import read_bias
from frisket.server.conversation import Message
from frisket.server.failure import Failure
from frisket.server.job import Ended, Token, Written
from frisket.server.logprob import of_fields
from frisket.server.openapi import Operation
from frisket.server.parameters import MOST_ENTRIES, MOST_INTEGER, Parameters, ResponseFormat, StreamOptions, stops
from frisket.server.reply import Field as MessageField
from frisket.server.reply import Gain, delta, gathered
from frisket.server.service import Answers, Plan, Service, Wish
from frisket.server.shape import (
    ChatChoice,
    ChatChunk,
    ChatCompletion,
    ChatLogprobs,
    ChunkChoice,
    Delta,
    ErrorBody,
    FinishReason,
    Head,
    Usage,
)
from frisket.server.tool import ChatChoice as ToolChoice
from frisket.server.tool import ChatTool, Choice, Effort, make_plan, thinking
from frisket.tools import Family

PATH, METHODS = "/v1/chat/completions", ["POST"]
#: Reason for the end of an answer → OpenAI's word for it.
REASONS: dict[str, Literal["stop", "length"]] = {
    "end": "stop", "budget": "stop", "stop": "stop", "length": "length",
}  # fmt: skip


class ChatRequest(Parameters):
    """The body of a chat request."""

    messages: list[Message] = Field(max_length=MOST_ENTRIES)
    max_tokens: int | None = Field(None, ge=1, le=MOST_INTEGER)
    max_completion_tokens: int | None = Field(None, ge=1, le=MOST_INTEGER)
    n: int | None = Field(None, ge=1, le=MOST_INTEGER)
    stop: str | list[str] | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = Field(None, ge=0, le=20)
    response_format: ResponseFormat | None = None
    stream_options: StreamOptions | None = None
    tools: list[ChatTool] | None = Field(None, max_length=MOST_ENTRIES)
    tool_choice: ToolChoice | None = None
    parallel_tool_calls: bool | None = None
    reasoning_effort: Effort | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    continue_final_message: bool | None = None
    add_generation_prompt: bool | None = None
    logit_bias: dict[str, float] | None = None
    frequency_penalty: float | None = Field(None, ge=0, le=0)
    presence_penalty: float | None = Field(None, ge=0, le=0)

    def mode(self, family_name: str | Family) -> Mode | None:
        """Whether reasoning must come first; the template's own variable takes precedence over the effort."""
        for name in THINKS:
            if isinstance(said := (self.chat_template_kwargs or {}).get(name), bool):
                return thinking(said, family_name, f"/chat_template_kwargs/{name}")
        effort = self.reasoning_effort
        return thinking(None if effort is None else effort != "none", family_name, "/reasoning_effort")

    def conversation(self) -> Conversation:
        if self.add_generation_prompt is bool(self.continue_final_message):
            raise Failure(
                400, "the answer is a message of its own, or continues the last one", code="request",
                where="/add_generation_prompt", hint="leave it out, or say the opposite of continue_final_message",
            )  # fmt: skip
        turns = [message.place_at(f"/messages/{place}").turn for place, message in enumerate(self.messages)]
        return Conversation(turns, variables=self.chat_template_kwargs or {}, continues=self.continue_final_message)


ASKED = {"model": "embedded", "messages": [{"role": "user", "content": "My card was charged twice"}], "max_tokens": 64}
TICKET = {
    "type": "object",
    "properties": {"priority": {"enum": ["low", "high"]}, "urgent": {"type": "boolean"}},
    "required": ["priority", "urgent"],
    "additionalProperties": False,
}
TOOL = {"type": "function", "function": {"name": "open_ticket", "parameters": TICKET}}
EXAMPLES = {
    "schema": {
        **ASKED, "response_format": {"type": "json_schema", "json_schema": {"name": "ticket", "schema": TICKET}},
    },
    "tools": {**ASKED, "tools": [TOOL], "tool_choice": "required", "parallel_tool_calls": False},
    "stream": {**ASKED, "guided_choice": ["billing", "bug", "other"], "logprobs": True, "stream": True},
}  # fmt: skip
OPERATIONS = (
    Operation(
        PATH, "Messages → answers", ChatCompletion, ChatRequest, ChatChunk | ErrorBody, examples=EXAMPLES
    ),
)  # fmt: skip


async def endpoint(request: Request) -> Response:
    data = await exchange.receive(request)
    return await exchange.while_connected(
        request, _respond(request.app.state.service, exchange.client_of(request), data)
    )


async def _respond(service: Service, client: str, data: bytes) -> Response:
    body, plan = await service.turns.run(client, _plan, service, data)
    answers = service.answers(client, [plan])
    head: Head = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": body.model}
    if body.stream:
        return await exchange.stream(_chunks(service, body, answers, head))
    return await exchange.answer(_document(service, body, plan, answers, head))


def _plan(service: Service, data: bytes) -> tuple[ChatRequest, Plan]:
    body = exchange.parse(data, ChatRequest)
    service.check_model(body.model)
    tokens = "max_tokens" if body.max_completion_tokens is None else "max_completion_tokens"
    last = f"/messages/{len(body.messages) - 1}/content"
    with exchange.rename_places({"/prompt": "/messages", "/head": last}, tokens=tokens):
        return body, _read_plan(service, body)


def _read_plan(service: Service, body: ChatRequest) -> Plan:
    format_ = body.response_format
    wanted = body.structured(service.settings, format_.structured() if format_ else None, tools=bool(body.tools))
    tools = [tool.offered(f"/tools/{place}") for place, tool in enumerate(body.tools or ())]
    wish = Wish(
        body.max_completion_tokens or body.max_tokens, body.sampler(service.settings), body.first_seed(),
        choices=body.n or 1, stop=stops(body.stop), top=(body.top_logprobs or 0) if body.logprobs else 0,
        bias=read_bias(body.logit_bias, service.vocabulary.size),
        on_budget=body.on_budget or "finish", min_tokens=body.min_tokens or 0,
    )  # fmt: skip
    return make_plan(
        service, body, body.conversation(), tools, Choice.of_chat(body.tool_choice), wish,
        parallel=body.parallel_tool_calls, final=wanted, mode=body.mode(service.settings.tool_family),
        effort=body.reasoning_effort,
    )  # fmt: skip


def _reason(event: Ended) -> FinishReason:
    return "tool_calls" if event.calls and event.whole else REASONS[event.reason]


async def _document(service: Service, body: ChatRequest, plan: Plan, answers: Answers, head: Head) -> ChatCompletion:
    count = plan.wish.choices
    gains: list[list[Gain]] = [[] for _ in range(count)]
    placed: list[list[tuple[MessageField, Token]]] = [[] for _ in range(count)]
    ends: dict[int, Ended] = {}
    async for number, event in answers.events:
        if isinstance(event, Written | Ended):
            gains[number] += event.gains
            placed[number] += event.placed
        if isinstance(event, Ended):
            ends[number] = event
    choices: list[ChatChoice] = []
    for number, end in sorted(ends.items()):
        choice: ChatChoice = {
            "index": number,
            "message": gathered(gains[number], tools=plan.output is not None),
            "logprobs": of_fields(service.vocabulary, placed[number]) if body.logprobs else None,
            "finish_reason": _reason(end),
        }
        if end.missing is not None:
            choice["missing"] = end.missing
        if end.budgeted:
            choice["budgeted"] = True
        choices.append(choice)
    return {**head, "object": "chat.completion", "choices": choices, "usage": usage(answers)}


async def _chunks(service: Service, body: ChatRequest, answers: Answers, head: Head) -> AsyncIterator[ChatChunk]:
    counts = bool(body.stream_options and body.stream_options.include_usage)

    def part(choices: list[ChunkChoice]) -> ChatChunk:
        return {**head, "object": "chat.completion.chunk", "choices": choices}  # type: ignore[typeddict-item]

    def chunk(number: int, gained: Delta, logprobs: ChatLogprobs | None = None, end: Ended | None = None) -> ChatChunk:
        reason = None if end is None else _reason(end)
        choice: ChunkChoice = {"index": number, "delta": gained, "logprobs": logprobs, "finish_reason": reason}
        if end is not None and end.missing is not None:
            choice["missing"] = end.missing
        if end is not None and end.budgeted:
            choice["budgeted"] = True
        found = part([choice])
        if counts:
            found["usage"] = None
        return found

    begun: set[int] = set()
    try:
        async for number, event in answers.events:
            if number not in begun:
                begun.add(number)
                yield chunk(number, {"role": "assistant", "content": ""})
            if not isinstance(event, Written | Ended):
                continue
            logprobs = of_fields(service.vocabulary, event.placed) if body.logprobs and event.placed else None
            deltas = [said for gain in event.gains if (said := delta(gain)) is not None]
            for said in deltas or ([{"content": ""}] if logprobs else []):
                yield chunk(number, said, logprobs)
                logprobs = None
            if isinstance(event, Ended):
                yield chunk(number, {}, end=event)
        if counts:
            total = part([])
            total["usage"] = usage(answers)
            yield total
    finally:
        await answers.events.aclose()  # type: ignore[attr-defined]


def usage(answers: Answers) -> Usage:
    """Numbers of tokens read and written, including those that end an answer."""
    return {
        "prompt_tokens": answers.prompt_tokens,
        "completion_tokens": answers.tokens,
        "total_tokens": answers.prompt_tokens + answers.tokens,
    }
