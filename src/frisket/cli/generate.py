"""`frisket generate`: prompt × schema, type, regex or choices → an answer that fits."""

from __future__ import annotations

from typing import Annotated

import typer

from frisket.cli import option, source

EXAMPLES = """[dim]$[/dim] frisket generate --schema ticket.json "My card was charged twice"

[dim]$[/dim] frisket generate --type shop.models:Order "two large oat lattes" --json

[dim]$[/dim] frisket generate --choices yes,no "Is water wet?" --temperature 1 --seed 7
"""


def command(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What the model is told.", show_default=False)],
    schema: option.Schema = None,
    tp: option.Type = None,
    regex: option.Regex = None,
    choices: option.Choices = None,
    model: option.Model = "embedded",
    seed: option.Seed = 0,
    temperature: option.Temperature = 0.0,
    max_tokens: option.MaxTokens = 512,
    streamed: option.Stream = False,
    partial: option.Partial = False,
    as_json: option.Json = False,
) -> None:
    """Write an answer that fits a schema, a type, a regular expression or one of some choices."""
    from frisket.cli.answer import answer

    grammar = source.grammar(schema=schema, tp=tp, regex=regex, choices=choices)
    answer(
        source.model(model),
        prompt,
        grammar,
        seed=seed,
        temperature=temperature,
        max_tokens=max_tokens,
        as_json=as_json,
        streamed=streamed,
        partial=partial,
    )
