"""`frisket trace`: traces of many answers → how much masks and model disagree, by path."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from frisket.cli import option, source
from frisket.cli.heat import summary, table
from frisket.errors import FrisketError
from frisket.pressure import Pressure, PressureReport

EXAMPLES = """[dim]$[/dim] frisket trace traces/*.json

[dim]$[/dim] frisket generate --schema ticket.json "My card was charged twice" --trace traces/1.json
"""


def command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="What `--trace X.json` wrote.", show_default=False)
    ],
    most: Annotated[int, typer.Option("--most", min=1, help="Show so many paths.")] = 25,
    as_json: option.Json = False,
) -> None:
    """Add up the traces of many answers by path: the places where the mask overrules the model come first."""
    total, paths, answers = _added([_read(file) for file in files])
    if as_json:
        print(json.dumps(_described(total, paths, answers, len(files))))
        return
    console = Console(highlight=False)
    console.print(f"{len(files)} answer{'s' * (len(files) != 1)}, {summary(total)}", markup=False, soft_wrap=True)
    console.print(table(dict(list(paths.items())[:most]), answers))
    if len(paths) > most:
        console.print(f"{len(paths) - most} more path{'s' * (len(paths) - most != 1)}", style="dim")


def _read(file: Path) -> PressureReport:
    with source.readable(file):
        content = file.read_bytes()
    try:
        return PressureReport.from_json(content)
    except ValueError as error:
        raise FrisketError(
            f"{file} is not a trace: {error}",
            where=str(file),
            hint="write one with `frisket generate … --trace X.json` or PressureReport.to_json",
            code="trace",
        ) from error


def _added(reports: Sequence[PressureReport]) -> tuple[Pressure, dict[str, Pressure], Counter[str]]:
    """(the total, the sums by path with the largest first, the number of answers in which each path occurs)"""
    total, paths, answers = Pressure(), dict[str, Pressure](), Counter[str]()
    for report in reports:
        total += report.total
        answers.update(report.paths.keys())
        for path, pressure in report.paths.items():
            paths[path] = paths.get(path, Pressure()) + pressure
    return total, dict(sorted(paths.items(), key=lambda item: (-item[1].nats, item[0]))), answers


def _described(total: Pressure, paths: dict[str, Pressure], answers: Counter[str], count: int) -> dict[str, Any]:
    described = {path: {"answers": answers[path], **pressure.as_dict()} for path, pressure in paths.items()}
    return {"answers": count, "total": total.as_dict(), "paths": described}
