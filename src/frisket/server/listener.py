"""ASGI application × address × time limits → a server that listens, enforces the limits, and ends on a signal.

uvicorn closes a connection that is silent between two requests, and gives answers a grace period. It waits forever for
the rest of a request's headers, and for a client that does not read; this module adds limits for both.
"""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol


@dataclass(frozen=True)
class Times:
    """Time limits for clients, in seconds. The limit for bodies is in `Settings`: the application reads bodies."""

    header_seconds: float = 10
    """From the connection, or from the first byte of a further request, to the end of the request's headers."""
    stall_seconds: float = 30
    """How long a client may leave sent bytes unread before its connection is closed."""
    grace_seconds: int = 30
    """How long answers may go on after the first signal; a second signal ends the process at once."""
    idle_seconds: int = 75
    """How long a connection may be silent between two requests. Clients must close first, since a request that arrives
    while the server closes is lost. httpx, and so OpenAI's client, keeps connections for 5 s, as long as uvicorn
    does."""


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's connection, aborted if a client takes too long."""

    def __init__(self, *arguments: Any, times: Times, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._times = times
        self._headers: asyncio.TimerHandle | None = None
        self._stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # Any unread byte counts as a stall, not only more than 64 KiB.
        transport.set_write_buffer_limits(high=0)
        self._headers = self._abort_in(self._times.header_seconds)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        is_asked = self.cycle is not None and not self.cycle.response_complete
        if is_asked and self._headers is not None:
            self._headers.cancel()
            self._headers = None
        elif not is_asked and self._headers is None:
            self._headers = self._abort_in(self._times.header_seconds)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall = self._abort_in(self._times.stall_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stall is not None:
            self._stall.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._headers, self._stall):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def _abort_in(self, seconds: float) -> asyncio.TimerHandle:
        # `abort`, not `close`, which would wait until the client has read the whole buffer.
        return asyncio.get_running_loop().call_later(seconds, self.transport.abort)


class Server(uvicorn.Server):
    """A server of one application at one address, which keeps to `Times`.

        Server(make_application(frisket.models.embedded()), port=8000).run()

    `more` are arguments of `uvicorn.Config`.
    """

    def __init__(
        self, application: Any, *, host: str = "127.0.0.1", port: int = 8000, times: Times | None = None, **more: Any
    ) -> None:
        times = times or Times()
        connection: Any = partial(Connection, times=times)
        super().__init__(
            uvicorn.Config(
                application,
                host=host,
                port=port,
                http=connection,
                timeout_graceful_shutdown=times.grace_seconds,
                timeout_keep_alive=times.idle_seconds,
                **more,
            )
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End within the grace period; a second signal meets the system's own handlers, which end the process."""
        super().handle_exit(sig, frame)
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.SIG_DFL)
