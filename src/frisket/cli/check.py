"""`frisket check`: schema → what is enforced, keyword by keyword."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape, render
from rich.table import Table

from frisket.cli import option, source
from frisket.cli.bundle import Bundle
from frisket.errors import FrisketError, UnsupportedSchemaError

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.json_schema.report import Entry, Report

EXAMPLES = """[dim]$[/dim] frisket check schema.json

[dim]$[/dim] frisket check '{"type": "integer"}' --json

[dim]$[/dim] frisket check --type shop.models:Order

[dim]$[/dim] frisket check schema.json --grammar

[dim]$[/dim] frisket check rules.gbnf

Exits with 1 if the schema is refused. What only Python checks of a type is no refusal.
"""


#: Width, in characters, of output that must not be wrapped.
WIDEST = 1000
#: Most rows of a table whose columns are fitted to the terminal.
FOLDED = 1000
#: Status of a keyword → its mark in the table.
MARKS = {
    "enforced": "[green]enforced[/green]",
    "narrowed": "[yellow]narrowed[/yellow]",
    "loosened": "[yellow]in Python[/yellow]",
    "refused": "[red]refused[/red]",
    "annotation": "[dim]annotation[/dim]",
    "unknown": "[red]unknown[/red]",
}


def command(
    schema: Annotated[
        str | None,
        typer.Argument(
            metavar="SCHEMA",
            help="A file, - for stdin, or the JSON itself; or rules (.gbnf, .abnf, .ebnf, .lark).",
            show_default=False,
        ),
    ] = None,
    root: option.Root = None,
    others: option.With = None,
    tp: option.Type = None,
    as_grammar: Annotated[
        bool, typer.Option("--grammar", help="Print the rules that it becomes instead (`Grammar.dump`).")
    ] = False,
    as_json: option.Json = False,
) -> None:
    """Say what becomes of each keyword of a JSON Schema: enforced or refused, an annotation, or a word nobody knows.

    Rules of a grammar are all enforced, or an error names the place."""
    if (schema is None) == (tp is None):
        raise typer.BadParameter("give a schema or --type")
    bundle = source.bundled(root, others)
    if as_grammar:
        grammar = source.schema_grammar(schema, bundle) if schema is not None else source.grammar(tp=tp, bundle=bundle)
        rules = grammar.dump()
        print(json.dumps({"grammar": rules}) if as_json else rules, end="\n" if as_json else "")
        return
    if schema is not None and source.is_rules(schema):
        _show_rules(source.schema_grammar(schema, bundle), as_json)
        return
    if schema is not None:
        report, refusal = _report_or_error(schema, bundle)
    else:
        report, refusal = source.grammar(tp=tp, bundle=bundle).report, None
    places = [] if refusal is None else refusal.places or [(refusal.where or "", refusal.message)]
    if as_json:
        print(json.dumps(_described(report, places, refusal), ensure_ascii=False))
    else:
        _show(report, places)
    if refusal is not None:
        if not as_json:
            Console().print(f" hint: {refusal.hint}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1)


def _show_rules(grammar: Grammar, as_json: bool) -> None:
    """The report of a grammar of rules, all of which are always enforced."""
    if as_json:
        print(json.dumps({"exact": True, "refused": []}))
    else:
        Console().print(f"[green]exact[/green]: {_count(grammar.core.node_count, 'node')}, all rules enforced")


def _report_or_error(schema: str, bundle: Bundle) -> tuple[Report | None, UnsupportedSchemaError | None]:
    """The report of a schema, and the error that refuses it."""
    from frisket.grammar import Grammar

    text, name = source.document(schema)
    text = bundle.text(text, name)
    try:
        with source.named(name):
            return Grammar.from_json_schema(text).report, None
    except UnsupportedSchemaError as refusal:
        return _relaxed_report(text), refusal


def _relaxed_report(text: str) -> Report | None:
    """The report of a schema that is refused, from a compile with `relaxed`."""
    from frisket import _core
    from frisket.json_schema import JSONSchemaOptions, lower_json_schema

    try:
        _, report = lower_json_schema(_core.GrammarBuilder(), json.loads(text), JSONSchemaOptions(relaxed=True))
    except FrisketError:
        return None
    return report


def _described(
    report: Report | None, places: list[tuple[str, str]], refusal: UnsupportedSchemaError | None
) -> dict[str, Any]:
    described = report.to_json() if report is not None else {"exact": False, "entries": []}
    refused = [{"pointer": pointer, "reason": reason} for pointer, reason in places]
    hint = {} if refusal is None else {"hint": refusal.hint}
    return {**described, "exact": described["exact"] and not places, "refused": refused, **hint}


def _show(report: Report | None, places: list[tuple[str, str]]) -> None:
    console = Console()
    if not console.is_terminal:  # a file or pipe has no width
        console = Console(width=WIDEST)
    entries = report.entries if report is not None else []
    if entries:
        remarks = any(entry.slips or entry.note for entry in entries)
        head = ("", "where", "keyword", *(["what slips through, is left out, or is meant"] if remarks else []))
        rows = [
            (
                MARKS["refused" if places and entry.status == "loosened" else entry.status],
                entry.pointer or "(root)",
                entry.keyword,
                *([entry.slips or entry.note] if remarks else []),
            )
            for entry in entries
        ]
        if len(rows) <= FOLDED:
            show_table(console, head, rows)
        else:
            _write_table(head, rows)
        console.print()
    for note in report.notes if report is not None else []:
        console.print(note, markup=False, highlight=False, soft_wrap=True)
        if note.code == "root-asks-nothing" and note.pointers:
            console.print(f" hint: --root '#{note.pointers[0]}' reads one of them", markup=False, highlight=False)
    narrowed = report.narrowed if report is not None else []
    loosened = report.loosened if report is not None else []
    if places:
        console.print(f"[red]refused[/red]: not to be enforced exactly at {_places(len(places))}")
    elif loosened:
        console.print(
            f"[yellow]checked afterwards[/yellow]: {_places(len(loosened))} that no schema describes; a document that "
            "breaks it is an error when it is whole",
            soft_wrap=True,
        )
    elif narrowed:
        console.print(
            f"[green]sound[/green]: {_enforced(entries)}, {len(narrowed)} of them more narrowly than "
            "the schema says: all that comes out is valid, but not all that is valid can come out",
            soft_wrap=True,
        )
    else:
        console.print(f"[green]exact[/green]: {_enforced(entries)}")
    for pointer, reason in places or [(entry.pointer, entry.slips) for entry in [*loosened, *narrowed]]:
        console.print(f"  {pointer or '(root)'}: {reason}", markup=False, highlight=False, soft_wrap=True)
    for entry in entries:
        if entry.meant is not None:
            line = f"  {entry.pointer or '(root)'}: {entry.keyword} asks nothing; did you mean {entry.meant}?"
            console.print(line, style="yellow", markup=False, highlight=False, soft_wrap=True)


def show_table(console: Console, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print the rows in colours, with long pointers folded to the terminal's width."""
    table = Table(head[0], box=None, pad_edge=False)
    for name in head[1:]:
        table.add_column(name, overflow="fold" if name == "where" else "ellipsis")
    for mark, *cells in rows:
        table.add_row(mark, *map(escape, cells))
    console.print(table)


def _write_table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Write the rows as plain lines, a thousand times cheaper than a fitted table."""
    marks = {mark: render(mark).plain for mark in MARKS.values()}
    plain = [head, *((marks[mark], *cells) for mark, *cells in rows)]
    widths = [max(map(len, column)) for column in zip(*plain, strict=True)]
    for row in plain:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _enforced(entries: list[Entry]) -> str:
    """The numbers of keywords that are enforced, and of those without effect."""
    annotations, unknown = (sum(entry.status == status for entry in entries) for status in ("annotation", "unknown"))
    enforced = len(entries) - annotations - unknown
    if enforced == len(entries):
        return f"{_count(enforced, 'keyword')}, all enforced"
    idle = [_count(annotations, "annotation")] * (annotations > 0)
    idle += [f"[red]{_count(unknown, 'unknown keyword')}[/red]"] * (unknown > 0)
    return f"{_count(enforced, 'keyword')} enforced; nothing is asked by {' and '.join(idle)}"


def _places(count: int) -> str:
    return _count(count, "place")


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
