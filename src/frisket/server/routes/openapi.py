"""GET /openapi.json → the OpenAPI document of this server."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from frisket.server.openapi import Operation

PATH, METHODS = "/openapi.json", ["GET"]
OPERATIONS = (Operation(PATH, "This document", dict[str, Any], is_open=True),)


async def endpoint(request: Request) -> Response:
    return JSONResponse(request.app.state.document)
