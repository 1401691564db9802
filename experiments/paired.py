"""Model × seed × temperature → a model whose likeliest token is a draw: arms of a comparison share their chance.

Adding Gumbel noise to logits and taking the largest is drawing from the softmax (Gumbel 1954). The noise depends on the
seed, the place behind the prompt and the token alone. So arms that decode greedily draw from the same chance, and
differ by what they do, not by luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from frisket.decoding import decode
from frisket.decoding.budget import Budget
from frisket.models.protocol import Logits, Model, Session


@dataclass
class Counts:
    """What a model was asked for."""

    calls: int = 0
    """Calls of the network that read one token; the prompt's is not among them."""
    read: int = 0
    """Tokens of prompts."""


class Paired:
    """A model that answers greedily what it would draw with this seed and temperature; 0 leaves its logits alone."""

    def __init__(self, model: Model, seed: Sequence[int] = (0,), temperature: float = 0.0) -> None:
        self._model, self._seed, self._temperature = model, tuple(seed), temperature
        self.vocabulary, self.eos, self.context = model.vocabulary, model.eos, model.context
        self.encode, self.decode, self.prompt = model.encode, model.decode, model.prompt
        self.counts = Counts()

    def start(self, prompt_ids: Sequence[int]) -> PairedSession:
        self.counts.read += len(prompt_ids)
        return PairedSession(self._model.start(prompt_ids), self._seed, self._temperature, self.counts)


class Noisy(Paired):
    """The same at temperature 1, for one input. Sessions are numbered: a draft and its answer share no noise."""

    def __init__(self, model: Model, seed: int) -> None:
        super().__init__(model, (seed,), 1.0)
        self._started = 0

    def start(self, prompt_ids: Sequence[int]) -> PairedSession:
        self._started += 1
        self.counts.read += len(prompt_ids)
        seed = (*self._seed, self._started)
        return PairedSession(self._model.start(prompt_ids), seed, self._temperature, self.counts)


@dataclass
class PairedSession:
    inner: Session
    seed: tuple[int, ...]
    temperature: float
    counts: Counts
    place: int = field(default=0)

    def logits(self) -> Logits:
        logits = self.inner.logits()
        if not self.temperature:
            return logits
        noise = np.random.default_rng([*self.seed, self.place]).gumbel(size=logits.shape)
        return np.asarray(logits / self.temperature + noise, dtype=np.float32)

    def push(self, token_id: int) -> None:
        self.inner.push(token_id)
        self.counts.calls += 1
        self.place += 1

    def fork(self) -> PairedSession:
        return PairedSession(self.inner.fork(), self.seed, self.temperature, self.counts, self.place)


def free_answer(model: Model, prompt: str, max_tokens: int) -> tuple[str, int]:
    """What the model writes behind the prompt without a mask, and how many tokens that are."""
    ids = model.encode(prompt)
    room = min(max_tokens, model.context - len(ids))
    if room < 1:
        return "", 0
    steps = list(decode(model.start(ids), None, model.vocabulary, Budget(room)))
    return "".join(step.text for step in steps), sum(not step.ends for step in steps)
