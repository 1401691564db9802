"""Operations of the routes × settings → the OpenAPI 3.1 document, made from the models that check requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, TypeAdapter

import frisket
from frisket.server.field import UNSERVED
from frisket.server.settings import Settings
from frisket.server.shape import ErrorBody

Parts = Mapping[tuple[str, str], dict[str, Any]]
REFERENCE = "#/components/schemas/{model}"
#: Status → description of refusals, for any request and for requests with a body.
ANY_REQUEST = {500: "the server failed"}
KEY_NEEDED = {401: "the API key is missing or wrong"}
WITH_BODY = {
    400: "what is asked for cannot be served: `code` says why, `where` the place",
    404: "there is no such model",
    408: "the body came too slowly",
    413: "the body is too large",
    429: "too many answers wait",
    503: "the server is shutting down",
}


@dataclass(frozen=True)
class Operation:
    """The description of one path. `event` is the type of an event, if answers may be streamed."""

    path: str
    summary: str
    answer: Any
    request: type[BaseModel] | None = None
    event: Any = None
    media_type: str = "application/json"
    examples: Mapping[str, Any] = field(default_factory=dict)
    refused: Mapping[int, str] = field(default_factory=dict)
    statuses: Mapping[int, str] = field(default_factory=dict)
    """Other statuses whose body is an answer."""
    has_done: bool = True
    """Whether a stream ends with `[DONE]`."""
    is_open: bool = False
    """Whether the path needs no API key."""


def document(operations: Sequence[Operation], settings: Settings) -> dict[str, Any]:
    """The document of one server; the schemas include its model's name and its limits."""
    types: dict[tuple[str, str], Any] = {("", "error"): ErrorBody}
    for one in operations:
        of_one = {"request": one.request, "answer": one.answer, "event": one.event}
        types |= {(one.path, part): type_ for part, type_ in of_one.items() if type_ is not None}
    found, every = TypeAdapter.json_schemas(
        [(name, "validation", TypeAdapter(type_)) for name, type_ in types.items()], ref_template=REFERENCE
    )
    parts = {name: schema for (name, _), schema in found.items()}
    schemas: dict[str, Any] = every.get("$defs", {})
    for schema in schemas.values():
        if "properties" in schema:
            # A typed dictionary is closed, but its schema does not say it.
            schema.setdefault("additionalProperties", False)
    for one in operations:
        if one.request is not None:
            _add_limits(schemas[one.request.__name__]["properties"], settings)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "frisket",
            "version": frisket.__version__,
            "description": "OpenAI's API over one model, with every answer valid by construction.",
        },
        "paths": {one.path: {"post" if one.request else "get": _described(one, parts, settings)} for one in operations},
        "components": {
            "schemas": schemas,
            **(
                {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}}
                if settings.api_key is not None
                else {}
            ),
        },
    }


def _described(one: Operation, parts: Parts, settings: Settings) -> dict[str, Any]:
    """The description of one operation; `parts` are the schemas by path and part."""
    keyed, model = settings.api_key is not None and not one.is_open, settings.name
    refused = {**ANY_REQUEST, **(KEY_NEEDED if keyed else {}), **(WITH_BODY if one.request else {}), **one.refused}
    content: dict[str, Any] = {one.media_type: {"schema": parts[one.path, "answer"]}}
    if one.event is not None:
        content["text/event-stream"] = {"schema": _event(parts[one.path, "event"], done=one.has_done)}
    responses: dict[str, Any] = {"200": {"description": "OK", "content": content}}
    for status, reason in one.statuses.items():
        responses[str(status)] = {"description": reason, "content": content}
    error = {"application/json": {"schema": parts["", "error"]}}
    for status, reason in sorted(refused.items()):
        responses[str(status)] = {"description": reason, "content": error}
    found: dict[str, Any] = {"summary": one.summary, "responses": responses}
    if "{name}" in one.path:
        name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}, "example": model}
        found["parameters"] = [name]
    if keyed:
        found["security"] = [{"key": []}]
    if one.request is not None:
        examples = {name: {"value": {**value, "model": model}} for name, value in one.examples.items()}
        body = {"schema": parts[one.path, "request"], "examples": examples}
        found["requestBody"] = {"required": True, "content": {"application/json": body}}
    return found


def _event(schema: dict[str, Any], *, done: bool) -> dict[str, Any]:
    """The schema of one event of a stream: OpenAPI 3.1 has none for a sequence, and tools read `schema` as an item."""
    data = {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}
    return {
        "type": "object",
        "description": "Where `stream` is true: one event; `data` is JSON.",
        "properties": {
            "event": {"type": "string"},
            "data": {"anyOf": [{"const": "[DONE]"}, data]} if done else data,
        },
        "required": ["data"],
    }


def _add_limits(properties: dict[str, Any], settings: Settings) -> None:
    """Add the model's name, the limits, and the fields that need their default value to the schema of a request."""
    properties["model"] |= {"const": settings.name}
    limits = {"n": settings.max_choices}
    limits |= dict.fromkeys(("max_tokens", "max_completion_tokens", "max_output_tokens"), settings.max_tokens)
    for name, most in limits.items():
        for choice in properties.get(name, {}).get("anyOf", ()):
            if choice.get("type") == "integer":
                choice["maximum"] = most
    for name, unserved in UNSERVED.items():
        properties.setdefault(name, {"enum": unserved.values, "description": unserved.hint})
