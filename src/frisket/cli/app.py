"""The commands, assembled."""

from __future__ import annotations

import difflib
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

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

#: Names in Python, and habits → the words of the command line for them.
ELSEWHERE = {
    "explain": "mask --explain",
    "help": "--help",
    "pressure": "trace",
    "validate": "check",
    "version": "--version",
}


class Group(TyperGroup):
    """The commands; an unknown one is answered with the command that may be meant."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}. {advice(args[0], list(self.commands))}")
        return super().resolve_command(ctx, args)


def advice(word: str, commands: list[str]) -> str:
    """The command that a word may mean.

    >>> advice("expain", ["mask", "play"])
    "Did you mean 'frisket mask --explain'?"
    """
    near = difflib.get_close_matches(word.lower(), [*commands, *ELSEWHERE], n=1)
    return (
        f"Did you mean 'frisket {ELSEWHERE.get(near[0], near[0])}'?" if near else "'frisket --help' lists the commands."
    )


app = typer.Typer(
    name="frisket",
    cls=Group,
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
