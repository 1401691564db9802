"""Model × wishes → answers with the discriminator first and last, with the last action in the prompt and without."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import frisket
from experiments.discriminator import wish
from experiments.paired import Noisy
from experiments.trained_model import Recipe, train

ORDERS = wish.ORDERS
SEEDS = (0, 1, 2)
MAX_TOKENS = 120
DRAWS = 2
"""Answers at temperature 1 for each input of the embedded model."""
HELD_OUT = Path(__file__).parents[2] / "examples" / "agent" / "heldout.jsonl"


@dataclass(frozen=True)
class Size:
    steps: int
    inputs: int
    """Of the trained models, for each kind of prompt."""
    embedded: int
    """Held-out inputs of the embedded model."""
    workers: int = 2


FULL, QUICK = Size(steps=700, inputs=400, embedded=200), Size(steps=3, inputs=8, embedded=2, workers=1)


@dataclass(frozen=True)
class Answer:
    """Paired by all but `order`, `right` and `named`."""

    model: str
    seed: int
    """Of training; of the noise, for the embedded model."""
    place: int
    shown: bool
    """Whether the prompt shows the last action."""
    needed: bool
    """Whether nobody could answer without it."""
    drawn: bool
    order: str
    right: bool
    named: bool
    """Whether the discriminator is right."""


@dataclass(frozen=True)
class Run:
    model: str
    parameters: int
    seconds: float
    loss: float
    answers: tuple[Answer, ...]


def measure(seed: int, size: Size) -> Run:
    """Train a small model on both orders, as the embedded model was, and ask it."""
    model = train(
        wish.pair, wish.texts(), Recipe(size.steps, context=192, batch_tokens=2048), seed, name=f"seed {seed}:"
    )
    found = []
    for shown in (False, True):
        for place, one in enumerate(wish.held_out(size.inputs, shown=shown)):
            for drawn in (False, True):
                for order in ORDERS:
                    asked = Noisy(model, 2 * place + shown) if drawn else model
                    right, named = judged(asked, one.prompt(order), wish.schema(order), _fields(one.action))
                    found.append(Answer("trained", seed, place, shown, one.needs_last, drawn, order, right, named))
    return Run(f"trained, seed {seed}", model.parameters, model.seconds, model.loss, tuple(found))


def measure_embedded(size: Size) -> Run:
    """The worked system `agent`, whose model has never seen a last action. Prompts show that of another input."""
    lines = HELD_OUT.read_text(encoding="utf-8").splitlines()[: size.embedded]
    cases = [json.loads(line) for line in lines]
    schemas = {"first": frisket.examples.load("agent"), "last": frisket.examples.load("agent-last")}
    model, found = frisket.models.embedded(), []
    for place, case in enumerate(cases):
        last = cases[place - 1]["answer"]
        for shown in (False, True):
            for turn in range(1 + DRAWS):
                for order in ORDERS:
                    asked = Noisy(model, 10 * place + turn) if turn else model
                    text = f"last action {_written(last, order)}, now {case['input']}" if shown else case["input"]
                    right, named = judged(asked, text, schemas[order], case["answer"])
                    found.append(Answer("embedded", turn, place, shown, False, turn > 0, order, right, named))
    return Run("embedded", 1_179_648, 0.0, 0.0, tuple(found))


def judged(model: Any, text: str, schema: Mapping[str, Any], wanted: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether the whole action is right, and whether its name is."""
    value = frisket.generate(model, text, schema, max_tokens=MAX_TOKENS)
    return value == dict(wanted), value["action"] == wanted["action"]


def _fields(action: Mapping[str, Any]) -> dict[str, Any]:
    return {"action": action["action"], **{key: action[key] for key in wish.FIELDS[action["action"]]}}


def _written(action: Mapping[str, Any], order: str) -> str:
    fields = {key: value for key, value in action.items() if key != "action"}
    tag = {"action": action["action"]}
    return json.dumps({**tag, **fields} if order == "first" else {**fields, **tag})
