"""`frisket serve`: model → a server with OpenAI's API."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from frisket import environment
from frisket.cli import option, source
from frisket.cli.address import check_address
from frisket.errors import MissingDependencyError, UnknownFamilyError
from frisket.json_schema.options import JSONSchemaOptions

if TYPE_CHECKING:
    from frisket.models import Model
    from frisket.tools import Family

#: Python's switch interval in seconds: how long a computing thread delays the others. With two such threads, a first
#: token took 245 ms at Python's default of 5 ms, and 143 ms at this value (on 2 cores that did other work as well).
SWITCH_SECONDS = 0.0005

EXAMPLES = """[dim]$[/dim] frisket serve

[dim]$[/dim] frisket serve --model smollm2 --port 8080

[dim]$[/dim] frisket serve --closed-objects --whitespace compact

[dim]$[/dim] FRISKET_API_KEY=secret frisket serve --host 0.0.0.0

Any client of OpenAI's API will do: its base URL is http://127.0.0.1:8000/v1, and the model's name that of --model.
"""


def _number(least: float, meaning: str) -> Any:
    """A numeric option with the name of its parameter."""
    return typer.Option(min=least, help=meaning)


def command(
    model: option.Model = "embedded",
    host: Annotated[str, typer.Option("--host", help="0.0.0.0 lets other machines in: set a key.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes any that is free.")] = 8000,
    name: Annotated[
        str | None, typer.Option("--name", help="What requests call the model.", show_default="as --model")
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option("--api-key", envvar="FRISKET_API_KEY", help="What clients must send.", show_default=False),
    ] = None,
    tool_family: Annotated[
        str | None,
        typer.Option(
            "--tool-family",
            help="In which format the model calls tools (frisket doctor --families).",
            show_default="as the model's chat template says, else hermes",
        ),
    ] = None,
    cors_origin: Annotated[
        list[str] | None,
        typer.Option("--cors-origin", help="Whose pages may ask from a browser; * lets all. May be repeated."),
    ] = None,
    temperature: Annotated[float, typer.Option("--temperature", min=0.0, help="Where a request says none.")] = 0.0,
    closed_objects: Annotated[
        bool,
        typer.Option("--closed-objects", help="No members beside those that a schema lists, unless it allows others."),
    ] = False,
    whitespace: Annotated[
        Literal["bounded", "compact", "pretty", "free"],
        typer.Option("--whitespace", help="In JSON, where a request says nothing else."),
    ] = "bounded",
    max_tokens: Annotated[int, _number(1, "Of one answer.")] = 4096,
    max_active: Annotated[int, _number(1, "Answers that are written at a time.")] = 64,
    max_queued: Annotated[int, _number(0, "Answers that wait beside those.")] = 512,
    max_body_bytes: Annotated[int, _number(1, "Of one request.")] = 4_000_000,
    max_schema_bytes: Annotated[int, _number(1, "Of one schema.")] = 1_000_000,
    cpu_seconds: Annotated[float, _number(0.1, "Of CPU time for the masks of one answer.")] = 5.0,
    header_seconds: Annotated[float, _number(0.1, "For a request's headers to come.")] = 10.0,
    body_seconds: Annotated[float, _number(0.1, "For a request's body to come.")] = 60.0,
    stall_seconds: Annotated[float, _number(0.1, "That a client may leave an answer unread.")] = 30.0,
    grace_seconds: Annotated[int, _number(0, "For answers to end after SIGTERM or Ctrl-C.")] = 30,
    idle_seconds: Annotated[int, _number(1, "That a connection may be silent between two requests.")] = 75,
    on_budget: Annotated[str | None, typer.Option("--on-budget", hidden=True)] = None,
) -> None:
    """Serve a model by OpenAI's API: every answer to a schema is valid by construction."""
    if on_budget is not None:
        raise typer.BadParameter('each request says it: "on_budget": "finish" or "cut" in its body')
    if model == "embedded":
        # Must be set before numpy is imported. The model's products are too small for threads of BLAS, which spin
        # between products: on 2 cores they took a third of the CPU, and a first token among hostile clients took 1.4 s
        # instead of 0.2 s.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Requests are private: no access log unless requested.
    access = environment.is_on("FRISKET_ACCESS_LOG", default=False)
    from frisket.server import Settings, make_application

    try:
        from frisket.server.listener import Server, Times
    except ImportError as error:
        raise MissingDependencyError.of(error.name or "uvicorn", "server") from error

    check_address(host, port)
    served = source.model(model)
    settings = Settings(
        name=name or model, api_key=api_key, tool_family=tool_family or _family_of(served), temperature=temperature,
        cors_origins=tuple(cors_origin or ()),
        options=JSONSchemaOptions(closed_objects=closed_objects, whitespace=whitespace),
        max_tokens=max_tokens, max_active=max_active, max_queued=max_queued,
        max_body_bytes=max_body_bytes, max_schema_bytes=max_schema_bytes,
        cpu_seconds=cpu_seconds, body_seconds=body_seconds,
    )  # fmt: skip
    application = make_application(served, settings)
    if host not in ("127.0.0.1", "localhost", "::1") and api_key is None:
        typer.echo("warning: other machines can reach this server, and it asks for no key (--api-key)", err=True)
    sys.setswitchinterval(SWITCH_SECONDS)
    # A collection of garbage stops all threads. Frozen objects are left out, which reduces it from 110 ms to 25 ms.
    gc.collect()
    gc.freeze()
    times = Times(header_seconds, stall_seconds, grace_seconds, idle_seconds)
    server = Server(application, host=host, port=port, times=times, log_level="info", access_log=access)
    server.run()


def _family_of(model: Model) -> str | Family:
    """The format in which the model calls tools, found as in `frisket.generate`; the default format, with a warning, if
    the model's template does not tell its own."""
    from frisket.decoding.request import DEFAULT_FAMILY, own_family

    try:
        return own_family(model)
    except UnknownFamilyError as error:
        typer.echo(f"warning: {error.message}; {DEFAULT_FAMILY} is taken (--tool-family)", err=True)
        return DEFAULT_FAMILY
