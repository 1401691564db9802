"""`frisket bench`: schemas × a tokenizer → time of compiles, masks and commits, and the memory."""

from __future__ import annotations

import gzip
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from frisket.cli import option, source
from frisket.errors import FrisketError, InvalidSchemaError
from frisket.json_fault import json_fault

if TYPE_CHECKING:
    from frisket.cli.timing import Bench

EXAMPLES = """[dim]$[/dim] frisket bench schema.json

[dim]$[/dim] frisket bench schemas/ --vocabulary tokenizer.json --walks 10

[dim]$[/dim] frisket bench order.json --documents orders.jsonl --json
"""


def command(
    schemas: Annotated[
        list[str],
        typer.Argument(
            metavar="SCHEMA…", help="Files, folders of *.json, *.jsonl (.gz), - for stdin, or the JSON itself."
        ),
    ],
    vocabulary: option.Vocabulary = None,
    documents: Annotated[
        Path | None,
        typer.Option(
            "--documents", metavar="PATH", help="JSON documents to write, instead of random ones: file or folder."
        ),
    ] = None,
    walks: Annotated[int, typer.Option("--walks", min=1, help="Random documents for each schema.")] = 3,
    most: Annotated[
        int, typer.Option("--max-tokens", min=1, help="Leave a random document after so many tokens.")
    ] = 200,
    seed: option.Seed = 1,
    as_json: option.Json = False,
) -> None:
    """Time compilation, masks and commits on your own schemas and tokenizer."""
    from frisket.cli.timing import Bench, Cutter

    found = [entry for given in schemas for entry in _schemas(given)]
    if not found:
        raise FrisketError(
            "there is no schema to measure",
            where=", ".join(schemas),
            hint="a folder is searched for *.json",
            code="file",
        )
    texts = None if documents is None else [text for _, text in _texts(documents)]
    began = time.perf_counter()
    tokens = source.vocabulary(vocabulary)
    took = (time.perf_counter() - began) * 1e3
    cutter = Cutter(tokens)
    result = Bench(tokens.size, took, tokens.memory_bytes)
    result.warm_up(tokens)
    progress = Console(stderr=True)
    shown = track(
        found,
        "measuring",
        console=progress,
        transient=True,
        disable=as_json or not progress.is_terminal,
    )
    for name, schema, instances in shown:
        own = texts if texts is not None else instances
        written = None if own is None else [cutter.cut(text) for text in own]
        result.add(name, schema, tokens, written, random.Random(f"{seed}/{name}"), walks, most)
    if as_json:
        print(json.dumps(result.described(), ensure_ascii=False))
    else:
        _show(result)
    if not result.compiles:
        raise typer.Exit(1)


def _schemas(given: str) -> Iterator[tuple[str, Any, list[bytes] | None]]:
    """(name, schema, documents if the file has some, as in MaskBench: `{"schema": …, "tests": [{"data": …}]}`)."""
    if given == "-" or given.lstrip()[:1] in ("{", "["):
        text, name = source.document(given)
        yield name, _parsed(text, name), None
        return
    for name, data in _texts(Path(given)):
        entry = _parsed(data.decode("utf-8-sig", "replace"), name)
        if isinstance(entry, dict) and "schema" in entry and isinstance(entry.get("tests"), list):
            tests = [json.dumps(test["data"], ensure_ascii=False).encode() for test in entry["tests"] if "data" in test]
            yield str(entry.get("id", name)), entry["schema"], tests or None
        else:
            yield name, entry, None


def _texts(path: Path) -> Iterator[tuple[str, bytes]]:
    """The name and text of each JSON document of a file or folder: lines of *.jsonl (.gz), otherwise whole files."""
    if path.is_dir():
        for file in sorted(path.rglob("*.json")):
            yield from _texts(file)
    elif path.name.endswith((".jsonl", ".jsonl.gz")):
        with source.readable(path), (gzip.open if path.suffix == ".gz" else open)(path, "rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield f"{path}:{number}", line.strip()
    else:
        yield str(path), source.read(path).strip().encode()


def _parsed(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        fault = json_fault(error)
        hint = fault.hint or "see `frisket check FILE`"
        raise InvalidSchemaError(f"this {fault.message}", where=name, hint=hint) from error


def _show(result: Bench) -> None:
    from frisket.cli.timing import summary

    console = Console(highlight=False)
    console.print(
        f"{len(result.compiles)} schema{'s' * (len(result.compiles) != 1)}, a vocabulary of {result.size:,} tokens "
        f"({result.memory / 1e6:.1f} MB, read in {result.loading:,.0f} ms); every call from Python\n"
    )
    table = Table("µs", box=None, pad_edge=False)
    for name in ("count", "mean", "p50", "p90", "p99", "max"):
        table.add_column(name, justify="right")
    for title, values in result.rows():
        figures = summary(values)
        cells = [f"{figures['count']:,}", *(_figure(value) for name, value in figures.items() if name != "count")]
        table.add_row(title, *cells)
    kept = summary([size / 1e3 for size in result.kept])
    table.add_section()
    table.add_row("a grammar, KB", f"{kept['count']:,}", *(_figure(v) for name, v in kept.items() if name != "count"))
    console.print(table)
    slow = [entry for entry in result.worst(3) if entry[0] >= 100]
    for took, name, text in slow:
        console.print(f"\nslow: {took:,.0f} µs in {name} after …{text[-60:]!r}", markup=False, soft_wrap=True)
    for name, reason in result.refused[:20]:
        console.print(f"refused: {name}: {reason}", style="red", markup=False, soft_wrap=True)
    if len(result.refused) > 20:
        console.print(f"refused: {len(result.refused) - 20} more", style="red")


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
