"""HTTP request → checked body; events → a JSON document, or server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import TypeAlias, TypeVar

from anyio import fail_after
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from frisket import FrisketError
from frisket.extension import json_fault
from frisket.json_pointer import to_pointer
from frisket.server.failure import Failure
from frisket.server.field import UNSERVED
from frisket.server.service import Service

logger = logging.getLogger(__name__)

B = TypeVar("B", bound=BaseModel)

#: Most commas of a body; they bound its number of values. A prompt of token ids needs one per token. Python reads this
#: many in some 30 ms, during which all other clients wait.
MOST_COMMAS = 150_000


def client_of(request: Request) -> str:
    """The client that a request counts for: an IPv4 address, or a whole network of IPv6 addresses."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return str(ipaddress.ip_network((host, 64), strict=False)) if address.version == 6 else host


async def receive(request: Request) -> bytes:
    """The body of a request, counted for its client until `let_go`."""
    service: Service = request.app.state.service
    client, seconds = client_of(request), service.settings.body_seconds
    request.state.held = 0

    def hold(size: int) -> None:
        if not service.bodies.take(client, size):
            raise Failure(429, "too many bodies are being sent", code="queue-full", hint="try again later")
        request.state.held += size

    try:
        with fail_after(seconds):
            return await _chunks(request, hold)
    except TimeoutError:
        raise Failure(
            408, f"the body did not come within {seconds:g} s", code="timeout",
            hint="send it faster, or start the server with a larger --body-seconds",
        ) from None  # fmt: skip


def let_go(request: Request) -> None:
    """Stop counting the body of a request for its client."""
    service: Service = request.app.state.service
    service.bodies.give_back(client_of(request), getattr(request.state, "held", 0))


async def read(request: Request, model: type[B]) -> B:
    """The body as a model; a Failure says what is wrong, and where."""
    return parse(await _chunks(request), model)


async def _chunks(request: Request, hold: Callable[[int], None] | None = None) -> bytes:
    """The body in chunks; `hold` is called with the number of bytes so far."""
    limit = request.app.state.service.settings.max_body_bytes
    data = bytearray()
    async for chunk in request.stream():
        if hold is not None:
            hold(len(chunk))
        data += chunk
        if len(data) > limit:
            raise Failure(413, f"the body has more than {limit:,} bytes", code="limit", hint="send less")
    return bytes(data)


def parse(data: bytes, model: type[B]) -> B:
    """A body as a model; a Failure says what is wrong, and where."""
    if data.count(b",") > MOST_COMMAS:
        raise Failure(400, f"the body has more than {MOST_COMMAS:,} commas", code="limit", hint="send fewer values")
    try:
        body = from_json(data)
    except ValueError:
        body = _read_refused(data)
    if not isinstance(body, dict):
        raise Failure(400, "the body is not a JSON object", code="json")
    for name in [name for name in body if name in UNSERVED and name not in model.model_fields]:
        if not UNSERVED[name].allows(body.pop(name)):
            hint = UNSERVED[name].hint
            raise Failure(400, f"{name} is not supported", code="unsupported", where=f"/{name}", hint=hint)
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise Failure.of(error, body=body, fields=model.model_fields) from error


def _read_refused(data: bytes) -> object:
    """The value of a body that pydantic refuses; usually a Failure that says why, and where."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        fault = json_fault(error)
        code = "limit" if fault.is_limit else "json"
        at = f" ({fault.where})" if fault.where else ""
        raise Failure(400, f"the body {fault.message}{at}", code=code, hint=fault.hint) from error
    _refuse_half_pairs(body)
    return body


@contextlib.contextmanager
def rename_places(places: Mapping[str, str], *, tokens: str = "max_tokens") -> Iterator[None]:
    """Translate the places in errors of a block into places of this request.

    `tokens` is the request's field for `max_tokens`; an error about the field says its name, too.
    """
    try:
        yield
    except (Failure, FrisketError) as error:
        failure = Failure.of(error)
        if failure.where == "/max_tokens":
            failure.where = f"/{tokens}"
            failure.message = failure.message.replace("max_tokens", tokens)
            failure.hint = failure.hint and failure.hint.replace("max_tokens", tokens)
        failure.where = places.get(failure.where or "", failure.where)
        raise failure from error


def _refuse_half_pairs(body: object) -> None:
    """A Failure if a text of the body has half of a surrogate pair, which no vocabulary can spell."""
    agenda: list[tuple[_Place | None, object]] = [(None, body)]
    while agenda:
        place, value = agenda.pop()
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError as error:
                shown = to_pointer(_steps(place)).encode("ascii", "backslashreplace").decode()
                raise Failure(
                    400, f"half of a surrogate pair, {value[error.start]!r}, stands in the text", code="request",
                    where=shown, hint="send whole characters: a text was cut between its UTF-16 units",
                ) from None  # fmt: skip
        elif isinstance(value, list):
            agenda += [((place, n), item) for n, item in enumerate(value) if not _is_ascii(item)]
        elif isinstance(value, dict):
            agenda += [
                ((place, name), text) for name, item in value.items() for text in (name, item) if not _is_ascii(text)
            ]


#: A place as (place of the containing value, last step); building a pointer for each of 100,000 values would be slow.
_Place: TypeAlias = "tuple[_Place | None, int | str]"


def _steps(place: _Place | None) -> list[str]:
    """The steps from the root to a place."""
    steps: list[str] = []
    while place is not None:
        place, step = place
        steps.insert(0, str(step))
    return steps


def _is_ascii(value: object) -> bool:
    """Whether a value is certainly ASCII; False for non-empty containers."""
    return value.isascii() if isinstance(value, str) else not isinstance(value, list | dict) or not value


async def guarded(work: Awaitable[Response]) -> Response:
    """The response of an endpoint; an exception becomes a response, and an unexpected one is logged."""
    try:
        return await work
    except ClientDisconnect:
        return Response(status_code=499)  # the client has left, so nobody reads it
    except (Failure, FrisketError) as error:
        return Failure.of(error).response()
    except Exception as error:
        logger.exception("a request failed")
        return Failure.of(error).response()


async def while_connected(request: Request, response: Awaitable[Response]) -> Response:
    """The response, cancelled as soon as the client disconnects."""
    work = asyncio.ensure_future(response)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({work, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        return Response(status_code=499)  # the client has left, so nobody reads it
    finally:
        for task in (work, leaving):
            task.cancel()
        await asyncio.gather(work, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def answer(document: Awaitable[Mapping[str, object]]) -> Response:
    """The document as a response."""
    return JSONResponse(await document)


async def stream(events: AsyncIterator[Mapping[str, object]], *, named: bool = False) -> StreamingResponse:
    """Server-sent events; a failure before the first event sets the status, a later one becomes an event.

    `named`: each event has its `type` as its name, and no `[DONE]` follows the last.
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
