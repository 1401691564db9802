"""`frisket engines` → a table of the supported engines and their installed versions."""

from __future__ import annotations

import json

import typer
from rich.console import Console
from rich.table import Table

from frisket.cli import option
from frisket.dependency import install_command

EXAMPLES = """[dim]$[/dim] frisket engines

[dim]$[/dim] frisket engines --json
"""


def command(as_json: option.Json = False) -> None:
    """Show the engines that are installed here, and whether frisket was tested with their versions."""
    from frisket.engines.engine import engines

    if as_json:
        rows = [
            {
                "name": engine.name,
                "package": engine.package,
                "version": engine.version,
                "tested": list(engine.tested),
                "is_tested": engine.is_tested,
                "use": engine.use,
            }
            for engine in engines()
        ]
        typer.echo(json.dumps(rows))
        return
    table = Table(box=None, pad_edge=False, show_edge=False)
    for head in ("engine", "installed", "tested", "use"):
        table.add_column(head, no_wrap=head != "use")
    for engine in engines():
        version = engine.version
        state = "yes" if engine.is_tested else f"with {', '.join(engine.tested)}"
        use = install_command(engine.extra, engine.package) if version is None else engine.use
        table.add_row(engine.name, version or "no", state if version else "–", use.replace("[", "\\["))
    Console().print(table)
