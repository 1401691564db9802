"""Answer → a file to share: a page as `generate --trace` writes it, a trace as JSON, or a test."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Literal

from frisket import FrisketError
from frisket.extension import DEFAULT, Likely, read_options
from frisket.play.answer import Answer
from frisket.play.body import Ask
from frisket.play.plan import Moment
from frisket.play.token import described
from frisket.reports import PressureReport

Kind = Literal["html", "json", "test"]
MEDIA = {"html": "text/html; charset=utf-8", "json": "application/json", "test": "text/x-python; charset=utf-8"}
NAMES = {"html": "trace.html", "json": "trace.json", "test": "test_trace.py"}

#: Most likeliest tokens per step; a forbidden token must have this log-probability, or be among the first.
MOST, NOTABLE, FIRST = 8, math.log(0.001), 3

#: Notation → source text of the constructor that makes the grammar in a test.
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
    found = report(answer)
    return found.to_html() if kind == "html" else found.to_json() + "\n"


def report(answer: Answer) -> PressureReport:
    """The report of the answer so far, with the likeliest tokens of each step."""
    found = PressureReport.of(answer.generation(), answer.vocabulary)
    made = answer.moments + [None] * (len(found.steps) - len(answer.moments))
    steps = (
        step if moment is None else step._replace(likeliest=_likeliest(answer, moment))
        for step, moment in zip(found.steps, made, strict=True)
    )
    return replace(found, steps=tuple(steps))


def _likeliest(answer: Answer, moment: Moment) -> tuple[Likely, ...]:
    """The likeliest tokens before the mask, then the allowed ones; very unlikely tokens only if they are allowed."""
    look, legal = moment.look, {token for token, _ in moment.look.after}
    before = [token for at, (token, logprob) in enumerate(look.before[:MOST]) if at < FIRST or logprob > NOTABLE]
    tokens = dict.fromkeys([*before, *(token for token, _ in look.after[:MOST]), moment.step.token])
    # `look.after` holds every allowed token that is at least as likely as its last one.
    least = look.after[-1][1] if look.allowed > len(look.after) else float("-inf")
    found = []
    for token in tokens:
        logprob = look.known.get(token, moment.step.logprob)
        may = token in legal or token == moment.step.token or logprob < least
        after = math.exp(min(logprob - look.mass.log_feasible, 0.0)) if may else None
        found.append(Likely(described(answer.vocabulary, token)["text"], math.exp(min(logprob, 0.0)), after))
    return tuple(sorted(found, key=lambda one: -one.before))


def test(answer: Answer, ask: Ask) -> str:
    """A test for pytest: the masks still allow every token, and the model still writes the same."""
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
    is_whole = answer.finish in ("end", "budget")
    can_end = is_whole or (matcher is not None and matcher.can_end)
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
    if steered or ask.describe or ask.model not in ("embedded", "smollm2") or not is_whole:
        return text
    return f"""{text}

def test_the_model_writes_the_same() -> None:
    model, sampler = frisket.models.{ask.model}(), frisket.Sampler(temperature={ask.temperature!r})
    answer = frisket.stream(
        model, {ask.prompt!r}, GRAMMAR, max_tokens={answer.plan.max_tokens}, sampler=sampler, seed={ask.seed}
    ).generation()
    assert [step.data for step in answer.steps if not step.ends] == TOKENS
"""
