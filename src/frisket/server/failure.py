"""What went wrong → a status, and a body in OpenAI's shape with frisket's code, place and hint."""

from __future__ import annotations

from pydantic import ValidationError
from starlette.responses import JSONResponse, Response

from frisket.errors import EngineError, FrisketError, RefusedToolsError, UnsupportedSchemaError
from frisket.server.field import LISTED
from frisket.server.shape import Error, ErrorBody, ErrorType

#: OpenAI's `type`, by status.
TYPES: dict[int, ErrorType] = {
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "server_error",
}


#: What else a response says, by status. After 408 the rest of the body may still come.
HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 408: {"Connection": "close"}, 429: {"Retry-After": "1"}}
#: Faults of a body among which the first one is looked for: pydantic words all of them, some 2 µs each.
MOST_FAULTS = 1_000
#: Fields of OpenAI's that may only say what is so without them.
PENALTIES = ("frequency_penalty", "presence_penalty")


class Failure(Exception):
    """A request that is refused: its status, and what its body says."""

    def __init__(
        self, status: int, message: str, *, code: str, where: str | None = None, hint: str | None = None,
        places: list[tuple[str, str]] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.status, self.message, self.code, self.where, self.hint = status, message, code, where, hint
        self.places = places or []

    @classmethod
    def of(cls, error: BaseException, *, where: str | None = None) -> Failure:
        """The same as a failure: the client's fault (400), or the server's (500)."""
        if isinstance(error, Failure):
            return error
        if isinstance(error, FrisketError):
            place = error.where if where is None else f"{where}{error.where or ''}"
            places = error.places if isinstance(error, UnsupportedSchemaError | RefusedToolsError) else []
            status = 500 if isinstance(error, EngineError) else 400
            return cls(status, error.message, code=error.code, where=place, hint=error.hint, places=places)
        if isinstance(error, ValidationError):
            if error.error_count() > MOST_FAULTS:
                return cls(400, f"the body has {error.error_count():,} faults", code="request", hint=LISTED)
            first = error.errors(include_url=False, include_input=False)[0]
            place = "/".join(str(part) for part in first["loc"])
            message, hint = first["msg"], None
            if first["type"] == "extra_forbidden":
                message, hint = f"there is no field {first['loc'][-1]!r} here", LISTED
            elif place.endswith(PENALTIES):
                message, hint = f"{place} is not served, but for 0", "leave it out, or send repetition_penalty"
            return cls(400, message, code="request", where=place or None, hint=hint)
        return cls(500, "the server failed; its log says how", code="server")

    def body(self) -> ErrorBody:
        # Clients show the message alone: it says all.
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
