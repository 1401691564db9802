"""`frisket doctor`: descriptions of tools → whether each can be enforced, and if not, why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from frisket.cli import option, source
from frisket.errors import InvalidSchemaError
from frisket.json_fault import json_fault

if TYPE_CHECKING:
    from frisket.tools import ToolReport

EXAMPLES = """[dim]$[/dim] frisket doctor tools.json

[dim]$[/dim] frisket doctor tools.json --family qwen3_coder

[dim]$[/dim] frisket doctor tools.json --policy reject --json

[dim]$[/dim] frisket doctor --families

Exits with 1 if a tool is refused: the model cannot call it. All other tools work without it.
"""

POLICIES = ("relaxed", "reject")
MARKS = {"exact": "[green]exact[/green]", "relaxed": "[yellow]relaxed[/yellow]", "refused": "[red]refused[/red]"}


def command(
    tools: Annotated[
        str | None,
        typer.Argument(
            metavar="TOOLS",
            help="A JSON list of tools as OpenAI, Anthropic or MCP have it: a file, - for stdin, or the JSON itself.",
            show_default=False,
        ),
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            "--family", metavar="NAME", help="The family of models whose wire format must hold the arguments."
        ),
    ] = None,
    policy: Annotated[
        str,
        typer.Option(
            "--policy", metavar="POLICY", help="relaxed: leave out what cannot be enforced; reject: refuse the tool."
        ),
    ] = "relaxed",
    families: Annotated[bool, typer.Option("--families", help="List the families that are known.")] = False,
    as_json: option.Json = False,
) -> None:
    """Say of each tool whether it is enforced exactly, with something left out, or not at all, and what to change."""
    from frisket.tools import Tools

    if families:
        _list_families(as_json)
        return
    if tools is None:
        raise typer.BadParameter("give a list of tools, or --families")
    if policy not in POLICIES:
        raise typer.BadParameter(f"--policy is {' or '.join(POLICIES)}")
    text, name = source.document(tools)
    reports = Tools(_listed(text, name), policy=policy).report(family)  # type: ignore[arg-type]
    refused = sum(report.status == "refused" for report in reports)
    if as_json:
        counts = {status: sum(report.status == status for report in reports) for status in MARKS}
        print(json.dumps({"tools": [report.to_json() for report in reports], **counts}, ensure_ascii=False))
    else:
        _show(reports)
    if refused:
        raise typer.Exit(1)


def _listed(text: str, name: str) -> list[Any]:
    """The tools of a list, or of an object with such a list: a request, or an answer of MCP."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        fault = json_fault(error)
        hint = fault.hint or "write a list of tools"
        raise InvalidSchemaError(f"the list of tools {fault.message}", where=name, hint=hint) from None
    for key in ("result", "tools"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    if isinstance(found, dict):
        found = [found]
    if not isinstance(found, list):
        raise InvalidSchemaError("the tools are no list", where=name, hint='write [{"name": …, "parameters": {…}}, …]')
    return found


def _show(reports: list[ToolReport]) -> None:
    console = Console(soft_wrap=True)
    widest = max((len(report.name) for report in reports), default=0)
    for report in reports:
        line = f"{MARKS[report.status]}{' ' * (8 - len(report.status))}"
        console.print(line, end="", highlight=False)
        places = [f"{pointer or '(root)'}: {reason}" for pointer, reason in report.places]
        places += [
            f"{pointer}: no keyword, so without effect; did you mean {meant}?" for pointer, meant in report.misspelt
        ]
        first = f"{report.name:{widest}}" if places else report.name
        console.print("  ".join([first, *places[:1]]), markup=False, highlight=False)
        for place in places[1:]:
            console.print(f"{'':{widest + 8}}  {place}", markup=False, highlight=False)
        if report.hint and report.status != "exact":
            console.print(f"{'':{widest + 8}}  hint: {report.hint}", markup=False, highlight=False)
    counts = [f"{sum(report.status == status for report in reports)} {status}" for status in MARKS]
    noun = "tool" if len(reports) == 1 else "tools"
    console.print(f"{len(reports)} {noun}: {', '.join(counts)}", markup=False, highlight=False)
    if any(report.status == "relaxed" for report in reports):
        advice = 'generate refuses relaxed tools unless they are given as frisket.tools.Tools(tools, policy="relaxed")'
        console.print(advice, markup=False, highlight=False)


def _list_families(as_json: bool) -> None:
    from frisket.tools import families, family

    known = [family(name) for name in families()]
    if as_json:
        print(json.dumps([{"name": each.name, "models": each.models, "sources": each.sources} for each in known]))
        return
    widest = max(len(each.name) for each in known)
    for each in known:
        print(f"{each.name:{widest}}  {each.models}")
