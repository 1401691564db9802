"""Model × prompt × Grammar → an answer on the terminal: what `generate` and `example` share."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from typing import TYPE_CHECKING, Any, cast, get_args

import typer
from rich.console import Console
from rich.highlighter import JSONHighlighter

from frisket.decoding.answer import Generation
from frisket.decoding.generate import stream
from frisket.decoding.sampler import Sampler
from frisket.description import Style

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.models.protocol import Model


def answer(
    model: Model,
    prompt: str,
    grammar: Grammar,
    *,
    seed: int,
    temperature: float,
    max_tokens: int,
    as_json: bool,
    streamed: bool,
    partial: bool,
    trace: bool,
    describe: str | None = None,
) -> None:
    """Generate and print; a JSON document on one line in its plainest form, other texts as they are.

    `trace` adds every step's figures to the answer for a program.
    """
    if trace and not as_json:
        raise typer.BadParameter("--trace adds to what --json prints: give that, too")
    try:
        sampler = Sampler(temperature=temperature)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    if describe is not None and describe not in get_args(Style):
        raise typer.BadParameter(f"--describe is one of {', '.join(get_args(Style))}")
    style = cast("Style", describe) if describe else False
    steps = stream(model, prompt, grammar, max_tokens=max_tokens, sampler=sampler, seed=seed, describe=style)
    errors = Console(stderr=True)
    waiting = streamed or as_json or not errors.is_terminal
    with contextlib.nullcontext() if waiting else errors.status("writing …"):
        for step in steps:
            if streamed and as_json:
                line = {"token": step.token, "text": step.text, "logprob": step.logprob, "feasible": step.feasible}
                print(json.dumps(line, ensure_ascii=False), flush=True)
            elif streamed:
                print(step.text, end="", flush=True)
    result = steps.generation()
    if streamed and not as_json:
        print()
    if not (result.whole or partial):
        result.value()  # raises the error that says what was cut
    if result.whole:
        result.value()  # a type may still refuse what its schema allows
    text = result.text if grammar.schema is None or not result.whole else plain(result.text)
    if as_json:
        value = None if not result.whole else json.dumps(text) if grammar.schema is None else text
        print(_described(result, value, trace))
    elif not streamed:
        _show(text)
    if errors.is_terminal and not as_json:
        least = min(result.feasible, default=1.0)
        errors.print(
            f"[dim]{len(result.tokens)} tokens; at the hardest place, the allowed ones had {least:.1%} of the model's "
            "probability[/dim]",
            soft_wrap=True,
        )


def plain(text: str) -> str:
    """A JSON document on one line in its plainest form, every number as it was written.

    >>> plain('{ "n" :1e999,\\n"a":[] }')
    '{"n": 1e999, "a": []}'
    """
    spaced = {",": ", ", ":": ": "}
    return "".join(spaced.get(part, part) for part in PARTS.findall(text))


PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')


def _described(result: Generation[Any], value: str | None, trace: bool) -> str:
    # The value is spliced in as text: a float of Python could not hold every number of JSON.
    about: dict[str, Any] = {
        "text": result.text,
        "finish_reason": result.finish_reason,
        "whole": result.whole,
        "tokens": len(result.tokens),
        "logprob": result.logprob,
        "masked_logprob": result.masked_logprob,
        "least_feasible": min(result.feasible, default=1.0),
    }
    if trace:
        about["steps"] = [
            {
                "token": step.token,
                "text": step.text,
                "logprob": step.logprob,
                "masked_logprob": step.masked_logprob,
                "feasible": step.feasible,
                "allowed": step.allowed,
            }
            for step in result.steps
        ]
    return f'{{"value": {value or "null"}, {json.dumps(about, ensure_ascii=False)[1:]}'


def _show(text: str) -> None:
    console = Console()
    if console.is_terminal:
        console.print(JSONHighlighter()(text), soft_wrap=True)
    else:
        sys.stdout.write(text + "\n")
