"""`frisket generate`: prompt × schema, type, regex, choices or rules → an answer that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from frisket.cli import option, source

if TYPE_CHECKING:
    from frisket.grammar import Grammar

EXAMPLES = """[dim]$[/dim] frisket generate --schema ticket.json "My card was charged twice"

[dim]$[/dim] frisket generate --type shop.models:Order "two large oat lattes" --json

[dim]$[/dim] frisket generate --choices yes,no "Is water wet?" --temperature 1 --seed 7

[dim]$[/dim] frisket generate --schema ticket.json "My card was charged twice" --trace trace.html

[dim]$[/dim] frisket generate --schema ticket.json "My card was charged twice" --max-tokens 40

[dim]$[/dim] frisket generate --schema ticket.json "My card was charged twice" --strategy beams:4

[dim]$[/dim] frisket generate --grammar moves.gbnf "White opens" --model FOLDER
"""

#: Shown since the embedded model was trained on the examples; its answers to anything else are valid but meaningless.
NOTE = (
    "note: the embedded model knows the four tasks of `frisket example` only; for a schema of your own give --model "
    "smollm2, a *.gguf file, or the folder of a model of Hugging Face transformers"
)


#: Unknown arguments are accepted by typer, so that our own error can name the right option.
SETTINGS = {"allow_extra_args": True}


def command(
    context: typer.Context,
    prompt: Annotated[
        str, typer.Argument(metavar="PROMPT", help="What the model is told; - for stdin.", show_default=False)
    ],
    schema: option.Schema = None,
    root: option.Root = None,
    others: option.With = None,
    tp: option.Type = None,
    regex: option.Regex = None,
    choices: option.Choices = None,
    rules: option.Grammar = None,
    model: option.Model = "embedded",
    seed: option.Seed = 0,
    temperature: option.Temperature = None,
    max_tokens: option.MaxTokens = 512,
    on_budget: option.OnBudget = "finish",
    streamed: option.Stream = False,
    partial: option.Partial = False,
    as_json: option.Json = False,
    trace: option.Trace = None,
    describe: option.Describe = None,
    strategy: option.Strategy = None,
    heal: option.Heal = False,
) -> None:
    """Write an answer that fits a schema, a type, a regular expression, some choices or the rules of a grammar."""
    if context.args:
        raise typer.BadParameter(
            "the prompt is one argument, in quotes, and a schema comes after --schema: "
            'frisket generate --schema FILE "PROMPT"'
        )
    from frisket.cli.answer import answer
    from frisket.target import slips

    grammar = source.grammar(
        schema=schema, tp=tp, regex=regex, choices=choices, rules=rules, bundle=source.bundled(root, others)
    )
    for slip in slips(grammar.report) if grammar.report is not None else ():
        typer.echo(f"warning: {slip}", err=True)
    answer(
        source.model(model),
        source.prompt(prompt),
        grammar,
        seed=seed,
        temperature=temperature,
        max_tokens=max_tokens,
        on_budget=on_budget,
        as_json=as_json,
        streamed=streamed,
        partial=partial,
        trace=trace,
        describe=describe,
        strategy=strategy,
        heal=heal,
        note=NOTE if model == "embedded" and not _is_known(grammar) else None,
    )


def _is_known(grammar: Grammar) -> bool:
    """Whether the grammar belongs to one of the examples, which the embedded model knows."""
    from frisket import examples
    from frisket.grammar import Grammar

    return any(grammar == Grammar.from_json_schema(examples.load(name)) for name in examples.NAMES)
