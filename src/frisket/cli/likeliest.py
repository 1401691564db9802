"""Model × prompt × prefix × mask → the likeliest allowed tokens, before and after masking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frisket.logits.numpy import allowed
from frisket.models.prompt import property_names

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.matcher import Matcher
    from frisket.models.protocol import Model


@dataclass(frozen=True)
class Likeliest:
    """`tokens` are (id, probability under the model, probability among the allowed tokens), the likeliest first.

    `feasible` is the probability that the model gives to all allowed tokens together.
    """

    tokens: list[tuple[int, float, float]]
    feasible: float


def likeliest(model: Model, prompt: str, prefix: str, grammar: Grammar, matcher: Matcher, count: int) -> Likeliest:
    """The likeliest tokens after the prompt and the prefix, which the model reads as one text."""
    keys = None if grammar.schema is None else property_names(grammar.schema)
    logits = model.start(model.encode(model.prompt(prompt, keys) + prefix)).logits().astype(np.float64)
    weights = np.exp(logits - logits.max())
    before = weights / weights.sum()
    legal = np.flatnonzero(allowed(matcher.mask(), logits.shape))
    feasible = float(before[legal].sum())
    best = legal[np.argsort(-before[legal], kind="stable")[:count]]
    # If the allowed tokens' probability underflows to 0, their shares are unknown.
    shares = before[best] / feasible if feasible > 0 else np.zeros(len(best))
    return Likeliest(list(zip(best.tolist(), before[best].tolist(), shares.tolist(), strict=True)), feasible)
