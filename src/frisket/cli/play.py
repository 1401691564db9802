"""`frisket play`: models → a page in the browser that shows masks token by token."""

from __future__ import annotations

import importlib
import socket
import webbrowser
from functools import partial
from threading import Timer
from typing import Annotated, Any

import typer

from frisket.cli import source
from frisket.cli.address import check_address
from frisket.errors import MissingDependencyError

EXAMPLES = """[dim]$[/dim] frisket play

[dim]$[/dim] frisket play --model smollm2 --no-open

[dim]$[/dim] frisket play --model weights/qwen.gguf --model transformers:Qwen/Qwen3-0.6B --port 9000

The page is for this machine alone: it listens on 127.0.0.1. Ctrl-C ends it.
"""
HOST = "127.0.0.1"
#: Models that are offered besides those of --model; each is loaded on first use.
ALWAYS = ("embedded", "smollm2")


def command(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="A model to offer, as for `generate`; may be given again. The first is chosen.",
            show_default="embedded",
        ),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes any that is free.")] = 8765,
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="The most that one answer may have.")] = 4096,
    max_source_bytes: Annotated[
        int, typer.Option("--max-source-bytes", min=1, help="Of one schema, pattern or grammar.")
    ] = 1_000_000,
) -> None:
    """Show masks token by token in the browser: why each token came, and what it would have been without them."""
    try:
        uvicorn: Any = importlib.import_module("uvicorn")
    except ImportError as error:
        raise MissingDependencyError.of("uvicorn", "server") from error
    from frisket.play import Settings, make_application

    names = list(dict.fromkeys([*(model or ()), *ALWAYS]))
    settings = Settings(
        max_tokens=max_tokens, max_source_bytes=max_source_bytes, max_body_bytes=3 * max_source_bytes + 1_000_000
    )
    application = make_application({name: partial(source.model, name) for name in names}, settings)
    check_address(HOST, port)
    listening = socket.create_server((HOST, port))
    address = f"http://{HOST}:{listening.getsockname()[1]}"
    typer.echo(f"frisket play: {address}  (Ctrl-C ends it)", err=True)
    if opened:
        opening = Timer(0.3, partial(webbrowser.open, address))
        opening.daemon = True
        opening.start()
    server = uvicorn.Server(uvicorn.Config(application, log_level="warning", access_log=False))
    server.run(sockets=[listening])
