"""HTTP request → checked body; events → a JSON document, or server-sent events."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from frisket.errors import FrisketError
from frisket.json_fault import json_fault
from frisket.server.failure import Failure
from frisket.server.field import UNSERVED

logger = logging.getLogger(__name__)

B = TypeVar("B", bound=BaseModel)

#: What half of a surrogate pair is spelled by in JSON, where it may also be one half of a whole pair.
HALF_PAIR = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")


async def read(request: Request, model: type[B]) -> B:
    """The body as a model; a Failure says what is wrong with it, and where."""
    limit = request.app.state.service.settings.max_body_bytes
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > limit:
            raise Failure(413, f"the body has more than {limit:,} bytes", code="limit", hint="send less")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        fault = json_fault(error)
        code = "limit" if fault.is_limit else "json"
        raise Failure(400, f"the body {fault.message}", code=code, where=fault.where, hint=fault.hint) from error
    if not isinstance(body, dict):
        raise Failure(400, "the body is not a JSON object", code="json")
    if HALF_PAIR.search(data):
        _refuse_half_pairs(body)
    for name in [name for name in body if name in UNSERVED and name not in model.model_fields]:
        if not UNSERVED[name].allows(body.pop(name)):
            hint = UNSERVED[name].hint
            raise Failure(400, f"{name} is not supported", code="unsupported", where=name, hint=hint)
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise Failure.of(error) from error


def _refuse_half_pairs(body: object) -> None:
    """A Failure if a text of the body holds half of a surrogate pair: no answer, and no vocabulary, can spell it."""
    agenda: list[tuple[str, object]] = [("", body)]
    while agenda:
        place, value = agenda.pop()
        if isinstance(value, list):
            agenda += [(f"{place}/{number}", item) for number, item in enumerate(value)]
        elif isinstance(value, dict):
            agenda += [(f"{place}/{name}", text) for name, member in value.items() for text in (member, name)]
        elif isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError as error:
                shown = place.removeprefix("/").encode("ascii", "backslashreplace").decode()
                raise Failure(
                    400, f"half of a surrogate pair, {value[error.start]!r}, stands in the text", code="request",
                    where=shown, hint="send whole characters: a text was cut between its UTF-16 units",
                ) from None  # fmt: skip


async def guarded(work: Awaitable[Response]) -> Response:
    """The response of an endpoint; what it raises becomes one, and what nobody expected is logged."""
    try:
        return await work
    except ClientDisconnect:
        return Response(status_code=499)  # nobody reads it
    except (Failure, FrisketError) as error:
        return Failure.of(error).response()
    except Exception as error:
        logger.exception("a request failed")
        return Failure.of(error).response()


async def answer(request: Request, document: Awaitable[Mapping[str, object]]) -> Response:
    """The document as a response; given up as soon as the client leaves."""
    work = asyncio.ensure_future(document)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({work, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return JSONResponse(work.result())
        return Response(status_code=499)  # nobody reads it
    finally:
        for task in (work, leaving):
            task.cancel()
        await asyncio.gather(work, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def stream(events: AsyncIterator[Mapping[str, object]], *, named: bool = False) -> StreamingResponse:
    """Server-sent events; what is refused before the first of them has its status, later failures are an event.

    `named`: each event says its `type` as its name, and no `[DONE]` follows.
    """
    try:
        first = await anext(events)
    except StopAsyncIteration:
        first = None
    return StreamingResponse(_lines(first, events, named), media_type="text/event-stream")


async def _lines(
    first: Mapping[str, object] | None, events: AsyncIterator[Mapping[str, object]], named: bool
) -> AsyncIterator[str]:
    try:
        if first is not None:
            yield _line(first, named)
            async for event in events:
                yield _line(event, named)
    except Failure as failure:
        yield _line({"type": "error", **failure.body()} if named else failure.body(), named)
    except Exception:
        logger.exception("a stream failed")
        unknown = Failure.of(RuntimeError())
        yield _line({"type": "error", **unknown.body()} if named else unknown.body(), named)
    finally:
        await events.aclose()  # type: ignore[attr-defined]
    if not named:
        yield "data: [DONE]\n\n"


def _line(event: Mapping[str, object], named: bool) -> str:
    name = f"event: {event['type']}\n" if named else ""
    return f"{name}data: {json.dumps(event, ensure_ascii=False)}\n\n"
