"""POST /v1/completions: a prompt as it is → answers."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from frisket.server import exchange
from frisket.server.bias import read_bias
from frisket.server.failure import Failure
from frisket.server.job import Ended, Token, Written
from frisket.server.logprob import of_completion
from frisket.server.openapi import Operation
from frisket.server.parameters import MOST_INTEGER, Parameters, ResponseFormat, StreamOptions, stops
from frisket.server.routes.chat_completions import REASONS, usage
from frisket.server.service import Answers, Plan, Service, Wish
from frisket.server.shape import Completion, CompletionChunk, ErrorBody, Head, TextChoice, TextLogprobs

PATH, METHODS = "/v1/completions", ["POST"]


class CompletionRequest(Parameters):
    """The body. One prompt a request, as text or token ids."""

    prompt: str | list[int]
    max_tokens: int | None = Field(None, ge=1, le=MOST_INTEGER)
    n: int | None = Field(None, ge=1, le=MOST_INTEGER)
    stop: str | list[str] | None = None
    logprobs: int | None = Field(None, ge=0, le=20)
    echo: bool | None = None
    response_format: ResponseFormat | None = None
    stream_options: StreamOptions | None = None
    best_of: int | None = Field(None, ge=1, le=1)
    suffix: None = None
    logit_bias: dict[str, float] | None = None
    frequency_penalty: float | None = Field(None, ge=0, le=0)
    presence_penalty: float | None = Field(None, ge=0, le=0)


ASKED = {"model": "embedded", "prompt": "Red or green?", "max_tokens": 16}
EXAMPLES = {
    "choice": {**ASKED, "guided_choice": ["red", "green"], "logprobs": 2, "echo": True},
    "pattern": {**ASKED, "structured_outputs": {"regex": "[a-f]{2,5}"}, "n": 2, "seed": 1, "temperature": 1},
    "stream": {**ASKED, "guided_choice": ["red", "green"], "stream": True, "stream_options": {"include_usage": True}},
}
OPERATIONS = (
    Operation(
        PATH,
        "A prompt as it is → answers",
        Completion,
        CompletionRequest,
        CompletionChunk | ErrorBody,
        examples=EXAMPLES,
    ),
)


async def endpoint(request: Request) -> Response:
    data = await exchange.receive(request)
    return await exchange.while_connected(
        request, _respond(request.app.state.service, exchange.client_of(request), data)
    )


async def _respond(service: Service, client: str, data: bytes) -> Response:
    body, plan = await service.turns.run(client, _plan, service, data)
    answers = service.answers(client, plan)
    echo = (body.prompt if isinstance(body.prompt, str) else service.model.decode(plan.ids)) if body.echo else ""
    head: Head = {"id": f"cmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": body.model}
    if body.stream:
        return await exchange.stream(_chunks(service, body, answers, head, echo))
    return await exchange.answer(_document(service, body, answers, head, echo))


def _plan(service: Service, data: bytes) -> tuple[CompletionRequest, Plan]:
    body = exchange.parse(data, CompletionRequest)
    service.check_model(body.model)
    format_ = body.response_format
    grammar = service.compile(body.structured(service.settings, format_.structured() if format_ else None))
    if body.style() is not None:
        raise Failure(
            400, "this prompt is taken as it is", code="unsupported", where="/frisket/describe",
            hint="write Grammar.describe into the prompt, or ask /v1/chat/completions",
        )  # fmt: skip
    ids = service.encode(body.prompt) if isinstance(body.prompt, str) else service.checked(body.prompt)
    wish = Wish(
        body.max_tokens, body.sampler(service.settings), body.first_seed(),
        choices=body.n or 1, stop=stops(body.stop), top=body.logprobs or 0,
        bias=read_bias(body.logit_bias, service.vocabulary.size),
        on_budget=body.on_budget or "finish", min_tokens=body.min_tokens or 0,
    )  # fmt: skip
    return body, service.plan(ids, grammar, wish)


async def _document(service: Service, body: CompletionRequest, answers: Answers, head: Head, echo: str) -> Completion:
    texts = [""] * (body.n or 1)
    tokens: list[list[Token]] = [[] for _ in texts]
    ends: dict[int, Ended] = {}
    async for number, event in answers.events:
        if isinstance(event, Written):
            texts[number] += event.step.text
            tokens[number] += [token for _, token in event.placed]
        elif isinstance(event, Ended):
            ends[number] = event
    choices: list[TextChoice] = []
    for number, end in sorted(ends.items()):
        logprobs = None if body.logprobs is None else of_completion(service.vocabulary, tokens[number], len(echo))
        choices.append(_choice(number, echo + texts[number], logprobs, end))
    return {**head, "object": "text_completion", "choices": choices, "usage": usage(answers)}


def _choice(number: int, text: str, logprobs: TextLogprobs | None = None, end: Ended | None = None) -> TextChoice:
    reason = None if end is None else REASONS[end.reason]
    choice: TextChoice = {"index": number, "text": text, "logprobs": logprobs, "finish_reason": reason}
    if end is not None and end.missing is not None:
        choice["missing"] = end.missing
    return choice


async def _chunks(
    service: Service, body: CompletionRequest, answers: Answers, head: Head, echo: str
) -> AsyncIterator[CompletionChunk]:
    counts = bool(body.stream_options and body.stream_options.include_usage)

    def part(choices: list[TextChoice]) -> CompletionChunk:
        return {**head, "object": "text_completion", "choices": choices}  # type: ignore[typeddict-item]

    def chunk(choice: TextChoice) -> CompletionChunk:
        found = part([choice])
        if counts:
            found["usage"] = None
        return found

    offsets = [len(echo)] * (body.n or 1)
    begun: set[int] = set()
    try:
        async for number, event in answers.events:
            if echo and number not in begun:
                yield chunk(_choice(number, echo))
            begun.add(number)
            if isinstance(event, Ended):
                yield chunk(_choice(number, "", end=event))
            elif isinstance(event, Written) and (event.step.text or body.logprobs is not None):
                logprobs = None
                if body.logprobs is not None:
                    tokens = [token for _, token in event.placed]
                    logprobs = of_completion(service.vocabulary, tokens, offsets[number])
                    offsets[number] += sum(map(len, logprobs["tokens"]))
                yield chunk(_choice(number, event.step.text, logprobs))
        if counts:
            total = part([])
            total["usage"] = usage(answers)
            yield total
    finally:
        await answers.events.aclose()  # type: ignore[attr-defined]
