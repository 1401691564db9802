"""Seed → a model that knows all formats, and what comes out in each arm."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import frisket
from experiments.paired import Noisy
from experiments.thought.format import KEYS, MARKER, answer_of, pair
from experiments.trained_model import Recipe, TrainedModel, train
from experiments.trained_model.sums import Sum, held_out, schema, texts
from frisket.decoding import decode
from frisket.decoding.budget import Budget

SEEDS = (0, 1, 2)
TOKENS = 32
"""What each arm may spend: drafts and reasons count."""
ANSWER_TOKENS = 6
VOTES = TOKENS // 4
"""Answers at once that cost as much: `{"answer": 36}` has four tokens."""


@dataclass(frozen=True)
class Size:
    steps: int
    inputs: int
    """For each number of products."""
    workers: int = 2


FULL, QUICK = Size(steps=1100, inputs=200), Size(steps=3, inputs=3, workers=1)


@dataclass(frozen=True)
class Found:
    """What came out in one arm for one sum."""

    answer: int | None
    tokens: int
    nats: float | None = None
    """Σ −log α of the answer, where the model's own logits were read."""


@dataclass(frozen=True)
class Answer:
    arm: str
    seed: int
    products: int
    place: int
    drawn: bool
    right: bool
    tokens: int
    nats: float | None


@dataclass(frozen=True)
class Run:
    seed: int
    parameters: int
    seconds: float
    loss: float
    answers: tuple[Answer, ...]


def measure(seed: int, size: Size) -> Run:
    words = ("keys: ", "answer", "reason", "\ninput: ", "\ndraft: ", f". {MARKER}", '{"answer": ')
    model = train(pair, texts(*words), Recipe(size.steps), seed, name=f"seed {seed}:")
    found = []
    for drawn in (False, True):
        for products in (2, 3):
            for place, one in enumerate(held_out(products, size.inputs, 0)):
                noise = 1000 * products + place
                for name, arm in ARMS.items():
                    out = arm(model, one, noise, drawn)
                    right = out.answer == one.answer
                    found.append(Answer(name, seed, products, place, drawn, right, out.tokens, out.nats))
    return Run(seed, model.parameters, model.seconds, model.loss, tuple(found))


# -- arms ----------------------------------------------------------------------------------------------------------

#: Model, sum, noise, whether to draw with it.
Arm = Callable[[TrainedModel, Sum, int, bool], Found]


def free(model: TrainedModel, one: Sum, noise: int, drawn: bool) -> Found:
    """No mask: the model thinks, and its answer is what stands behind the marker."""
    asked = Noisy(model, noise) if drawn else model
    session = asked.start(model.encode(model.prompt(one.text)))
    steps = list(decode(session, None, model.vocabulary, Budget(TOKENS)))
    return Found(answer_of("".join(step.text for step in steps)), sum(not step.ends for step in steps))


def documents(keys: tuple[str, ...]) -> Arm:
    """JSON of these properties; the prompt names them."""

    def arm(model: TrainedModel, one: Sum, noise: int, drawn: bool) -> Found:
        asked = Noisy(model, noise) if drawn else model
        found = frisket.stream(asked, one.text, schema(keys), max_tokens=TOKENS).generation()
        return Found(found.value()["answer"], len(found.tokens), None if drawn else found.report.total.nats)

    return arm


def overruled(model: TrainedModel, one: Sum, noise: int, drawn: bool) -> Found:
    """The answer at once from a model that was not told so, and would think first."""
    return DIRECT(replace(model, names_keys=False), one, noise, drawn)


def votes(model: TrainedModel, one: Sum, noise: int, drawn: bool) -> Found:
    """As many answers at once as the tokens pay for, always drawn; the most frequent one."""
    found = [DIRECT(model, one, 1_000_000 * (turn + 1) + noise, True) for turn in range(VOTES)]
    ((answer, _),) = Counter(one.answer for one in found).most_common(1)
    return Found(answer, sum(one.tokens for one in found))


def drafted(model: TrainedModel, one: Sum, noise: int, drawn: bool) -> Found:
    """A draft in free text, and then the answer of a model that has read it."""
    strategy, steps = frisket.strategies.Draft(TOKENS - ANSWER_TOKENS), list[frisket.Step]()
    text = frisket.generate(
        Noisy(model, noise) if drawn else model,
        one.text,
        schema(KEYS["draft"]),
        max_tokens=ANSWER_TOKENS,
        sampler=frisket.Sampler.GREEDY,
        strategy=strategy,
        on_step=steps.append,
        allow_partial=True,
    )
    # The draft is what the free arm writes: the same prompt, the same noise.
    draft = min(free(model, one, noise, drawn).tokens, strategy.tokens)
    nats = None if drawn else -sum(step.log_feasible for step in steps)
    return Found(_parsed(text), draft + sum(not step.ends for step in steps), nats)


def crane(model: TrainedModel, one: Sum, noise: int, drawn: bool) -> Found:
    """Free text up to the marker, and then the JSON of the answer: CRANE as a grammar."""
    asked = Noisy(model, noise) if drawn else model
    found = frisket.stream(asked, one.text, CRANE, max_tokens=TOKENS).generation()
    return Found(
        _parsed(found.text.partition(MARKER)[2]), len(found.tokens), None if drawn else found.report.total.nats
    )


def _parsed(text: Any) -> int | None:
    """The answer of a document; None where the tokens ended before it did."""
    if isinstance(text, dict):
        return text["answer"]
    try:
        return json.loads(text)["answer"]
    except ValueError:
        return None


CRANE = frisket.parts.seq(frisket.parts.until(MARKER, max_chars=60), frisket.parts.json(schema(KEYS["direct"])))
DIRECT = documents(KEYS["direct"])
ARMS: dict[str, Arm] = {
    "free": free,
    "direct": DIRECT,
    "direct, overruled": overruled,
    "direct, votes": votes,
    "answer first": documents(KEYS["answer first"]),
    "reason first": documents(KEYS["reason first"]),
    "draft": drafted,
    "CRANE": crane,
}
