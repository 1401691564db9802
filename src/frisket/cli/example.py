"""`frisket example`: name of an example → an answer of the embedded model to it."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from frisket.cli import option, source
from frisket.errors import FrisketError

EXAMPLES = """[dim]$[/dim] frisket example tutor "She wrote a book"

[dim]$[/dim] frisket example orders "two large oat lattes and a blueberry muffin"

[dim]$[/dim] frisket example
"""


def command(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which; without it, all are listed.")] = None,
    text: Annotated[
        str | None, typer.Argument(metavar="INPUT", help="A sentence, a ticket, an order …; - for stdin.")
    ] = None,
    seed: option.Seed = 0,
    temperature: option.Temperature = None,
    max_tokens: option.MaxTokens = 512,
    on_budget: option.OnBudget = "finish",
    streamed: option.Stream = False,
    as_json: option.Json = False,
    trace: option.Trace = None,
) -> None:
    """Run a worked system with the embedded model: triage, tutor, orders, agent or agent-last."""
    from frisket import examples

    if name is None:
        listed = {name: examples.load(name).get("description", "") for name in examples.NAMES}
        if as_json:
            print(json.dumps(listed, ensure_ascii=False))
        else:
            print("\n".join(f"{name:<12}{description}" for name, description in listed.items()))
        return
    if name not in examples.NAMES:
        raise FrisketError(
            f"no example is called {name!r}",
            where="NAME",
            hint=f"there are {', '.join(examples.NAMES)}",
            code="example",
        )
    if text is None:
        raise typer.BadParameter(f'say what {name} shall read, as in: frisket example {name} "…"')
    from frisket.cli.answer import answer
    from frisket.grammar import Grammar

    answer(
        source.model("embedded"),
        source.prompt(text),
        Grammar.from_json_schema(examples.load(name)),
        seed=seed,
        temperature=temperature,
        max_tokens=max_tokens,
        on_budget=on_budget,
        as_json=as_json,
        streamed=streamed,
        partial=False,
        trace=trace,
    )
