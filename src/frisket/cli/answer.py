"""Model × prompt × Grammar → an answer on the terminal: what `generate` and `example` share."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.highlighter import JSONHighlighter

from frisket.decoding.generate import Generation, stream
from frisket.decoding.sampler import Sampler

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
) -> None:
    """Generate and print; a JSON document on one line in its plainest form, other texts as they are."""
    try:
        sampler = Sampler(temperature=temperature)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    steps = stream(model, prompt, grammar, max_tokens=max_tokens, sampler=sampler, seed=seed)
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
    if as_json:
        print(json.dumps(_described(result, grammar), ensure_ascii=False))
    elif not streamed:
        _show(_plain(result, grammar))
    if errors.is_terminal and not as_json:
        least = min(result.feasible, default=1.0)
        errors.print(
            f"[dim]{len(result.tokens)} tokens; the allowed ones had {least:.1%} of the model's probability "
            "at the hardest place[/dim]"
        )


def _described(result: Generation[Any], grammar: Grammar) -> dict[str, Any]:
    value: Any = None
    if result.whole:
        result.value()  # a type may still refuse what its schema allows
        value = result.text if grammar.schema is None else json.loads(result.text)
    return {
        "value": value,
        "text": result.text,
        "finish_reason": result.finish_reason,
        "whole": result.whole,
        "tokens": result.tokens,
        "logprob": result.logprob,
        "masked_logprob": result.masked_logprob,
        "feasible": result.feasible,
    }


def _plain(result: Generation[Any], grammar: Grammar) -> str:
    if grammar.schema is None or not result.whole:
        return result.text
    result.value()
    return json.dumps(json.loads(result.text), ensure_ascii=False)


def _show(text: str) -> None:
    console = Console()
    if console.is_terminal:
        console.print(JSONHighlighter()(text), soft_wrap=True)
    else:
        sys.stdout.write(text + "\n")
