"""Nothing → six grammars, each with a model: three written by hand, three with the embedded model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import frisket
from frisket import Grammar, JSONSchemaOptions
from frisket.decoding.task import Task
from tests.hand_model import GoingBack, HandModel

WORDS = [
    *("account", "billing", "bug", "other", "high", "low", "medium", "urgent", "order", "refund", "coffee", "latte"),
    *("small", "large", "Oslo", "Paris", "yes", "no", "maybe", "none"),
]
VALUES = Grammar.from_json_schema(
    {"enum": ["account", "billing", "bug", "other", "order", "refund", "bill", True, False, None, 1, 2]},
    JSONSchemaOptions(leading_space=True),
)
BEGUN = '{"priority": "high", "category":'
KEYS = ["priority", "category", "needs_human", "confidence"]


@dataclass(frozen=True)
class Case:
    name: str
    about: str
    task: Task
    calls: Callable[[], int]
    """Tokens that the network has read, one call each, since the process began."""


def cases() -> list[Case]:
    return [
        _hand("binary", "the toy of Park et al. 2024: `00000` or `1` and four digits", *_binary(), max_tokens=8),
        _hand("pieces", "`[ab]{1,5}c` in seven overlapping tokens", *_pieces(), max_tokens=8),
        _hand("brackets", "balanced brackets in at most 6 tokens: the budget cuts", *_brackets(), max_tokens=6),
        _embedded("words", "20 words", Grammar.from_choices(WORDS), temperature=3),
        _embedded("numbers", "`[1-9][0-9]?(\\.[0-9])?`", Grammar.from_regex(r"[1-9][0-9]?(\.[0-9])?"), temperature=2),
        _embedded("values", '12 JSON values after `"category":`', VALUES, temperature=3, begun=BEGUN),
    ]


class Rewinding(HandModel):
    def start(self, prompt_ids: Sequence[int]) -> GoingBack:
        return GoingBack(self, tuple(prompt_ids[1:]))


def _hand(name: str, about: str, texts: Sequence[bytes], model: Any, grammar: Grammar, max_tokens: int) -> Case:
    made = Rewinding(texts, cache(model))
    return Case(name, about, Task(made, "", grammar, max_tokens=max_tokens), lambda: made.calls)


def _binary() -> tuple[list[bytes], Any, Grammar]:
    def model(ids: tuple[int, ...]) -> list[float]:
        if len(ids) >= 5:
            return [0.01, 0.01, 0.98]
        return [0.45, 0.45, 0.10] if ids[:1] != (0,) else [0.3, 0.6, 0.1]

    return [b"0", b"1"], model, Grammar.from_regex("00000|1[01]{4}")


def _pieces() -> tuple[list[bytes], Any, Grammar]:
    texts = [b"a", b"b", b"c", b"ab", b"ba", b"bc", b"abc"]
    return texts, random_model(7, len(texts) + 1), Grammar.from_regex("[ab]{1,5}c")


def _brackets() -> tuple[list[bytes], Any, Grammar]:
    texts = [b"(", b")", b"()", b"((", b"))"]
    return texts, random_model(11, len(texts) + 1), Grammar.from_gbnf('root ::= ("(" root ")")*')


def random_model(seed: int, size: int, spread: float = 1.5) -> Callable[[tuple[int, ...]], list[float]]:
    """Logits drawn from a normal distribution, anew for each path of tokens."""
    return lambda ids: np.exp(np.random.default_rng([seed, *ids]).normal(size=size) * spread).tolist()


def _embedded(name: str, about: str, grammar: Grammar, *, temperature: float, begun: str = "") -> Case:
    model = Remembered(temperature, begun)
    task = Task(model, "My card was charged twice", grammar, max_tokens=16)
    return Case(name, f"{about}, embedded model at temperature {temperature:g}", task, lambda: model.calls)


class Remembered:
    """The embedded model, which computes the logits of a path once; `calls` counts as if it computed them each time.

    `temperature` flattens it: at 1, one text has nearly all of the probability, and a test would see that text alone.
    """

    def __init__(self, temperature: float, begun: str) -> None:
        self._model, self._temperature, self._begun = frisket.models.embedded(), np.float32(temperature), begun
        self.vocabulary, self.eos, self.context = self._model.vocabulary, self._model.eos, self._model.context
        self.encode, self.decode = self._model.encode, self._model.decode
        self.calls = 0
        self.known: dict[tuple[int, ...], np.ndarray] = {}

    def prompt(self, text: str, keys: Sequence[str] | None = None) -> str:
        return self._model.prompt(text, KEYS) + self._begun

    def start(self, prompt_ids: Sequence[int]) -> Path:
        return Path(self, tuple(prompt_ids), ())

    def logits(self, prompt: tuple[int, ...], ids: tuple[int, ...]) -> np.ndarray:
        found = self.known.get((*prompt, *ids))
        if found is None:
            session = self._model.start(prompt)
            for token in ids:
                session.push(token)
            found = self.known[(*prompt, *ids)] = session.logits() / self._temperature
        return found.copy()


class Path:
    """One sequence."""

    def __init__(self, model: Remembered, prompt: tuple[int, ...], ids: tuple[int, ...]) -> None:
        self._model, self._prompt, self._ids = model, prompt, ids

    def logits(self) -> np.ndarray:
        return self._model.logits(self._prompt, self._ids)

    def push(self, token_id: int) -> None:
        self._model.calls += 1
        self._ids = (*self._ids, token_id)

    def rewind(self, tokens: int) -> None:
        self._ids = self._ids[: len(self._ids) - tokens]

    def fork(self) -> Path:
        return Path(self._model, self._prompt, self._ids)
