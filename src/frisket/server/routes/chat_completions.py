"""POST /v1/chat/completions: messages → answers."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from typing import Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from frisket.server import exchange
from frisket.server.bias import read_bias
from frisket.server.conversation import Message, render
from frisket.server.job import Ended, Written
from frisket.server.logprob import of_chat
from frisket.server.openapi import Operation
from frisket.server.parameters import MOST_ENTRIES, MOST_INTEGER, Parameters, ResponseFormat, StreamOptions, stops
from frisket.server.reply import TextReply, ToolReply, gathered, reply
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
from frisket.server.tool import Choice, Effort, FunctionTool, TemplateArguments, ToolOutput, thinking, tool_output
from frisket.thinking import Mode
from frisket.tools import Family

PATH, METHODS = "/v1/chat/completions", ["POST"]
#: How an answer ended, in OpenAI's words.
REASONS: dict[str, Literal["stop", "length"]] = {
    "end": "stop", "budget": "stop", "stop": "stop", "length": "length",
}  # fmt: skip


class ChatRequest(Parameters):
    """The body."""

    messages: list[Message] = Field(max_length=MOST_ENTRIES)
    max_tokens: int | None = Field(None, ge=1, le=MOST_INTEGER)
    max_completion_tokens: int | None = Field(None, ge=1, le=MOST_INTEGER)
    n: int | None = Field(None, ge=1, le=MOST_INTEGER)
    stop: str | list[str] | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = Field(None, ge=0, le=20)
    response_format: ResponseFormat | None = None
    stream_options: StreamOptions | None = None
    tools: list[FunctionTool] | None = Field(None, max_length=MOST_ENTRIES)
    tool_choice: Choice | None = None
    parallel_tool_calls: bool | None = None
    reasoning_effort: Effort | None = None
    chat_template_kwargs: TemplateArguments | None = None
    logit_bias: dict[str, float] | None = None
    frequency_penalty: float | None = Field(None, ge=0, le=0)
    presence_penalty: float | None = Field(None, ge=0, le=0)

    def mode(self, family_name: str | Family) -> Mode | None:
        """Whether reasoning must come first: the template's own argument says it before the effort does."""
        said = self.chat_template_kwargs.enable_thinking if self.chat_template_kwargs else None
        if said is not None or self.reasoning_effort is None:
            return thinking(said, family_name, "chat_template_kwargs/enable_thinking")
        return thinking(self.reasoning_effort != "none", family_name, "reasoning_effort")


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
    body, output, plan = await service.turns.run(client, _plan, service, data)
    answers = service.answers(client, plan)
    head: Head = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": body.model}
    replies = [reply(plan.grammar, output) for _ in range(plan.wish.choices)]
    if body.stream:
        return await exchange.stream(_chunks(service, body, answers, replies, head))
    return await exchange.answer(_document(service, body, answers, replies, head))


def _plan(service: Service, data: bytes) -> tuple[ChatRequest, ToolOutput | None, Plan]:
    body = exchange.parse(data, ChatRequest)
    service.check_model(body.model)
    format_ = body.response_format
    wanted = body.structured(service.settings, format_.structured() if format_ else None, tools=bool(body.tools))
    output, prompt = tool_output(
        service, body, body.messages, body.tools, body.tool_choice, parallel=body.parallel_tool_calls, final=wanted,
        mode=body.mode(service.settings.tool_family),
    ) or (None, None)  # fmt: skip
    grammar = service.compile(output or wanted)
    if prompt is None:
        described = service.described(grammar, body.style())
        prompt = render(service.model, body.messages, service.keys(grammar), described=described)
    wish = Wish(
        body.max_completion_tokens or body.max_tokens, body.sampler(service.settings), body.first_seed(),
        choices=body.n or 1, stop=stops(body.stop), top=(body.top_logprobs or 0) if body.logprobs else 0,
        bias=read_bias(body.logit_bias, service.vocabulary.size),
        on_budget=body.on_budget or "finish", min_tokens=body.min_tokens or 0,
    )  # fmt: skip
    return body, output, service.plan(service.encode(prompt), grammar, wish)


def _reason(event: Ended, reply: TextReply) -> FinishReason:
    return "tool_calls" if reply.called and event.whole else REASONS[event.reason]


async def _document(
    service: Service, body: ChatRequest, answers: Answers, replies: list[TextReply], head: Head
) -> ChatCompletion:
    written: list[list[Written]] = [[] for _ in replies]
    deltas: list[list[Delta]] = [[] for _ in replies]
    reasons: list[FinishReason] = ["length"] * len(replies)
    async for number, event in answers.events:
        told = replies[number]
        if isinstance(event, Written):
            written[number].append(event)
            deltas[number] += told.feed(event.step.text)
        elif isinstance(event, Ended):
            deltas[number] += told.end(event.whole)
            reasons[number] = _reason(event, told)
    choices: list[ChatChoice] = [
        {
            "index": number,
            "message": gathered(deltas[number], tools=isinstance(replies[number], ToolReply)),
            "logprobs": {"content": of_chat(service.vocabulary, steps), "refusal": None} if body.logprobs else None,
            "finish_reason": reasons[number],
        }
        for number, steps in enumerate(written)
    ]
    return {**head, "object": "chat.completion", "choices": choices, "usage": usage(answers)}


async def _chunks(
    service: Service, body: ChatRequest, answers: Answers, replies: list[TextReply], head: Head
) -> AsyncIterator[ChatChunk]:
    counts = bool(body.stream_options and body.stream_options.include_usage)

    def part(choices: list[ChunkChoice]) -> ChatChunk:
        return {**head, "object": "chat.completion.chunk", "choices": choices}  # type: ignore[typeddict-item]

    def chunk(
        number: int, delta: Delta, reason: FinishReason | None = None, logprobs: ChatLogprobs | None = None
    ) -> ChatChunk:
        found = part([{"index": number, "delta": delta, "logprobs": logprobs, "finish_reason": reason}])
        if counts:
            found["usage"] = None
        return found

    begun: set[int] = set()
    try:
        async for number, event in answers.events:
            told = replies[number]
            if number not in begun:
                begun.add(number)
                yield chunk(number, {"role": "assistant", "content": ""})
            if isinstance(event, Ended):
                for delta in told.end(event.whole):
                    yield chunk(number, delta)
                yield chunk(number, {}, _reason(event, told))
            elif isinstance(event, Written):
                entries = of_chat(service.vocabulary, [event]) if body.logprobs else []
                deltas = list(told.feed(event.step.text)) or ([{"content": ""}] if entries else [])
                for place, delta in enumerate(deltas):
                    logprobs: ChatLogprobs = {"content": entries, "refusal": None}
                    yield chunk(number, delta, None, logprobs if entries and not place else None)
        if counts:
            total = part([])
            total["usage"] = usage(answers)
            yield total
    finally:
        await answers.events.aclose()  # type: ignore[attr-defined]


def usage(answers: Answers) -> Usage:
    """Tokens read and written; those that end an answer count."""
    return {
        "prompt_tokens": answers.prompt_tokens,
        "completion_tokens": answers.tokens,
        "total_tokens": answers.prompt_tokens + answers.tokens,
    }
