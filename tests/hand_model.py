"""A model whose distribution is written by hand, and the exact distribution of any small model under a grammar."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from frisket import Vocabulary
from frisket.decoding.task import Task

#: The tokens so far → the probability of each token of the vocabulary, in any unit.
Distribution = Callable[[tuple[int, ...]], Sequence[float]]


class HandModel:
    """A model of some texts, an end and a beginning, in this order: the last two are special."""

    def __init__(self, texts: Sequence[bytes], distribution: Distribution, *, context: int = 64) -> None:
        self.eos, self._bos = [len(texts)], len(texts) + 1
        special = {"<end>": self.eos[0], "<begin>": self._bos}
        self.vocabulary = Vocabulary.from_bytes([*texts, None, None], special=special, eos=self.eos)
        self.distribution = distribution
        self.context = context
        #: How often the network was called.
        self.calls = 0

    def encode(self, text: str) -> list[int]:
        """The longest tokens, from the left."""
        ids, data = [self._bos], text.encode()
        while data:
            fits = [one for one in range(self.eos[0]) if data.startswith(self.vocabulary.token(one) or b"-")]
            ids.append(max(fits, key=lambda one: len(self.vocabulary.token(one) or b"")))
            data = data[len(self.vocabulary.token(ids[-1]) or b"") :]
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        return b"".join(self.vocabulary.token(one) or b"" for one in ids).decode("utf-8", "replace")

    def prompt(self, text: str, keys: Sequence[str] | None = None, *, draft: str | None = None) -> str:
        return text if draft is None else text + draft

    def start(self, prompt_ids: Sequence[int]) -> HandSession:
        self.calls += 1
        return HandSession(self, tuple(prompt_ids[1:]))


class HandSession:
    """One sequence; it cannot go back."""

    def __init__(self, model: HandModel, ids: tuple[int, ...]) -> None:
        self.model, self.ids = model, ids

    def logits(self) -> np.ndarray:
        # The beginning has no probability of its own.
        weights = [*self.model.distribution(self.ids), 0.0]
        with np.errstate(divide="ignore"):
            return np.log(np.array(weights, dtype=np.float64)).astype(np.float32)

    def push(self, token_id: int) -> None:
        self.model.calls += 1
        self.ids = (*self.ids, token_id)

    def fork(self) -> HandSession:
        return HandSession(self.model, self.ids)


class GoingBack(HandSession):
    """The same, but it can."""

    def rewind(self, tokens: int) -> None:
        self.ids = self.ids[: len(self.ids) - tokens]

    def fork(self) -> GoingBack:
        return GoingBack(self.model, self.ids)


@dataclass(frozen=True)
class Whole:
    """One tokenisation of one whole text."""

    tokens: tuple[int, ...]
    text: str
    probability: float
    """Under the model, before any mask."""
    masked: float
    """With which masked sampling draws it."""


@dataclass(frozen=True)
class Truth:
    """All that a model can say under a grammar within a budget."""

    wholes: tuple[Whole, ...]
    reads: float
    """The logits that one free draw asks for on average, after those of the prompt, if it ends where it leaves the
    grammar."""
    rows: dict[tuple[int, ...], dict[int, float]]
    """Each path that the grammar allows → the probability of each token that it allows there."""

    @cached_property
    def mass(self) -> float:
        """The probability that a free draw is a text of the grammar."""
        return math.fsum(whole.probability for whole in self.wholes)

    def texts(self) -> dict[str, float]:
        """The probability of each text, given that it is one of the grammar."""
        found: dict[str, float] = {}
        for whole in self.wholes:
            found[whole.text] = found.get(whole.text, 0.0) + whole.probability / self.mass
        return found


def truth(task: Task, most: int = 1_000_000) -> Truth:
    """By trying every token everywhere, with nothing of a strategy's own code."""
    beginning = task.beginning
    vocabulary, eos = task.vocabulary, set(task.vocabulary.eos)
    rows: dict[tuple[int, ...], dict[int, float]] = {}
    reads = [0.0]

    def walk(session: Any, matcher: Any, path: tuple[int, ...], p: float, q: float) -> Iterator[Whole]:
        logits = session.logits().astype(np.float64)
        weights = np.exp(logits - logits.max())
        weights /= weights.sum()
        allowed = [one for one in matcher.allowed() if len(path) < beginning.limit or one in eos]
        mass = sum(weights[one] for one in allowed)
        rows[path] = {one: float(weights[one]) for one in allowed}
        for token in allowed:
            if not weights[token]:
                continue
            after = matcher.fork()
            after.advance(token)
            here = (*path, token), p * float(weights[token]), q * float(weights[token] / mass)
            if token in eos or (after.can_end and eos.issuperset(after.allowed())):
                text = b"".join(vocabulary.token(one) or b"" for one in here[0]).decode()
                yield Whole(here[0], text, *here[1:])
            else:
                reads[0] += here[1]
                further = session.fork()
                further.push(token)
                yield from walk(further, after, *here)

    wholes = []
    for whole in walk(beginning.session.fork(), beginning.compiled.matcher(), (), 1.0, 1.0):
        wholes.append(whole)
        assert len(wholes) <= most, "too many texts to be written down"
    return Truth(tuple(wholes), reads[0], rows)
