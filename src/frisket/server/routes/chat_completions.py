"""POST /v1/chat/completions: messages → answers."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from typing import Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from frisket.server import exchange
from frisket.server.bias import read_bias
from frisket.server.conversation import Message, render
from frisket.server.job import Ended, Written
from frisket.server.logprob import of_chat
from frisket.server.parameters import Parameters, ResponseFormat, StreamOptions, stops
from frisket.server.reply import TextReply, ToolReply, gathered, reply
from frisket.server.service import Answers, Service, Wish
from frisket.server.tool import Choice, FunctionTool, TemplateArguments, thinking, tool_output

PATH, METHODS = "/v1/chat/completions", ["POST"]
#: How an answer ended, in OpenAI's words.
REASONS = {"end": "stop", "stop": "stop", "length": "length"}


class ChatRequest(Parameters):
    """The body."""

    messages: list[Message]
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    n: int | None = Field(None, ge=1)
    stop: str | list[str] | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = Field(None, ge=0, le=20)
    response_format: ResponseFormat | None = None
    stream_options: StreamOptions | None = None
    tools: list[FunctionTool] | None = None
    tool_choice: Choice | None = None
    parallel_tool_calls: bool | None = None
    chat_template_kwargs: TemplateArguments | None = None
    logit_bias: dict[str, float] | None = None
    frequency_penalty: float | None = Field(None, ge=0, le=0)
    presence_penalty: float | None = Field(None, ge=0, le=0)


async def endpoint(request: Request) -> Response:
    service: Service = request.app.state.service
    body = await exchange.read(request, ChatRequest)
    service.check_model(body.model)
    format_ = body.response_format
    wanted = body.structured(service.settings, format_.structured() if format_ else None, tools=bool(body.tools))
    output, prompt = tool_output(
        service, body, body.messages, body.tools, body.tool_choice, parallel=body.parallel_tool_calls, final=wanted,
        mode=thinking(body.chat_template_kwargs, service.settings.tool_family),
    ) or (None, None)  # fmt: skip
    grammar = await service.compile(output or wanted)
    ids = await service.encode(
        prompt
        or render(
            service.model,
            body.messages,
            service.keys(grammar),
            described=await service.described(grammar, body.style()),
        )
    )
    wish = Wish(
        body.max_completion_tokens or body.max_tokens, body.sampler(service.settings), body.first_seed(),
        choices=body.n or 1, stop=stops(body.stop), top=(body.top_logprobs or 0) if body.logprobs else 0,
        bias=read_bias(body.logit_bias, service.vocabulary.size),
    )  # fmt: skip
    answers = service.answers(ids, grammar, wish)
    head = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": body.model}
    replies = [reply(grammar, output) for _ in range(wish.choices)]
    if body.stream:
        return await exchange.stream(_chunks(service, body, answers, replies, head))
    return await exchange.answer(request, _document(service, body, answers, replies, head))


def _reason(event: Ended, reply: TextReply) -> str:
    return "tool_calls" if reply.called and event.whole else REASONS[event.reason]


async def _document(
    service: Service, body: ChatRequest, answers: Answers, replies: list[TextReply], head: dict[str, Any]
) -> dict[str, Any]:
    written: list[list[Written]] = [[] for _ in replies]
    deltas: list[list[dict[str, Any]]] = [[] for _ in replies]
    reasons = [""] * len(replies)
    async for number, event in answers.events:
        told = replies[number]
        if isinstance(event, Written):
            written[number].append(event)
            deltas[number] += told.feed(event.step.text)
        elif isinstance(event, Ended):
            deltas[number] += told.end(event.whole)
            reasons[number] = _reason(event, told)
    choices = [
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
    service: Service, body: ChatRequest, answers: Answers, replies: list[TextReply], head: dict[str, Any]
) -> AsyncIterator[dict[str, Any]]:
    head = {**head, "object": "chat.completion.chunk"}
    counts = bool(body.stream_options and body.stream_options.include_usage)

    def chunk(number: int, delta: dict[str, Any], reason: str | None = None, logprobs: Any = None) -> dict[str, Any]:
        choice = {"index": number, "delta": delta, "logprobs": logprobs, "finish_reason": reason}
        return {**head, "choices": [choice], **({"usage": None} if counts else {})}

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
                    yield chunk(number, delta, None, {"content": entries} if entries and not place else None)
        if counts:
            yield {**head, "choices": [], "usage": usage(answers)}
    finally:
        await answers.events.aclose()  # type: ignore[attr-defined]


def usage(answers: Answers) -> dict[str, int]:
    """Tokens read and written; those that end an answer count."""
    return {
        "prompt_tokens": answers.prompt_tokens,
        "completion_tokens": answers.tokens,
        "total_tokens": answers.prompt_tokens + answers.tokens,
    }
