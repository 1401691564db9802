"""POST /v1/responses: an input → one answer, in the form of OpenAI's Responses API; nothing is stored."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator
from typing import Any, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from frisket.engines.structured_output import StructuredOutput
from frisket.server import exchange
from frisket.server.body import Body
from frisket.server.conversation import Message, render
from frisket.server.failure import Failure
from frisket.server.job import Ended, Written
from frisket.server.logprob import of_chat
from frisket.server.parameters import Parameters, schema_output
from frisket.server.service import Answers, Service, Wish

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
    verbosity: None = None


class ResponseRequest(Parameters):
    """The body."""

    input: str | list[Message]
    instructions: str | None = None
    text: TextSettings | None = None
    max_output_tokens: int | None = Field(None, ge=1)
    top_logprobs: int | None = Field(None, ge=0, le=20)
    include: list[Literal["message.output_text.logprobs"]] | None = None
    truncation: Literal["disabled"] | None = None
    background: Literal[False] | None = None
    parallel_tool_calls: bool | None = None
    stream_options: dict[str, Any] | None = None


async def endpoint(request: Request) -> Response:
    service: Service = request.app.state.service
    body = await exchange.read(request, ResponseRequest)
    service.check_model(body.model)
    format_ = body.text.format if body.text else None
    grammar = await service.compile(body.structured(service.settings, format_.structured() if format_ else None))
    messages = [Message(role="user", content=body.input)] if isinstance(body.input, str) else body.input
    if any(message.type not in (None, "message") for message in messages):
        raise Failure(400, "the input is made of messages", code="unsupported", where="input")
    if body.instructions is not None:
        messages = [Message(role="system", content=body.instructions), *messages]
    ids = await service.encode(
        render(
            service.model,
            messages,
            service.keys(grammar),
            described=await service.described(grammar, body.style()),
        )
    )
    wish = Wish(
        body.max_output_tokens, body.sampler(service.settings), body.first_seed(),
        top=(body.top_logprobs or 0) if body.include else 0,
    )  # fmt: skip
    answers = service.answers(ids, grammar, wish)
    made = Made(body, f"resp_{secrets.token_hex(12)}", f"msg_{secrets.token_hex(12)}", int(time.time()))
    if body.stream:
        return await exchange.stream(_events(service, made, answers), named=True)
    return await exchange.answer(request, _document(service, made, answers))


class Made:
    """The response as far as it is known."""

    def __init__(self, body: ResponseRequest, name: str, item: str, created: int) -> None:
        self.body, self.name, self.item, self.created = body, name, item, created
        self.written: list[Written] = []
        self.status = "in_progress"

    @property
    def text(self) -> str:
        return "".join(one.step.text for one in self.written)

    def part(self, service: Service) -> dict[str, Any]:
        logprobs = of_chat(service.vocabulary, self.written) if self.body.include else []
        return {"type": "output_text", "text": self.text, "annotations": [], "logprobs": logprobs}

    def message(self, service: Service) -> dict[str, Any]:
        content = [self.part(service)] if self.status != "in_progress" else []
        return {"type": "message", "id": self.item, "role": "assistant", "status": self.status, "content": content}

    def document(self, service: Service, answers: Answers) -> dict[str, Any]:
        body, done = self.body, self.status != "in_progress"
        format_ = (
            body.text.format.model_dump(by_alias=True, exclude_none=True) if body.text and body.text.format else None
        )
        usage = {
            "input_tokens": answers.prompt_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": answers.tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": answers.prompt_tokens + answers.tokens,
        }
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
            "output": [self.message(service)] if done else [],
            "parallel_tool_calls": False,
            "store": False,
            "temperature": body.temperature,
            "text": {"format": format_ or {"type": "text"}},
            "tool_choice": "none",
            "tools": [],
            "top_p": body.top_p,
            "truncation": "disabled",
            "usage": usage if done else None,
        }


def _take(made: Made, event: Any) -> None:
    if isinstance(event, Written):
        made.written.append(event)
    elif isinstance(event, Ended):
        made.status = "incomplete" if event.reason == "length" else "completed"


async def _document(service: Service, made: Made, answers: Answers) -> dict[str, Any]:
    async for _, event in answers.events:
        _take(made, event)
    return made.document(service, answers)


async def _events(service: Service, made: Made, answers: Answers) -> AsyncIterator[dict[str, Any]]:
    count = iter(range(1 << 62))

    def event(name: str, **more: Any) -> dict[str, Any]:
        return {"type": f"response.{name}", "sequence_number": next(count), **more}

    place = {"item_id": made.item, "output_index": 0, "content_index": 0}
    begun = False
    try:
        async for _, one in answers.events:
            if not begun:
                begun = True
                yield event("created", response=made.document(service, answers))
                yield event("in_progress", response=made.document(service, answers))
                yield event("output_item.added", output_index=0, item=made.message(service))
                empty = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
                yield event("content_part.added", **place, part=empty)
            _take(made, one)
            if isinstance(one, Written) and one.step.text:
                logprobs = of_chat(service.vocabulary, [one]) if made.body.include else []
                yield event("output_text.delta", **place, delta=one.step.text, logprobs=logprobs)
        part = made.part(service)
        yield event("output_text.done", **place, text=made.text, logprobs=part["logprobs"])
        yield event("content_part.done", **place, part=part)
        yield event("output_item.done", output_index=0, item=made.message(service))
        yield event(made.status, response=made.document(service, answers))
    finally:
        await answers.events.aclose()  # type: ignore[attr-defined]
