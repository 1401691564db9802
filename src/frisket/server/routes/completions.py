"""POST /v1/completions: a prompt without a chat template → answers."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Sequence
from typing import cast

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from frisket.server import exchange
from frisket.server.bias import read_bias
from frisket.server.failure import Failure
from frisket.server.job import Echoed, Ended, Token, Written
from frisket.server.logprob import of_completion
from frisket.server.openapi import Operation
from frisket.server.parameters import MOST_INTEGER, Parameters, ResponseFormat, StreamOptions, stops
from frisket.server.routes.chat_completions import REASONS, usage
from frisket.server.service import Answers, Plan, Service, Wish
from frisket.server.shape import Completion, CompletionChunk, ErrorBody, Head, TextChoice, TextLogprobs

PATH, METHODS = "/v1/completions", ["POST"]


class CompletionRequest(Parameters):
    """The body. Each prompt is text or token ids, and gets `n` answers. With no tokens to write, `echo` scores it."""

    prompt: str | list[int] | list[str] | list[list[int]]
    max_tokens: int | None = Field(None, ge=0, le=MOST_INTEGER)
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

    def prompts(self) -> list[tuple[str | list[int], str]]:
        """Each prompt, and its place in the request."""
        if isinstance(self.prompt, list) and self.prompt and not isinstance(self.prompt[0], int):
            return [(cast("str | list[int]", one), f"/prompt/{place}") for place, one in enumerate(self.prompt)]
        return [(cast("str | list[int]", self.prompt), "/prompt")]


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
    body, plans = await service.turns.run(client, _plan, service, data)
    answers = service.answers(client, plans)
    prompts = Prompts(service, body)
    head: Head = {"id": f"cmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": body.model}
    if body.stream:
        return await exchange.stream(_chunks(body, answers, head, prompts))
    return await exchange.answer(_document(answers, head, prompts))


def _plan(service: Service, data: bytes) -> tuple[CompletionRequest, list[Plan]]:
    body = exchange.parse(data, CompletionRequest)
    service.check_model(body.model)
    format_ = body.response_format
    grammar = service.compile(body.structured(service.settings, format_.structured() if format_ else None))
    if body.style() is not None:
        raise Failure(
            400, "this prompt is taken as it is", code="unsupported", where="/frisket/describe",
            hint="write Grammar.describe into the prompt, or ask /v1/chat/completions",
        )  # fmt: skip
    prompts = body.prompts()
    if len(prompts) * (body.n or 1) > service.settings.max_active:
        most = service.settings.max_active
        raise Failure(400, f"a request has at most {most} answers", code="limit", where="/prompt", hint="send fewer")
    if body.max_tokens == 0 and grammar is not None:
        raise Failure(
            400, "no token is to be written, and a form is asked for", code="request", where="/max_tokens",
            hint="leave the schema or grammar out, or raise max_tokens",
        )  # fmt: skip
    wish = Wish(
        body.max_tokens, body.sampler(service.settings), body.first_seed(),
        choices=body.n or 1, stop=stops(body.stop), top=body.logprobs or 0,
        bias=read_bias(body.logit_bias, service.vocabulary.size), on_budget=body.on_budget or "finish",
        min_tokens=body.min_tokens or 0, scores=bool(body.echo) and body.logprobs is not None,
    )  # fmt: skip
    plans = []
    for prompt, where in prompts:
        with exchange.rename_places({"/prompt": where}):
            ids = service.encode(prompt) if isinstance(prompt, str) else service.checked(prompt)
            plans.append(service.plan(ids, grammar, wish))
    return body, plans


class Prompts:
    """For each answer: the echo of its prompt, and where the text of its next token begins."""

    def __init__(self, service: Service, body: CompletionRequest) -> None:
        self._vocabulary, self._has_logprobs = service.vocabulary, body.logprobs is not None
        texts = [prompt if isinstance(prompt, str) else service.model.decode(prompt) for prompt, _ in body.prompts()]
        self.echoes = [text if body.echo else "" for text in texts for _ in range(body.n or 1)]
        #: An echo with log-probabilities is sent token by token.
        self._places = [0] * len(self.echoes)

    def logprobs(self, number: int, tokens: Sequence[Token]) -> TextLogprobs | None:
        """The log-probabilities of the next tokens of an answer, or of its prompt."""
        if not self._has_logprobs:
            return None
        found = of_completion(self._vocabulary, tokens, self._places[number])
        self._places[number] += sum(map(len, found["tokens"]))
        return found


async def _document(answers: Answers, head: Head, prompts: Prompts) -> Completion:
    texts = list(prompts.echoes)
    tokens: list[list[Token]] = [[] for _ in texts]
    ends: dict[int, Ended] = {}
    async for number, event in answers.events:
        if isinstance(event, Echoed):
            tokens[number] += event.tokens
        elif isinstance(event, Written):
            texts[number] += event.step.text
            tokens[number] += [token for _, token in event.placed]
        elif isinstance(event, Ended):
            ends[number] = event
    choices = [
        _choice(number, texts[number], prompts.logprobs(number, tokens[number]), end)
        for number, end in sorted(ends.items())
    ]
    return {**head, "object": "text_completion", "choices": choices, "usage": usage(answers)}


def _choice(number: int, text: str, logprobs: TextLogprobs | None = None, end: Ended | None = None) -> TextChoice:
    reason = None if end is None else REASONS[end.reason]
    choice: TextChoice = {"index": number, "text": text, "logprobs": logprobs, "finish_reason": reason}
    if end is not None and end.missing is not None:
        choice["missing"] = end.missing
    if end is not None and end.budgeted:
        choice["budgeted"] = True
    return choice


async def _chunks(
    body: CompletionRequest, answers: Answers, head: Head, prompts: Prompts
) -> AsyncIterator[CompletionChunk]:
    counts = bool(body.stream_options and body.stream_options.include_usage)

    def part(choices: list[TextChoice]) -> CompletionChunk:
        return {**head, "object": "text_completion", "choices": choices}  # type: ignore[typeddict-item]

    def chunk(choice: TextChoice) -> CompletionChunk:
        found = part([choice])
        if counts:
            found["usage"] = None
        return found

    begun: set[int] = set()
    try:
        async for number, event in answers.events:
            if isinstance(event, Echoed) or (prompts.echoes[number] and number not in begun):
                scored = prompts.logprobs(number, event.tokens) if isinstance(event, Echoed) else None
                yield chunk(_choice(number, prompts.echoes[number], scored))
            begun.add(number)
            if isinstance(event, Ended):
                yield chunk(_choice(number, "", end=event))
            elif isinstance(event, Written) and (event.step.text or body.logprobs is not None):
                logprobs = prompts.logprobs(number, [token for _, token in event.placed])
                yield chunk(_choice(number, event.step.text, logprobs))
        if counts:
            total = part([])
            total["usage"] = usage(answers)
            yield total
    finally:
        await answers.events.aclose()  # type: ignore[attr-defined]
