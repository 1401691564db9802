"""GET /v1/models and /v1/models/{name} → the one model."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from frisket.server.service import Service

PATHS, METHODS = ("/v1/models", "/v1/models/{name:path}"), ["GET"]


async def endpoint(request: Request) -> Response:
    service: Service = request.app.state.service
    described: dict[str, Any] = {
        "id": service.settings.name,
        "object": "model",
        "created": 0,
        "owned_by": "frisket",
        "max_model_len": service.model.context,
    }
    name = request.path_params.get("name")
    if name is None:
        return JSONResponse({"object": "list", "data": [described]})
    service.check_model(name)
    return JSONResponse(described)
