"""Models × Settings → an ASGI application: the page and its API."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Any, get_args

from frisket import FrisketError
from frisket.errors import MissingDependencyError

try:
    from starlette.applications import Starlette
    from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import Response, StreamingResponse
    from starlette.routing import Route

    from frisket.play import check as checking
    from frisket.play import view
    from frisket.play.body import Ask, Explain, Mend, Run, Search, Source
    from frisket.play.service import Kept, Service
    from frisket.server.exchange import guarded, read
    from frisket.server.failure import Failure
except ImportError as error:
    raise MissingDependencyError.of(error.name or "starlette", "server") from error

from frisket.extension import LEVELS, PALETTE
from frisket.models import Model
from frisket.play import example, export, search
from frisket.play.guard import Guard
from frisket.play.notation import NOTATIONS
from frisket.play.place import Places
from frisket.play.settings import Settings

logger = logging.getLogger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]
#: Suffix of a page's file → media type.
MEDIA = {"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
         "svg": "image/svg+xml"}  # fmt: skip
#: Most tokens of a list in one response.
STRETCH = 500


def make_application(models: Mapping[str, Callable[[], Model]], settings: Settings | None = None) -> Starlette:
    """The page over some models, each loaded when it is first chosen, as an ASGI application.

    uvicorn.run(make_application({"embedded": frisket.models.embedded}), host="127.0.0.1", port=8765)

    It answers only requests of this machine. MissingDependencyError without `frisket-llm[server]`.
    """
    routes = [
        Route("/", _with_error_responses(_page)),
        Route("/page/{name}", _with_error_responses(_file)),
        Route("/api/offer", _with_error_responses(_offer)),
        Route("/api/check", _with_error_responses(_check), methods=["POST"]),
        Route("/api/mend", _with_error_responses(_mend), methods=["POST"]),
        Route("/api/answers", _with_error_responses(_begin), methods=["POST"]),
        Route("/api/searches", _with_error_responses(_search), methods=["POST"]),
        Route("/api/answers/{id}", _with_error_responses(_state)),
        Route("/api/answers/{id}", _with_error_responses(_forget), methods=["DELETE"]),
        Route("/api/answers/{id}/run", _with_error_responses(_run), methods=["POST"]),
        Route("/api/answers/{id}/steps/{n:int}", _with_error_responses(_look)),
        Route("/api/answers/{id}/steps/{n:int}/tokens", _with_error_responses(_tokens)),
        Route("/api/answers/{id}/steps/{n:int}/explain", _with_error_responses(_explain), methods=["POST"]),
        Route("/api/answers/{id}/export/{kind}", _with_error_responses(_export)),
    ]
    application = Starlette(
        routes=routes, middleware=[Middleware(Guard)], exception_handlers={HTTPException: _unknown}
    )  # fmt: skip
    application.state.service = Service(models, settings or Settings())
    return application


def _with_error_responses(endpoint: Endpoint) -> Endpoint:
    """The endpoint with its exceptions turned into responses."""

    async def answered(request: Request) -> Response:
        return await guarded(endpoint(request))

    return answered


async def _unknown(request: Request, error: Any) -> Response:
    message = {404: f"there is no {request.url.path}", 405: f"{request.url.path} does not take {request.method}"}
    failure = Failure(error.status_code, message.get(error.status_code, error.detail), code="route")
    return failure.response()


def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


def _kept(request: Request) -> Kept:
    return _service(request).kept(request.path_params["id"])


def _json(content: Any, status: int = 200) -> Response:
    # In ASCII, since a key may hold half a surrogate pair, which UTF-8 cannot encode.
    return Response(json.dumps(content, allow_nan=False), status, media_type="application/json")


def _line(content: Any) -> str:
    return json.dumps(content, allow_nan=False) + "\n"


def _failed(error: Exception) -> str:
    """The last line of a stream that has failed."""
    if not isinstance(error, Failure | FrisketError):
        logger.exception("a stream failed", exc_info=error)
    return _line({"error": view.failed(error)})


async def _page(request: Request) -> Response:
    return _shipped("index.html")


async def _file(request: Request) -> Response:
    name = request.path_params["name"]
    if name == "palette.css":
        return Response(PALETTE, media_type=MEDIA["css"])
    return _shipped(name)


def _shipped(name: str) -> Response:
    ending = name.rpartition(".")[2]
    known = {file.name for file in files("frisket.play").joinpath("page").iterdir()}
    if name not in known or ending not in MEDIA:
        raise Failure(404, f"there is no {name}", code="route")
    return Response(files("frisket.play").joinpath("page", name).read_bytes(), media_type=MEDIA[ending])


async def _offer(request: Request) -> Response:
    """The features of the page; each has a control."""
    service = _service(request)
    return _json(
        {
            "models": [{"name": name, "loaded": one.model is not None} for name, one in service.models.items()],
            "notations": [{"name": name, "title": one.title, "json": one.is_json} for name, one in NOTATIONS.items()],
            "examples": example.listed(),
            "levels": LEVELS,
            "limits": {name: getattr(service.settings, name)
                       for name in ("max_tokens", "max_source_bytes", "max_prompt_bytes")},
            "strategies": search.listed(),
        }
    )  # fmt: skip


async def _check(request: Request) -> Response:
    source = await read(request, Source)
    service = _service(request)
    service.fits(source.text)
    model = await run_in_threadpool(service.loaded(source.model).get)
    parts = checking.check(
        source.notation, source.text, source.options, service.settings.limits, model.vocabulary
    )  # fmt: skip
    return StreamingResponse(_json_lines(iterate_in_threadpool(parts)), media_type="application/x-ndjson")


async def _mend(request: Request) -> Response:
    mend = await read(request, Mend)
    _service(request).fits(mend.text)
    return _json({"text": await run_in_threadpool(checking.mended, mend.text, unsafe=mend.unsafe)})


async def _begin(request: Request) -> Response:
    ask = await read(request, Ask)
    try:
        name, kept = await run_in_threadpool(_service(request).begin, ask)
    except FrisketError as error:
        said = checking.refused(error, Places(ask.text, is_json=NOTATIONS[ask.notation].is_json))
        return _json({"error": said}, Failure.of(error).status)
    return _json({"id": name, "state": view.state(kept.answer), "max_tokens": kept.answer.plan.max_tokens})


async def _search(request: Request) -> Response:
    ask = await read(request, Search)
    service = _service(request)
    loaded, finder = await run_in_threadpool(service.finder, ask)
    return StreamingResponse(_json_lines(service.search(loaded, finder)), media_type="application/x-ndjson")


async def _json_lines(parts: AsyncIterator[Any]) -> AsyncIterator[str]:
    """One line of JSON per part; the last line may be an error."""
    try:
        async for part in parts:
            yield _line(part)
    except Exception as error:
        yield _failed(error)
    finally:
        await parts.aclose()  # type: ignore[attr-defined]


async def _state(request: Request) -> Response:
    answer = _kept(request).answer
    made = list(answer.moments)
    return _json({"state": view.state(answer), "steps": [view.moment(answer, n, one) for n, one in enumerate(made)]})


async def _forget(request: Request) -> Response:
    _service(request).forget(request.path_params["id"])
    return _json({})


async def _run(request: Request) -> Response:
    run = await read(request, Run)
    kept = _kept(request)
    if run.back is not None and run.back > len(kept.answer.moments):
        raise Failure(400, f"there are {len(kept.answer.moments)} steps", code="request", where="/back")
    return StreamingResponse(_written(_service(request), kept, run), media_type="application/x-ndjson")


async def _written(service: Service, kept: Kept, run: Run) -> AsyncIterator[str]:
    """One line of JSON per step, then the state; an error comes before the state."""
    steps = service.run(kept, run)
    try:
        async for made in steps:
            yield "".join(_line({"step": view.moment(kept.answer, n, one)}) for n, one in made)
    except Exception as error:
        yield _failed(error)
    finally:
        await steps.aclose()  # type: ignore[attr-defined]
    yield _line({"state": view.state(kept.answer)})


async def _seen(request: Request) -> tuple[Kept, int, Any]:
    """(the answer, the step, the look before it); at the end, the look calls the model."""
    kept, number = _kept(request), request.path_params["n"]
    made = kept.answer.moments
    if number < len(made):
        return kept, number, made[number].look
    if number > len(made) or kept.answer.finish is not None:
        raise Failure(404, f"there are {len(made)} steps", code="step", hint="the answer is over, or was cut back")
    return kept, number, await _service(request).next(kept)


async def _look(request: Request) -> Response:
    kept, number, seen = await _seen(request)
    return _json(await run_in_threadpool(view.look, kept.answer, number, seen))


async def _tokens(request: Request) -> Response:
    kept, number, seen = await _seen(request)
    query = request.query_params
    try:
        offset, limit = int(query.get("offset", "0")), int(query.get("limit", "100"))
    except ValueError as error:
        raise Failure(400, "offset and limit are numbers", code="request") from error
    if offset < 0 or not 0 < limit <= STRETCH:
        raise Failure(400, f"limit is at most {STRETCH}", code="request", where="/limit")
    search = query.get("search", "")[:200]
    return _json(await run_in_threadpool(view.tokens, kept.answer, number, seen, search, offset, limit))


async def _explain(request: Request) -> Response:
    asked = await read(request, Explain)
    given = asked.text if asked.token is None else asked.token
    if given is None or (asked.text is not None and asked.token is not None):
        raise Failure(400, "explain takes a text or a token", code="request")
    kept, number = _kept(request), request.path_params["n"]
    matcher = kept.answer.matcher(number)
    if matcher is None:
        raise Failure(409, "the text has left the grammar: nothing may come next", code="outside")
    if isinstance(given, int) and given >= kept.answer.vocabulary.size:
        raise Failure(400, f"{given} is no token", code="request", where="/token")
    return _json(await run_in_threadpool(view.explained, kept.answer, number, matcher, given))


async def _export(request: Request) -> Response:
    kept, kind = _kept(request), request.path_params["kind"]
    if kind not in get_args(export.Kind):
        raise Failure(404, f"nothing is exported as {kind}", code="export", hint=", ".join(get_args(export.Kind)))
    async with kept.running:
        text = await run_in_threadpool(export.exported, kept.answer, kept.ask, kind)
    # The exported file must only be saved, and never run in this page.
    headers = {"Content-Disposition": f'attachment; filename="{export.NAMES[kind]}"'}
    return Response(text, media_type=export.MEDIA[kind], headers=headers)
