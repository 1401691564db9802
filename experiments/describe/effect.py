"""Held-out inputs × {described, names alone} × {masked, free} → what answers are worth, for a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import frisket
from experiments.paired import free_answer
from experiments.system import OUTCOMES, Case, System, field_f1
from frisket.models.prompt import described

ARMS = tuple((is_described, is_masked) for is_masked in (False, True) for is_described in (False, True))
MOST_TOKENS = 96


@dataclass(frozen=True)
class Answer:
    model: str
    system: str
    described: bool
    masked: bool
    outcome: str
    """Of the whole text."""
    f1: float
    """Of the fields of the first JSON object in the text, whatever stands around it."""
    tokens: int


def answers(name: str, model: Any, systems: tuple[str, ...], count: int) -> Iterator[Answer]:
    """Every arm for every input, one input after the other; greedy, so nothing is drawn."""
    for system in map(System, systems):
        for case in system.heldout(count):
            for is_described, is_masked in ARMS:
                text, tokens = write(model, system, case, is_described, is_masked)
                value = first_object(text)
                outcome = system.outcome(text.strip(), case.answer)
                yield Answer(name, system.name, is_described, is_masked, outcome, field_f1(case.answer, value), tokens)


def write(model: Any, system: System, case: Case, is_described: bool, is_masked: bool) -> tuple[str, int]:
    if is_masked:
        steps = frisket.stream(
            model, case.input, system.grammar, describe=is_described, max_tokens=MOST_TOKENS
        ).generation().steps  # fmt: skip
        return "".join(step.text for step in steps), sum(not step.ends for step in steps)
    if not is_described:
        return free_answer(model, model.prompt(case.input, system.keys), MOST_TOKENS)
    told = described(case.input, "typescript", system.grammar.describe("typescript"))
    return free_answer(model, model.prompt(told), MOST_TOKENS)


def first_object(text: str) -> Any:
    """The first JSON object that stands in a text, None if there is none.

    >>> first_object('Sure: ```{"a": 1}``` {"b": 2}'), first_object("none {here}")
    ({'a': 1}, None)
    """
    decoder, place = json.JSONDecoder(), text.find("{")
    while place >= 0:
        try:
            value = decoder.raw_decode(text, place)[0]
        except ValueError:
            place = text.find("{", place + 1)
            continue
        return value
    return None


def is_valid(answer: Answer) -> bool:
    return answer.outcome in OUTCOMES[2:]
