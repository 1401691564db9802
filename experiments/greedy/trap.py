"""Models whose answers can be listed × grammars of few or many texts → what greedy decoding under the mask finds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

import frisket
from experiments.exact.case import Case, Rewinding, random_model
from frisket import Grammar
from frisket.decoding.task import Task
from frisket.strategies import Beams
from tests.hand_model import truth

LETTERS = "abc"
TEXTS = tuple("".join(text) for length in range(1, 5) for text in product(LETTERS, repeat=length))
"""All 120 texts of one to four letters."""
SIZES = (2, 4, 8, 16, 32, 64, len(TEXTS))
"""Texts that a grammar leaves."""


@dataclass(frozen=True)
class Trapped:
    """One grammar and one model."""

    name: str
    texts: int
    mass: float
    """The probability that a free draw is a text of the grammar."""
    greedy: float
    """p*(text) of greedy's text: its probability under the model, given the grammar."""
    beams: float
    best: float
    """That of the likeliest text."""
    nats: float
    """Σ −log α of greedy's answer."""

    @property
    def hit(self) -> bool:
        return self.greedy >= self.best * (1 - 1e-9)

    @property
    def beams_hit(self) -> bool:
        return self.beams >= self.best * (1 - 1e-9)


def random_grammars(models: int) -> list[Trapped]:
    """For each of so many random models, texts in a random order; each grammar holds the first of them."""
    found = []
    for seed in range(models):
        order = np.random.default_rng([seed, 1]).permutation(len(TEXTS))
        model = Rewinding([letter.encode() for letter in LETTERS], random_model(seed, len(LETTERS) + 1))
        for size in SIZES:
            grammar = Grammar.from_choices([TEXTS[place] for place in order[:size]])
            found.append(trapped(f"{size}", Task(model, "", grammar, max_tokens=8)))
    return found


def listed(cases: list[Case]) -> list[Trapped]:
    return [trapped(case.name, case.task) for case in cases]


def trapped(name: str, task: Task) -> Trapped:
    """A text's probability is that of all its tokenisations together."""
    exact = truth(task)
    texts = exact.texts()
    greedy = frisket.stream(task.model, task.prompt, task.grammar, max_tokens=task.max_tokens).generation()
    beams = Beams(4).answer(task, 0)
    return Trapped(
        name,
        len(texts),
        exact.mass,
        texts.get(greedy.text, 0.0),
        texts.get(beams.text, 0.0),
        max(texts.values()),
        greedy.report.total.nats,
    )
