"""Model × Settings → an ASGI application with its routes, its API key and its error responses."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from frisket.errors import MissingDependencyError

try:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware.cors import CORSMiddleware
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from frisket.server.exchange import guarded, let_go
    from frisket.server.openapi import document
    from frisket.server.routes import chat_completions, completions, health, metrics, models, openapi, responses
    from frisket.server.routes.responses import LEFT_OUT
    from frisket.server.service import Service
except ImportError as error:
    raise MissingDependencyError.of(error.name or "starlette", "server") from error

from frisket.models import Model
from frisket.server.failure import Failure
from frisket.server.settings import Settings
from frisket.server.span import span

Endpoint = Callable[[Request], Awaitable[Response]]


def make_application(model: Model, settings: Settings | None = None) -> Starlette:
    """OpenAI's API over one model, as an ASGI application for uvicorn or another server.

        uvicorn.run(make_application(frisket.models.embedded()), host="127.0.0.1", port=8000)

    MissingDependencyError without `frisket-llm[server]`.
    """
    modules = (chat_completions, completions, responses, models, health, metrics, openapi)
    operations = [operation for module in modules for operation in module.OPERATIONS]
    service = Service(model, settings or Settings())
    unguarded = frozenset(operation.path for operation in operations if operation.is_open)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        service.scheduler.close()

    routes = [
        Route(path, _with_key_check(module.endpoint, service, path, is_open=path in unguarded), methods=module.METHODS)
        for module in modules
        for path in getattr(module, "PATHS", None) or (module.PATH,)
    ]
    application = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: _unknown})
    if service.settings.cors_origins:
        application.add_middleware(
            CORSMiddleware, allow_origins=service.settings.cors_origins, allow_methods=["GET", "POST"],
            allow_headers=["*"], expose_headers=[LEFT_OUT],
        )  # fmt: skip
    application.state.service = service
    application.state.document = document(operations, service.settings)
    return application


def _with_key_check(endpoint: Endpoint, service: Service, path: str, *, is_open: bool) -> Endpoint:
    """The endpoint behind the API key; an exception becomes a response, and every response is counted."""
    key = service.settings.api_key

    async def counted(request: Request) -> Response:
        said = {"http.request.method": request.method, "http.route": path}
        with span(f"{request.method} {path}", said, request.headers) as around:
            try:
                response = await guarded(permitted(request))
            finally:
                let_go(request)
            around.set_attribute("http.response.status_code", response.status_code)
        service.metrics.requests.labels(path, str(response.status_code)).inc()
        return response

    async def permitted(request: Request) -> Response:
        if key is not None and not is_open:
            given = request.headers.get("authorization", "")
            if not secrets.compare_digest(given.encode(), f"Bearer {key}".encode()):
                raise Failure(401, "the API key is missing or wrong", code="api-key", hint="Authorization: Bearer KEY")
        return await endpoint(request)

    return counted


async def _unknown(request: Request, error: Any) -> Response:
    message = {404: f"there is no {request.url.path}", 405: f"{request.url.path} does not take {request.method}"}
    failure = Failure(
        error.status_code, message.get(error.status_code, error.detail), code="route",
        hint="POST /v1/chat/completions, /v1/completions, /v1/responses; GET /v1/models, /health, /metrics; "
        "GET /openapi.json says what each takes",
    )  # fmt: skip
    response = failure.response()
    response.headers.update(error.headers or {})
    return response
