"""Host × port → nothing, or the error of an address on which no server of ours can listen."""

from __future__ import annotations

import errno
import os
import socket

from frisket.errors import FrisketError


def check_address(host: str, port: int) -> None:
    """FrisketError if the system does not let this program listen there: said before a model is loaded."""
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind, protocol) as probe:
                if os.name == "posix":  # as asyncio does: connections of an earlier server may still be closing
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
    except OSError as error:
        raise _unbound(host, port, error) from None


def _unbound(host: str, port: int, error: OSError) -> FrisketError:
    where = "--port"
    if error.errno == errno.EADDRINUSE:
        message = f"another program listens on port {port} of {host}"
        hint = f"choose another port, such as --port {port % 65535 + 1}; --port 0 takes any that is free"
    elif error.errno == errno.EACCES:
        message, hint = f"this user may not listen on port {port}", "choose a port from 1024 on, such as --port 8000"
    else:
        message = f"cannot listen on {host}: {(error.strerror or str(error)).lower()}"
        where, hint = "--host", "127.0.0.1 lets in this machine alone, 0.0.0.0 all machines"
    return FrisketError(message, where=where, hint=hint, code="port")
