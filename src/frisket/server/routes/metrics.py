"""GET /metrics → metrics in the format of Prometheus."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from frisket.server.openapi import Operation
from frisket.server.service import Service

PATH, METHODS = "/metrics", ["GET"]
OPERATIONS = (Operation(PATH, "Figures for Prometheus", str, media_type="text/plain"),)


async def endpoint(request: Request) -> Response:
    service: Service = request.app.state.service
    return Response(service.metrics.text(), media_type="text/plain; version=0.0.4")
