"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Schema = Annotated[
    str | None, typer.Option("--schema", metavar="FILE", help="A JSON Schema: a file, - for stdin, or the JSON itself.")
]
Grammar = Annotated[
    str | None,
    typer.Option(
        "--grammar", metavar="FILE", help="Rules in a notation that the suffix says: .gbnf, .abnf, .ebnf, .lark."
    ),
]
Root = Annotated[
    str | None,
    typer.Option("--root", metavar="POINTER", help="The definition of the schema that is meant: '#/$defs/Order'."),
]
With = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="FILE", help="A schema that $ref leads to, by its $id or its name; one or several."),
]
Type = Annotated[
    str | None, typer.Option("--type", metavar="MODULE:NAME", help="A Python type: Pydantic model, dataclass, Enum …")
]
Regex = Annotated[str | None, typer.Option("--regex", metavar="PATTERN", help="A regular expression for all the text.")]
Choices = Annotated[str | None, typer.Option("--choices", metavar="A,B,…", help="One of these texts.")]
Model = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME",
        help="`embedded`, `smollm2`, a *.gguf file, `transformers:NAME` or the folder of a model of transformers.",
    ),
]
Vocabulary = Annotated[
    Path | None,
    typer.Option(
        "--vocabulary", metavar="PATH", help="tokenizer.json (or its folder), *.model, *.tiktoken or tekken.json."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Answer for a program.")]
Trace = Annotated[
    str | None,
    typer.Option(
        "--trace",
        metavar="[FILE]",
        help="What the mask did to the model's wishes: as a page (*.html), for `frisket trace` (*.json), or, without a "
        "file, on the terminal or in what --json prints.",
        show_default=False,
    ),
]
#: The value of `--trace` without a file, which `_with_values` adds: typer requires a value for each such option.
BARE_TRACE = "-"
Seed = Annotated[int, typer.Option("--seed", min=0, help="One seed is one answer.")]
Temperature = Annotated[
    float | None,
    typer.Option("--temperature", min=0.0, help="0 (default): the likeliest token.", show_default=False),
]
Strategy = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        metavar="NAME[:N]",
        help="How whole answers are found: exact, asap, particles:16, beams:4, best:4, draft:128; within one another "
        "as best:4/draft:64/beams:4.",
        show_default=False,
    ),
]
Heal = Annotated[bool, typer.Option("--heal", help="Let the answer's first tokens spell the prompt's end again.")]
MaxTokens = Annotated[int, typer.Option("--max-tokens", min=1, help="The answer is whole after so many tokens.")]
OnBudget = Annotated[
    str,
    typer.Option(
        "--on-budget",
        metavar="WHAT",
        help="What happens where the tokens run out: `finish` keeps the answer whole, `cut` does not.",
    ),
]
Stream = Annotated[bool, typer.Option("--stream", help="Show the text as it is made.")]
Partial = Annotated[bool, typer.Option("--allow-partial", help="Accept an answer that was cut.")]
Describe = Annotated[
    str | None,
    typer.Option(
        "--describe", metavar="STYLE", help="Tell the model the schema: typescript, prose, json_schema, example."
    ),
]
