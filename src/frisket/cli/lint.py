"""`frisket lint`: schemas → advice on what a model is likely to write badly, and mended schemas."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from frisket.cli import option, show, source
from frisket.cli.bundle import Bundle
from frisket.errors import FrisketError, InvalidSchemaError, UnsatisfiableSchemaError

if TYPE_CHECKING:
    from frisket.lint import Finding
    from frisket.vocabulary import Vocabulary

#: Byte order mark that some editors put before UTF-8 text.
BOM = "\ufeff"

EXAMPLES = """[dim]$[/dim] frisket lint schema.json

[dim]$[/dim] frisket lint schemas/*.json --select ALL --ignore FRK3

[dim]$[/dim] frisket lint schema.json --fix

[dim]$[/dim] frisket lint --type shop.models:Order --vocabulary embedded

[dim]$[/dim] frisket lint --explain FRK101

Exits with 0 if nothing is found, 1 if something is, 2 if a schema cannot be read, is wrong or cannot be satisfied, or
if the call is wrong.
"""

FORMATS = ("text", "json", "sarif")


@dataclass
class Linted:
    """One schema with the findings that were fixed and those that are left."""

    name: str
    text: str
    fixed: list[Finding]
    findings: list[Finding]
    places: list[tuple[int, int] | None]


def command(
    schemas: Annotated[
        list[str] | None,
        typer.Argument(metavar="SCHEMA…", help="Files, - for stdin, or the JSON itself.", show_default=False),
    ] = None,
    root: option.Root = None,
    others: option.With = None,
    tp: option.Type = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what can be mended without a change of the valid documents.")
    ] = False,
    unsafe_fixes: Annotated[
        bool, typer.Option("--unsafe-fixes", help="Mend, too, where other documents become valid, or these invalid.")
    ] = False,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="RULES", help="Only these: codes, their beginnings, names, ALL."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="RULES", help="All but these.")] = None,
    output: Annotated[str, typer.Option("--format", metavar="FORMAT", help="text, json or sarif.")] = "text",
    vocabulary: Annotated[
        str | None,
        typer.Option(
            "--vocabulary",
            "--tokenizer",
            metavar="PATH",
            help="A tokenizer's file as for `mask`, or `embedded`: for rules about tokens.",
        ),
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Find schemas whose shortest document takes more.")
    ] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 though something is found.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules.")] = False,
    explain: Annotated[str | None, typer.Option("--explain", metavar="RULE", help="Print a rule's page.")] = None,
) -> None:
    """Say what will not go well when a model writes by a schema, why, and what to do; mend what can be mended."""
    if rules or explain is not None:
        _print_rules(explain)
        return
    if output not in FORMATS:
        raise typer.BadParameter(f"--format is {', '.join(FORMATS)}")
    if not schemas and tp is None:
        raise typer.BadParameter("give a schema or --type")
    if tp is not None and (schemas or fix or unsafe_fixes):
        raise typer.BadParameter("--type stands alone; a class is mended by hand")
    bundle = source.bundled(root, others)
    if bundle != source.ALONE and (tp is not None or fix or unsafe_fixes):
        raise typer.BadParameter("--root and --with are about a JSON Schema, which is mended without them")
    known = _vocabulary(vocabulary, max_tokens, _words(select))
    options: dict[str, Any] = {"select": _words(select), "ignore": _words(ignore) or []}
    errors: list[FrisketError] = []
    done: list[Linted] = []
    for name in schemas or [tp or ""]:
        try:
            linted = _linted(name, tp, bundle, known, max_tokens, options, fix or unsafe_fixes, unsafe_fixes)
            done.append(linted)
            _check_valid(linted)
        except FrisketError as error:
            errors.append(error)
            if output != "json":
                show(error, as_json=False)
    # A mended schema that was not a file goes to stdout, so messages go to stderr.
    beside = (fix or unsafe_fixes) and any(not _is_file(one.name) for one in done)
    for one in done:
        if beside and not _is_file(one.name):
            print(one.text, end="" if one.text.endswith("\n") else "\n")
    if done or output != "text":
        _print(done, errors, output, sys.stderr if beside else sys.stdout, fixes=fix or unsafe_fixes)
    if errors:
        raise typer.Exit(2)
    if any(one.findings for one in done) and not exit_zero:
        raise typer.Exit(1)


def _linted(
    name: str,
    tp: str | None,
    bundle: Bundle,
    vocabulary: Vocabulary | None,
    max_tokens: int | None,
    options: dict[str, Any],
    fix: bool,
    unsafe: bool,
) -> Linted:
    from frisket.lint import lint, repair
    from frisket.lint.json_text import JSONText

    if tp is not None:
        findings = lint(source.grammar(tp=tp).schema or {}, vocabulary, max_tokens=max_tokens, **options)
        return Linted(name, "", [], findings, [None] * len(findings))
    written, shown = _read(name)
    text = bundle.text(written, shown)
    with source.named(shown):
        fixed: list[Finding] = []
        if fix:
            repaired = repair(text, vocabulary, unsafe=unsafe, **options)
            fixed = repaired.fixed
            if repaired.schema != text and _is_file(name):
                _write(Path(name), repaired.schema)
            text = repaired.schema
        findings = lint(text, vocabulary, max_tokens=max_tokens, **options)
    places = JSONText(text if bundle == source.ALONE else written)
    return Linted(shown, text, fixed, findings, [places.place(finding.pointer) for finding in findings])


def _check_valid(linted: Linted) -> None:
    """Raise an error if the schema is malformed, or if no value satisfies it. Other errors of a compile are left to
    `frisket check`."""
    from frisket.grammar import Grammar

    if not linted.text:  # the schema of a Python type, which has been compiled already
        return
    try:
        with source.named(linted.name):
            Grammar.from_json_schema(linted.text)
    except (InvalidSchemaError, UnsatisfiableSchemaError):
        raise
    except FrisketError:
        return


def _read(name: str) -> tuple[str, str]:
    """(the text of a schema with its own line ends, a name for it in messages)"""
    if not _is_file(name):
        return source.document(name)
    with source.readable(Path(name)):
        return Path(name).read_bytes().decode("utf-8").removeprefix(BOM), name


def _write(path: Path, text: str) -> None:
    try:
        mark = BOM if path.read_bytes().startswith(BOM.encode()) else ""
        path.write_bytes((mark + text).encode("utf-8"))
    except OSError as error:
        raise FrisketError(
            f"cannot write {path}: {(error.strerror or str(error)).lower()}",
            where=str(path),
            hint="leave --fix out, or let the file be written",
            code="file",
        ) from error


def _is_file(name: str) -> bool:
    return name not in ("-", "stdin", "the argument") and name.lstrip()[:1] not in ("{", "[")


def _words(given: list[str] | None) -> list[str] | None:
    words = [word.strip() for one in given or [] for word in one.split(",")]
    return [word for word in words if word] or None


def _vocabulary(path: str | None, max_tokens: int | None, select: list[str] | None) -> Vocabulary | None:
    from frisket.lint.selection import meant

    if path is None:
        if max_tokens is not None:
            raise typer.BadParameter("--max-tokens needs --vocabulary")
        try:
            alone = [rule for word in select or [] for rule in meant(word)[:1] if len(meant(word)) == 1]
        except FrisketError as error:
            raise typer.BadParameter(f"{error.message}; {error.hint}") from error
        for rule in alone:
            if rule.needs is not None:
                raise typer.BadParameter(f"{rule.code} needs --{rule.needs.replace('_', '-')}")
        return None
    return source.model("embedded").vocabulary if path == "embedded" else source.vocabulary(Path(path))


def _print(done: list[Linted], errors: list[FrisketError], output: str, stream: Any, *, fixes: bool) -> None:
    if output == "sarif":
        from frisket.lint.sarif import sarif

        rows = [(one.name, *row) for one in done for row in zip(one.places, one.findings, strict=True)]
        print(json.dumps(sarif(rows), ensure_ascii=False), file=stream)
    elif output == "json":
        found = [
            {"file": one.name, **_position(place), **finding.to_json()}
            for one in done
            for place, finding in zip(one.places, one.findings, strict=True)
        ]
        mended = [{"file": one.name, **finding.to_json()} for one in done for finding in one.fixed]
        failed = [{key: getattr(error, key) for key in ("code", "message", "where", "hint")} for error in errors]
        print(json.dumps({"findings": found, "fixed": mended, "errors": failed}, ensure_ascii=False), file=stream)
    else:
        nothing = "nothing else found" if errors else "nothing found"
        if any(isinstance(error, InvalidSchemaError) for error in errors):
            nothing = "mend this first: the rules look at schemas that can be read"
        _print_text(done, Console(file=stream, soft_wrap=True, highlight=False), fixes, nothing)


def _position(place: tuple[int, int] | None) -> dict[str, int]:
    return {} if place is None else {"line": place[0], "column": place[1]}


def _print_text(done: list[Linted], console: Console, fixes: bool, nothing: str) -> None:
    findings = [finding for one in done for finding in one.findings]
    for one in done:
        for place, finding in zip(one.places, one.findings, strict=True):
            where = ":".join(map(str, (one.name, *(place or ()))))
            console.print(
                f"{escape(where)}: [red]{finding.rule}[/red] {finding.name} {escape(finding.pointer or '(root)')}"
            )
            console.print(f"    {finding.message}", markup=False)
            mends = "" if finding.fix is None else "  (--fix)" if finding.fix.safe else "  (--unsafe-fixes)"
            console.print(f"    [dim]{escape(finding.hint)}{mends}[/dim]")
    mended = sum(len(one.fixed) for one in done)
    said = [f"{_count(mended)} mended"] if fixes else []
    said.append(f"{_count(len(findings))}{' left' if fixes else ''}" if findings else nothing)
    safe = sum(finding.fix is not None and finding.fix.safe for finding in findings)
    if safe and not fixes:
        said.append(f"--fix mends {safe}")
    console.print("; ".join(said))


def _count(number: int) -> str:
    return f"{number} finding{'s' * (number != 1)}"


def _print_rules(explain: str | None) -> None:
    from frisket.lint import RULES
    from frisket.lint.selection import meant

    if explain is not None:
        try:
            print("\n\n".join(rule.page for rule in meant(explain)))
        except FrisketError as error:
            raise typer.BadParameter(f"{error.message}; {error.hint}") from error
        return
    for rule in RULES:
        print(f"{rule.code}  {rule.name:27}  {'default' if rule.default else '-':7}  {rule.evidence}")
