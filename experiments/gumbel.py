"""Model × seed → the same model with Gumbel noise on its logits: greedy decoding then draws, and arms share the noise.

The token with the largest logit plus Gumbel noise is a draw from the softmax (Gumbel 1954), under a mask, too. Two arms
with one seed see the same noise at the same step, so they differ only where the arms make them differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Noisy:
    """A model for one input. Sessions are numbered: a draft and the answer behind it do not share their noise."""

    def __init__(self, model: Any, seed: int, temperature: float = 1.0) -> None:
        self._model, self._seed, self._temperature = model, seed, np.float32(temperature)
        self.vocabulary, self.eos, self.context = model.vocabulary, model.eos, model.context
        self.encode, self.decode, self.prompt = model.encode, model.decode, model.prompt
        self._started = 0

    def start(self, prompt_ids: Sequence[int]) -> NoisySession:
        self._started += 1
        return NoisySession(self._model.start(prompt_ids), (self._seed, self._started), self._temperature, 0)


class NoisySession:
    """One sequence and how many tokens have followed its prompt."""

    def __init__(self, session: Any, key: tuple[int, int], temperature: np.float32, step: int) -> None:
        self._session, self._key, self._temperature, self._step = session, key, temperature, step

    def logits(self) -> np.ndarray:
        clean = self._session.logits() / self._temperature
        noise = np.random.default_rng([*self._key, self._step]).gumbel(size=clean.shape)
        return (clean + noise).astype(np.float32)

    def push(self, token_id: int) -> None:
        self._session.push(token_id)
        self._step += 1

    def fork(self) -> NoisySession:
        return NoisySession(self._session.fork(), self._key, self._temperature, self._step)
