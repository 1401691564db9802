"""GET /health → whether answers are being written."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from frisket.server.service import Service

PATH, METHODS = "/health", ["GET"]


async def endpoint(request: Request) -> Response:
    service: Service = request.app.state.service
    alive = service.scheduler.alive
    figures = {"active": service.scheduler.active, "queued": service.scheduler.queued}
    return JSONResponse({"status": "ok" if alive else "failed", **figures}, 200 if alive else 503)
