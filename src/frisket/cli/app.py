"""The commands, assembled."""

from __future__ import annotations

from typing import Annotated

import typer

from frisket.cli import (
    bench,
    check,
    describe,
    doctor,
    engines,
    example,
    export,
    generate,
    lint,
    mask,
    play,
    serve,
    trace,
)

COMMANDS = generate, example, trace, check, lint, describe, export, doctor, mask, play, serve, bench, engines

app = typer.Typer(
    name="frisket",
    help="A language model's output, valid by construction: mask the form, prompt the meaning.",
    epilog="\n\n".join(module.EXAMPLES.partition("\n")[0] for module in COMMANDS),
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from frisket import __version__

        typer.echo(f"frisket {__version__}")
        raise typer.Exit


@app.callback()
def frisket(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """A language model's output, valid by construction: mask the form, prompt the meaning."""


for module in COMMANDS:
    app.command(
        name=module.__name__.rpartition(".")[2],
        epilog=module.EXAMPLES,
        context_settings=getattr(module, "SETTINGS", None),
    )(module.command)
