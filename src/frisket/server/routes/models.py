"""GET /v1/models and /v1/models/{name} → the one model of the server."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from frisket.server.openapi import Operation
from frisket.server.service import Service
from frisket.server.shape import ModelCard, ModelList

PATHS, METHODS = ("/v1/models", "/v1/models/{name:path}"), ["GET"]
OPERATIONS = (
    Operation("/v1/models", "All models: one", ModelList),
    Operation("/v1/models/{name}", "The model", ModelCard, refused={404: "there is no such model"}),
)


async def endpoint(request: Request) -> Response:
    service: Service = request.app.state.service
    described: ModelCard = {
        "id": service.settings.name,
        "object": "model",
        "created": 0,
        "owned_by": "frisket",
        "max_model_len": service.model.context,
    }
    name = request.path_params.get("name")
    if name is None:
        every: ModelList = {"object": "list", "data": [described]}
        return JSONResponse(every)
    service.check_model(name)
    return JSONResponse(described)
