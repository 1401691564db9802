"""`frisket check`: schema → what is enforced, keyword by keyword."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from frisket.cli import option, source
from frisket.errors import FrisketError, UnsupportedSchemaError

if TYPE_CHECKING:
    from frisket.json_schema.report import Report

EXAMPLES = """[dim]$[/dim] frisket check schema.json

[dim]$[/dim] frisket check '{"type": "integer"}' --json

Exits with 1 if the schema is refused.
"""


#: How a keyword's status is shown.
MARKS = {
    "enforced": "[green]enforced[/green]",
    "narrowed": "[yellow]narrowed[/yellow]",
    "loosened": "[red]refused[/red]",
}


def command(
    schema: Annotated[str, typer.Argument(metavar="SCHEMA", help="A file, - for stdin, or the JSON itself.")],
    as_json: option.Json = False,
) -> None:
    """Say for each keyword of a JSON Schema whether it is enforced, and what could slip through where it is not."""
    from frisket.grammar import Grammar

    text, name = source.document(schema)
    places: list[tuple[str, str]] = []
    try:
        with source.named(name):
            report = Grammar.from_json_schema(text).report
    except UnsupportedSchemaError as refusal:
        places = refusal.places or [(refusal.where or "", refusal.message)]
        report = _relaxed(text)
    if as_json:
        print(json.dumps(_described(report, places), ensure_ascii=False))
    else:
        _show(report, places)
    if places:
        raise typer.Exit(1)


def _relaxed(text: str) -> Report | None:
    """What would be enforced of a schema that is refused as a whole."""
    from frisket import _core
    from frisket.json_schema import JSONSchemaOptions, lower_json_schema

    try:
        _, report = lower_json_schema(_core.GrammarBuilder(), json.loads(text), JSONSchemaOptions(relaxed=True))
    except FrisketError:
        return None
    return report


def _described(report: Report | None, places: list[tuple[str, str]]) -> dict[str, Any]:
    described = report.to_json() if report is not None else {"exact": False, "entries": []}
    refused = [{"pointer": pointer, "reason": reason} for pointer, reason in places]
    return {**described, "exact": described["exact"] and not places, "refused": refused}


def _show(report: Report | None, places: list[tuple[str, str]]) -> None:
    console = Console()
    entries = report.entries if report is not None else []
    if entries:
        table = Table("", "where", "keyword", "what slips through, or is left out", box=None, pad_edge=False)
        for entry in entries:
            table.add_row(MARKS[entry.status], entry.pointer or "(root)", entry.keyword, entry.slips)
        console.print(table)
        console.print()
    for note in report.notes if report is not None else []:
        console.print(note, markup=False, highlight=False)
    if not places:
        narrowed = len(report.narrowed) if report is not None else 0
        which = f"all enforced, {narrowed} of them more narrowly than the schema says" if narrowed else "all enforced"
        console.print(f"[green]{'sound' if narrowed else 'exact'}[/green]: {len(entries)} keywords, {which}")
        return
    console.print(f"[red]refused[/red]: not to be enforced exactly at {len(places)} place{'s' * (len(places) > 1)}")
    for pointer, reason in places:
        console.print(f"  {pointer or '(root)'}: {reason}", markup=False, highlight=False, soft_wrap=True)
