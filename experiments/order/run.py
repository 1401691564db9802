"""Order × seed → a model that was trained on that order, and its answers under the masks of both."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import partial

import frisket
from experiments.paired import Noisy
from experiments.trained_model import Recipe, TrainedModel, train
from experiments.trained_model.sums import MOST, Sum, held_out, schema, texts, training

ORDERS = {"reason first": ("reason", "answer"), "answer first": ("answer", "reason")}
SEEDS = (0, 1, 2)
MAX_TOKENS = 48


@dataclass(frozen=True)
class Size:
    steps: int
    inputs: int
    """For each number of products."""
    workers: int = 2


FULL, QUICK = Size(steps=700, inputs=250), Size(steps=3, inputs=4, workers=1)


@dataclass(frozen=True)
class Answer:
    """One answer of one arm. Arms are paired by seed, products, place and decoding."""

    trained: str
    masked: str
    seed: int
    products: int
    place: int
    drawn: bool
    """At temperature 1, with noise that all arms share; else greedy."""
    right: bool
    reasoned: bool
    """Whether the reason is the right one."""
    nats: float
    """What the mask took, Σ −log α. Of draws it is not known."""


@dataclass(frozen=True)
class Run:
    trained: str
    seed: int
    parameters: int
    seconds: float
    loss: float
    answers: tuple[Answer, ...]


def measure(order: str, seed: int, size: Size) -> Run:
    """Train one model on one order, and mask it in both."""
    name = f"{order}, seed {seed}:"
    model = train(partial(pair, ORDERS[order]), texts(), Recipe(size.steps), seed, name=name)
    # The prompt is the same in all arms: only the mask says in which order to write.
    model = replace(model, names_keys=False)
    found = [
        answer(model, order, masked, seed, one, products, place, drawn)
        for masked in ORDERS
        for drawn in (False, True)
        for products in range(1, MOST + 1)
        for place, one in enumerate(held_out(products, min(size.inputs, 64 if products == 1 else size.inputs), 0))
    ]
    return Run(order, seed, model.parameters, model.seconds, model.loss, tuple(found))


def pair(keys: tuple[str, ...], rng: random.Random) -> tuple[str, str]:
    one = training(rng)
    return f"input: {one.text}\noutput: ", one.document(keys)


def answer(
    model: TrainedModel, trained: str, masked: str, seed: int, one: Sum, products: int, place: int, drawn: bool
) -> Answer:
    asked = Noisy(model, 1000 * products + place) if drawn else model
    found = frisket.stream(asked, one.text, schema(ORDERS[masked]), max_tokens=MAX_TOKENS).generation()
    value = found.value()
    return Answer(
        trained,
        masked,
        seed,
        products,
        place,
        drawn,
        value["answer"] == one.answer,
        value["reason"] == one.reason,
        0.0 if drawn else found.report.total.nats,
    )
