"""Error → HTTP status, and a body in OpenAI's form with frisket's code, place and hint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from starlette.responses import JSONResponse, Response

from frisket import FrisketError
from frisket.errors import EngineError, RefusedToolsError, UnsupportedSchemaError
from frisket.json_pointer import to_pointer
from frisket.server.field import FUNCTION, LISTED
from frisket.server.shape import Error, ErrorBody, ErrorType

#: Status → OpenAI's error `type`.
TYPES: dict[int, ErrorType] = {
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "server_error",
}


#: Status → extra headers. After 408 the rest of the body may still arrive.
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 408: {"Connection": "close"}, 429: {"Retry-After": "1"}}
#: Most faults of a body among which the first is searched: pydantic formats each, in about 2 µs.
MOST_FAULTS = 1_000
#: Characters of a name that no field of a request has.
LONG = 40
#: OpenAI's fields that are accepted only with their default value.
PENALTIES = ("frequency_penalty", "presence_penalty")
#: Pattern of a place that names a field of the request.
FIELD = re.compile("[a-z_]+(/.*)?")


def pointer(location: Sequence[int | str], body: Any, *, is_missing: bool = False) -> str:
    """The JSON pointer of a place that pydantic reports; the names of types among its steps are left out.

    `is_missing`: whether there is no value at the place.

    >>> pointer(("tools", 0, "function", "name"), {"tools": [{"type": "function"}]}, is_missing=True)
    '/tools/0/name'
    >>> format = {"type": "json_schema", "json_schema": {}}
    >>> pointer(("response_format", "json_schema", "name"), {"response_format": format}, is_missing=True)
    '/response_format/json_schema/name'
    """
    found: list[str] = []
    value, is_tagged = body, False
    for number, step in enumerate(location):
        # All types of response formats are read by one class, so pydantic adds no type name to their place.
        can_be_tagged = isinstance(value, dict) and not is_tagged and found != ["response_format"]
        if can_be_tagged and step == value.get("type"):
            is_tagged = True  # this step names a type, even if a member has the same name
            continue
        inner: Any = None
        if isinstance(value, dict):
            inner = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            inner = value[step]
        is_last = is_missing and isinstance(value, dict) and number == len(location) - 1
        if inner is not None or is_last or (isinstance(value, dict) and step in value):
            found.append(str(step))
            value, is_tagged = inner, False
    return to_pointer(found)


class Failure(Exception):
    """A refused request: its status, and the parts of the response's body. `where` points into the request."""

    def __init__(
        self, status: int, message: str, *, code: str, where: str | None = None, hint: str | None = None,
        places: list[tuple[str, str]] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.status, self.message, self.code, self.where, self.hint = status, message, code, where, hint
        self.places = places or []

    @classmethod
    def of(
        cls, error: BaseException, *, where: str | None = None, body: Any = None, fields: Iterable[str] = ()
    ) -> Failure:
        """An error as a failure: the client's fault (400), or the server's (500).

        `where` points to the part of the request that caused the error. If a model refused the request, `body` is the
        request, and `fields` are the names of the model's own fields.
        """
        if isinstance(error, Failure):
            return error
        if isinstance(error, FrisketError):
            return cls._of_frisket(error, where)
        if isinstance(error, ValidationError):
            if error.error_count() > MOST_FAULTS:
                return cls(400, f"the body has {error.error_count():,} faults", code="request", hint=LISTED)
            first = error.errors(include_url=False, include_input=False)[0]
            place, message, hint = (
                pointer(first["loc"], body, is_missing=first["type"] == "missing"),
                first["msg"].removeprefix("Value error, "),
                None,
            )
            if first["type"] == "extra_forbidden":
                name = str(first["loc"][-1])
                near = get_close_matches(name, fields, 1) if len(first["loc"]) == 1 and len(name) < LONG else []
                message, hint = f"there is no field {name!r} here", f"do you mean {near[0]}?" if near else LISTED
            elif first["type"] == "missing":
                message = f"the field {place.rpartition('/')[2]} is missing"
                hint = "GET /v1/models names it" if place == "/model" else "GET /openapi.json says what is sent"
            elif first["type"] == "union_tag_not_found":
                message = "the field type is missing"
                hint = FUNCTION if first["loc"][0] == "tools" and "messages" in (body or ()) else None
            elif place.endswith(PENALTIES):
                message, hint = f"{place[1:]} is not served, but for 0", "leave it out, or send repetition_penalty"
            return cls(400, message, code="request", where=place or None, hint=hint)
        return cls(500, "the server failed; its log says how", code="server")

    @classmethod
    def _of_frisket(cls, error: FrisketError, where: str | None) -> Failure:
        places = error.places if isinstance(error, UnsupportedSchemaError | RefusedToolsError) else []
        status = 500 if isinstance(error, EngineError) else 400
        place, message = where, error.message
        if not error.where or error.where.startswith("/"):
            place = f"{where or ''}{error.where or ''}" or None
        elif where is None and FIELD.fullmatch(error.where):
            place = f"/{error.where}"
        elif not FIELD.fullmatch(error.where):
            # The error's place is inside a text (line and column, or offset), not a place in the request.
            message = f"{message} ({error.where})"
        hint = error.hint and error.hint.replace(" (--on-budget cut)", "")  # the option of the command line
        return cls(status, message, code=error.code, where=place, hint=hint, places=places)

    def body(self) -> ErrorBody:
        # Many clients show only the message, so it includes place and hint.
        place = f" (at {self.where})" if self.where else ""
        advice = f"\nhint: {self.hint}" if self.hint else ""
        error: Error = {
            "message": f"{self.message}{place}{advice}",
            "type": TYPES.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error"),
            "param": self.where,
            "code": self.code,
            "where": self.where,
            "hint": self.hint,
        }
        if self.places:
            error["places"] = [{"pointer": pointer, "reason": reason} for pointer, reason in self.places]
        return {"error": error}

    def response(self) -> Response:
        return JSONResponse(self.body(), self.status, HEADERS.get(self.status))
