"""Logits × allowed tokens × Sampler → the distribution at one place, before and after the mask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from frisket.errors import EngineError
from frisket.extension import holds, is_closed
from frisket.logits.numpy import allowed

if TYPE_CHECKING:
    from frisket import Matcher, Sampler, Vocabulary
    from frisket.models import Logits

Ids = NDArray[np.intp]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """The allowed tokens at a place. Logarithms are natural, and of probabilities among *all* tokens."""

    ids: Ids
    """Token ids in ascending order; empty if the model gives no probability to any of them."""
    log_model: Numbers
    """For each allowed token: its log-probability under the model alone."""
    log_drawn: Numbers
    """For each allowed token: its log-probability under the distribution drawn from, with temperature and penalty."""
    favourite: int
    """The likeliest token, allowed or not."""
    overruled: bool
    log_feasible: float
    """The log-probability of all allowed tokens together, under the model alone."""

    def choose(self, rng: np.random.Generator) -> int:
        """Draw an allowed token; its index in `ids`."""
        cumulative = np.cumsum(np.exp(self.log_drawn - self.log_drawn.max()))
        return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))

    @staticmethod
    def of(logits: Logits, ids: Ids, sampler: Sampler, history: Sequence[int]) -> Row:
        """The row of some logits, in 64 bits, since probabilities are later subtracted from one another."""
        free = logits.astype(np.float64)
        ids = ids[: np.searchsorted(ids, free.size)]
        top = free.max(initial=-math.inf)
        if not math.isfinite(top):
            raise EngineError(
                "the model gives no finite logit to any token",
                where=f"token {len(history)}",
                hint="look for NaN in the model's logits, and for a vocabulary that is not the model's",
            )
        log_model = (free - (top + math.log(np.exp(free - top).sum())))[ids]
        if not ids.size or not math.isfinite(log_model.max()):
            return Row(ids[:0], log_model[:0], log_model[:0], int(free.argmax()), True, -math.inf)
        log_drawn = log_model
        if sampler.temperature != 1 or sampler.repetition_penalty != 1:
            drawn = sampler.adjust(free, history)
            log_drawn = (drawn - math.log(np.exp(drawn).sum()))[ids]
        likeliest = int(ids[log_model.argmax()])
        overruled = bool(free[likeliest] < top)
        favourite = int(free.argmax()) if overruled else likeliest
        return Row(ids, log_model, log_drawn, favourite, overruled, min(_log_sum(log_model), 0.0))

    @property
    def log_alpha(self) -> float:
        """The log-probability of all allowed tokens together, under the distribution from which tokens are drawn."""
        return min(_log_sum(self.log_drawn), 0.0)


def allowed_ids(matcher: Matcher, vocabulary: Vocabulary, left: int) -> Ids:
    """The ids that may come next if `left` more tokens may have text: for 0, only ids that end the text."""
    mask = matcher.mask()
    if left > 0:
        return np.flatnonzero(allowed(mask, (vocabulary.size,)))
    ends = sorted(vocabulary.eos)
    return np.array([end for end in ends if holds(mask, end)], dtype=np.intp)


def may_only_end(matcher: Matcher, vocabulary: Vocabulary) -> bool:
    """Whether the text may end, and nothing else may follow."""
    return matcher.can_end and is_closed(matcher, allowed_ids(matcher, vocabulary, 1), frozenset(vocabulary.eos))


def _log_sum(logarithms: Numbers) -> float:
    top = logarithms.max(initial=-math.inf)
    if top == -math.inf:
        return -math.inf
    return float(top + math.log(np.exp(logarithms - top).sum()))
