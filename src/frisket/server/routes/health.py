"""GET /health → whether answers are being written."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from frisket.server.openapi import Operation
from frisket.server.service import Service
from frisket.server.shape import Health

PATH, METHODS = "/health", ["GET"]
OPERATIONS = (
    Operation(PATH, "Whether answers are being written", Health, statuses={503: "no more answers are written"},
              is_open=True),
)  # fmt: skip


async def endpoint(request: Request) -> Response:
    service: Service = request.app.state.service
    alive = service.scheduler.alive
    health: Health = {
        "status": "ok" if alive else "failed",
        "active": service.scheduler.active,
        "queued": service.scheduler.queued,
    }
    return JSONResponse(health, 200 if alive else 503)
