"""Model × prompt × Grammar → an answer on the terminal; the commands `generate` and `example` share this."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import typer
from rich.console import Console
from rich.highlighter import JSONHighlighter

from frisket.cli.heat import show_report, write
from frisket.cli.option import BARE_TRACE
from frisket.decoding.answer import Generation, Stream
from frisket.decoding.generate import begin_stream
from frisket.decoding.sampler import Sampler
from frisket.decoding.task import Task
from frisket.options import OnBudget, Style
from frisket.strategies.spelling import read_strategy

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.models.protocol import Model


def answer(
    model: Model,
    prompt: str,
    grammar: Grammar,
    *,
    seed: int,
    temperature: float | None,
    max_tokens: int,
    on_budget: str = "finish",
    as_json: bool,
    streamed: bool,
    partial: bool,
    trace: str | None,
    describe: str | None = None,
    strategy: str | None = None,
    heal: bool = False,
    note: str | None = None,
) -> None:
    """Generate and print; a JSON document is printed on one line in its plainest form, other texts unchanged.

    `trace` is the file for the report on the mask. With BARE_TRACE the report is shown, or under `as_json` every
    step's figures are part of the answer. `note` is printed on stderr once all options are known to be right.
    """
    if trace is not None and trace != BARE_TRACE and Path(trace).suffix not in (".html", ".json"):
        raise typer.BadParameter("--trace writes *.html or *.json, or without a file to the terminal")
    try:
        sampler = None if temperature is None else Sampler(temperature=temperature)
        chosen = None if strategy is None else read_strategy(strategy)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    if chosen is not None and streamed:
        raise typer.BadParameter("--stream shows tokens as they are made, and a strategy chooses among whole answers")
    if describe is not None and describe not in get_args(Style):
        raise typer.BadParameter(f"--describe is one of {', '.join(get_args(Style))}")
    style = cast("Style", describe) if describe else False
    if on_budget not in get_args(OnBudget):
        raise typer.BadParameter(f"--on-budget is one of {', '.join(get_args(OnBudget))}")
    if note is not None:
        print(note, file=sys.stderr)
    task = Task(
        model, prompt, grammar, max_tokens=max_tokens, sampler=sampler, describe=style, heal=heal,
        on_budget=cast("OnBudget", on_budget) if chosen is None else "cut",
    )  # fmt: skip
    errors = Console(stderr=True)
    waiting = streamed or as_json or not errors.is_terminal
    with contextlib.nullcontext() if waiting else errors.status("writing …"):
        if chosen is not None:
            result = chosen.answer(task, seed)
        else:
            steps = begin_stream(task, task.begin(partial=partial), seed)
            result = written(steps, streamed=streamed, as_json=as_json)
    if streamed and not as_json:
        print()
    # Written before the check for a cut answer, since that is the answer whose trace is needed most.
    if trace is not None and trace != BARE_TRACE:
        write(result.report, Path(trace))
    elif trace is not None and not as_json:
        show_report(errors, result.report)
    if not (result.whole or partial):
        result.value()  # raises the error for an answer that was cut
    if result.whole:
        result.value()  # raises if the type refuses a value that its schema allows
    text = result.text if grammar.schema is None or not result.whole else plain(result.text)
    if as_json:
        value = None if not result.whole else json.dumps(text) if grammar.schema is None else text
        print(_described(result, value, steps=trace == BARE_TRACE))
    elif not streamed:
        _show(text)
    if errors.is_terminal and not as_json:
        least = min(result.feasible, default=1.0)
        errors.print(
            f"[dim]{len(result.tokens)} tokens; at the hardest place, the allowed ones had {least:.1%} of the model's "
            "probability[/dim]",
            soft_wrap=True,
        )


def written(steps: Stream[Any], *, streamed: bool, as_json: bool) -> Generation[Any]:
    """The whole answer; on request each token is shown as it is made."""
    for step in steps:
        if streamed and as_json:
            line = {"token": step.token, "text": step.text, "logprob": step.logprob, "feasible": step.feasible}
            print(json.dumps(line, ensure_ascii=False), flush=True)
        elif streamed:
            print(step.text, end="", flush=True)
    return steps.generation()


def plain(text: str) -> str:
    """A JSON document on one line in its plainest form, with every number as it was written.

    >>> plain('{ "n" :1e999,\\n"a":[] }')
    '{"n": 1e999, "a": []}'
    """
    spaced = {",": ", ", ":": ": "}
    return "".join(spaced.get(part, part) for part in PARTS.findall(text))


PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')


def _described(result: Generation[Any], value: str | None, *, steps: bool) -> str:
    # The value is inserted as text, since Python's floats cannot represent every JSON number.
    about: dict[str, Any] = {
        "text": result.text,
        "finish_reason": result.finish_reason,
        "whole": result.whole,
        "tokens": len(result.tokens),
        "budgeted": result.budgeted,
        "logprob": result.logprob,
        "masked_logprob": result.masked_logprob,
        "least_feasible": min(result.feasible, default=1.0),
    }
    if steps:
        about["steps"] = [
            {
                "token": step.token,
                "text": step.text,
                "logprob": step.logprob,
                "masked_logprob": step.masked_logprob,
                "feasible": step.feasible,
                "allowed": step.allowed,
                "favourite": step.favourite,
                "overruled": step.overruled,
                "budgeted": step.budgeted,
                "path": step.path,
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
