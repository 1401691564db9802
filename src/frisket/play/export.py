"""Answer → what can be shared: the page of `generate --trace`, a trace as JSON, a test."""

from __future__ import annotations

from dataclasses import fields
from typing import Literal

from frisket.engines.structured_output import read_options
from frisket.errors import FrisketError
from frisket.json_schema.options import DEFAULT
from frisket.play.answer import Answer
from frisket.play.body import Ask
from frisket.pressure import PressureReport

Kind = Literal["html", "json", "test"]
MEDIA = {"html": "text/html; charset=utf-8", "json": "application/json", "test": "text/x-python; charset=utf-8"}
NAMES = {"html": "trace.html", "json": "trace.json", "test": "test_trace.py"}

#: How a test makes the grammar again.
CONSTRUCTORS = {
    "json_schema": "frisket.Grammar.from_json_schema(SOURCE{options})",
    "regex": "frisket.Grammar.from_regex(SOURCE)",
    "choices": "frisket.Grammar.from_choices([line for line in SOURCE.splitlines() if line])",
    "gbnf": "frisket.Grammar.from_gbnf(SOURCE)",
    "lark": "frisket.Grammar.from_lark(SOURCE)",
    "ebnf": "frisket.Grammar.from_ebnf(SOURCE)",
    "ebnf_iso": 'frisket.Grammar.from_ebnf(SOURCE, dialect="iso")',
    "abnf": "frisket.Grammar.from_abnf(SOURCE)",
    "structural_tag": "frisket.Grammar.from_structural_tag(SOURCE)",
}


def exported(answer: Answer, ask: Ask, kind: Kind) -> str:
    """The file's text."""
    if kind == "test":
        return test(answer, ask)
    report = PressureReport.of(answer.generation(), answer.vocabulary)
    return report.to_html() if kind == "html" else report.to_json() + "\n"


def test(answer: Answer, ask: Ask) -> str:
    """A test for pytest: the masks still take every token, and the model still writes the same."""
    special = any(not moment.step.data and not moment.step.ends for moment in answer.moments)
    if ask.notation not in CONSTRUCTORS or special:
        raise FrisketError(
            "no test is written for tools and special tokens", where="notation", hint="export the trace as JSON",
            code="export",
        )  # fmt: skip
    if not answer.plan.masked:
        raise FrisketError(
            "without masks there is nothing to hold", where="masked", hint="export the answer with masks", code="export"
        )
    given = read_options(ask.options) if ask.options else DEFAULT
    changed = [field.name for field in fields(given) if getattr(given, field.name) != getattr(DEFAULT, field.name)]
    said = ", ".join(f"{name}={getattr(given, name)!r}" for name in changed)
    grammar = CONSTRUCTORS[ask.notation].replace("{options}", f", frisket.JSONSchemaOptions({said})" if said else "")
    pieces = "".join(f"    {moment.step.data!r},\n" for moment in answer.moments if not moment.step.ends)
    matcher = answer.matcher(len(answer.moments))
    can_end = answer.finish == "end" or (matcher is not None and matcher.can_end)
    text = f'''"""Written by `frisket play`."""

import frisket

SOURCE = {ask.text!r}
GRAMMAR = {grammar}
#: The answer, token by token.
TOKENS = [
{pieces}]


def test_the_masks_take_every_token() -> None:
    letters = frisket.Vocabulary.from_bytes([*(bytes([byte]) for byte in range(256)), None], eos=[256])
    matcher = GRAMMAR.compile(letters).matcher()
    for token in TOKENS:
        matcher.advance_bytes(token)
    assert matcher.can_end is {can_end}
'''
    steered = any(moment.chosen for moment in answer.moments)
    if steered or ask.describe or ask.model not in ("embedded", "smollm2") or answer.finish is None:
        return text
    return f"""{text}

def test_the_model_writes_the_same() -> None:
    model, sampler = frisket.models.{ask.model}(), frisket.Sampler(temperature={ask.temperature!r})
    answer = frisket.stream(
        model, {ask.prompt!r}, GRAMMAR, max_tokens={answer.plan.max_tokens}, sampler=sampler, seed={ask.seed}
    ).generation()
    assert [step.data for step in answer.steps if not step.ends] == TOKENS
"""
