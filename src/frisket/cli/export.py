"""`frisket export`: schema → a schema in a hosted vendor's dialect, and what the vendor does not enforce."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from frisket.cli import option, source
from frisket.cli.bundle import Bundle

EXAMPLES = """[dim]$[/dim] frisket export schema.json --to openai

[dim]$[/dim] frisket export schema.json --to anthropic > converted.json

[dim]$[/dim] frisket export --type shop.models:Order --to gemini --json
"""


def command(
    to: Annotated[str, typer.Option("--to", metavar="VENDOR", help="openai, anthropic, gemini or mistral.")],
    schema: Annotated[
        str | None,
        typer.Argument(metavar="SCHEMA", help="A file, - for stdin, or the JSON itself.", show_default=False),
    ] = None,
    root: option.Root = None,
    others: option.With = None,
    tp: option.Type = None,
    depth: Annotated[int, typer.Option("--depth", min=1, help="Levels of recursion that are written out.")] = 3,
    as_json: option.Json = False,
) -> None:
    """Write a schema in a hosted vendor's dialect, and say what the vendor does not enforce."""
    from frisket import hosted

    if (schema is None) == (tp is None):
        raise typer.BadParameter("give a schema or --type")
    converted = hosted.convert(_schema(schema, tp, source.bundled(root, others)), to, depth=depth)
    if as_json:
        described = {
            "schema": converted.schema,
            "losses": converted.losses,
            "narrowed": converted.narrowed,
            "dialect": {key: getattr(converted.dialect, key) for key in ("name", "source", "checked")},
        }
        print(json.dumps(described, ensure_ascii=False))
        return
    print(json.dumps(converted.schema, ensure_ascii=False, indent=2))
    table = Table("", "where", "keyword", "reason", box=None, pad_edge=False)
    for status, places in (("not enforced", converted.losses), ("narrowed", converted.narrowed)):
        for where, keywords in places.items():
            for keyword, reason in keywords.items():
                table.add_row(status, where.replace("[", "\\[") or "(root)", keyword, reason)
    if table.row_count:
        Console(stderr=True, highlight=False).print(table)


def _schema(schema: str | None, tp: str | None, bundle: Bundle) -> Any:
    if schema is None:
        return source.grammar(tp=tp, bundle=bundle).schema
    from frisket.json_schema.text import parse

    text, name = source.document(schema)
    text = bundle.text(text, name)
    with source.named(name):
        return parse(text)
