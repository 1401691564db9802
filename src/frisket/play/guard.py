"""Request → the application if the request comes from its own page, otherwise a refusal; adds security headers.

A page of another site can send requests to a port of this machine. Three checks refuse these. The Host must be a
loopback name, so that no other name was made to point here. The Origin must be the page's own. A body must be declared
as JSON, which an HTML form cannot do.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frisket.server.failure import Failure

HOSTS = frozenset(("127.0.0.1", "localhost", "::1"))
#: Content security policy: nothing from other hosts, no inline script or style, no text turned into markup.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """The application, behind checks of its requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def fenced(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        failure = refusal(scope["method"], scope["path"], Headers(scope=scope))
        await (self._app if failure is None else failure.response())(scope, receive, fenced)


def refusal(method: str, path: str, headers: Headers) -> Failure | None:
    """The refusal of a request from elsewhere; None if the page sent it."""
    if _name(headers.get("host", "")) not in HOSTS:
        return Failure(
            403, "this page is for this machine alone", code="host", hint="open http://127.0.0.1 and its port"
        )
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{headers['host']}":
        return Failure(403, f"a page of {origin} may not ask here", code="origin")
    # Other sites may link to the page. Its state is in the fragment, which browsers do not send.
    if path.startswith("/api/") and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return Failure(403, "another site may not ask here", code="origin")
    if method == "POST" and headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return Failure(415, "a body is JSON", code="request", hint="Content-Type: application/json")
    return None


def _name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
