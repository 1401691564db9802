"""`frisket describe`: schema → a description for a prompt, and the tokens of each style."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer
from rich.console import Console
from rich.table import Table

from frisket.cli import option, source
from frisket.errors import FrisketError
from frisket.options import Style

if TYPE_CHECKING:
    from frisket.description import Encodes
    from frisket.grammar import Grammar
    from frisket.vocabulary import Vocabulary

EXAMPLES = """[dim]$[/dim] frisket describe schema.json

[dim]$[/dim] frisket describe --type shop.models:Order --style prose

[dim]$[/dim] frisket describe schema.json --vocabulary tokenizer.json --json
"""


def command(
    schema: Annotated[
        str | None,
        typer.Argument(metavar="SCHEMA", help="A file, - for stdin, or the JSON itself.", show_default=False),
    ] = None,
    root: option.Root = None,
    others: option.With = None,
    tp: option.Type = None,
    style: Annotated[
        str, typer.Option("--style", metavar="STYLE", help="typescript, prose, json_schema or example.")
    ] = "typescript",
    model: option.Model = "embedded",
    vocabulary: option.Vocabulary = None,
    as_json: option.Json = False,
) -> None:
    """Write a schema as text for a prompt, and say how many tokens each style takes."""
    styles = get_args(Style)
    if style not in styles:
        raise typer.BadParameter(f"--style is one of {', '.join(styles)}")
    if (schema is None) == (tp is None):
        raise typer.BadParameter("give a schema or --type")
    grammar = source.grammar(schema=schema, tp=tp, bundle=source.bundled(root, others))
    tokenizer = source.model(model) if vocabulary is None else source.tokenizer(vocabulary)
    text = grammar.describe(cast("Style", style))
    counts = {name: _tokens(grammar, cast("Style", name), tokenizer) for name in styles}
    if as_json:
        print(json.dumps({"style": style, "text": text, "tokens": counts}, ensure_ascii=False))
        return
    print(text)
    table = Table("style", "tokens", "of the schema's", box=None, pad_edge=False)
    whole = counts["json_schema"]
    for name, count in counts.items():
        share = "" if count is None or not whole else f"{count / whole:.0%}"
        table.add_row(f"[bold]{name}[/bold]" if name == style else name, "-" if count is None else f"{count:,}", share)
    Console(stderr=True, highlight=False).print(table)


def _tokens(grammar: Grammar, style: Style, tokenizer: Encodes | Vocabulary) -> int | None:
    """The tokens of a description in one style; None if the style cannot describe the schema."""
    try:
        return grammar.describe(style).tokens(tokenizer)
    except FrisketError:
        return None
