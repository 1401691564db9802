"""Logits × mask → the likeliest tokens at one position, with and without the mask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frisket.errors import EngineError, VocabularyError
from frisket.logits.numpy import FeasibleMass, feasible_mass
from frisket.models import Logits
from frisket.play.allowance import Allowance

#: Likeliest tokens that are kept per step.
TOP = 64


@dataclass(frozen=True)
class Look:
    """One position of an answer, before its token.

    `before` are (id, natural log-probability) of the likeliest tokens under the model alone. `after` are those of the
    likeliest allowed tokens, also with their log-probabilities under the model alone.
    """

    mass: FeasibleMass
    allowed: int
    size: int
    can_end: bool
    withheld: int
    """The number of tokens that the grammar allows and the budget forbids."""
    micros: float
    """The time of the mask, in µs."""
    room_micros: float
    """The time of the mask with room, in µs."""
    before: tuple[tuple[int, float], ...]
    after: tuple[tuple[int, float], ...]

    @property
    def known(self) -> dict[int, float]:
        """Token → its log-probability before the mask, for the tokens that are kept."""
        return dict(self.before + self.after)


def look(logits: Logits, here: Allowance, *, step: int) -> Look:
    """The look at one position; VocabularyError or EngineError if there is no token to choose."""
    allowed = here.fitting
    ids = allowed if not len(allowed) or allowed[-1] < logits.size else allowed[allowed < logits.size]
    if not len(ids):
        raise VocabularyError(
            "no token of the vocabulary can continue the text", where=f"token {step}",
            hint="use a vocabulary with a token for every byte, or allow other text here",
        )  # fmt: skip
    mass = feasible_mass(logits, here.mask)
    if mass.likeliest is None or not math.isfinite(mass.log_sum):
        raise EngineError(
            f"the model gives no finite logit to any of the {len(ids)} tokens that may come next",
            where=f"token {step}",
            hint="look for NaN in the model's logits, and for a vocabulary that is not the model's",
        )
    before = _likeliest(np.arange(logits.size), logits, mass.log_sum)
    after = before if len(ids) == logits.size else _likeliest(ids, logits[ids], mass.log_sum)
    return Look(
        mass, len(ids), logits.size, here.can_end, here.withheld, here.micros, here.room_micros, before, after
    )  # fmt: skip


def _likeliest(ids: NDArray[np.intp], logits: Logits, log_sum: float) -> tuple[tuple[int, float], ...]:
    if len(ids) > TOP:
        best = np.argpartition(-logits, TOP)[:TOP]
        ids, logits = ids[best], logits[best]
    order = np.lexsort((ids, -logits))
    finite = [at for at in order.tolist() if math.isfinite(logits[at])]
    return tuple((int(ids[at]), float(logits[at]) - log_sum) for at in finite)


def share(logprob: float | None) -> float | None:
    """The probability of a log-probability, at most 1 after rounding; None for None."""
    return None if logprob is None else math.exp(min(logprob, 0.0))


def in_order(ids: Sequence[int], known: dict[int, float]) -> list[int]:
    """The ids in decreasing order of known probability; ids without one follow in numeric order."""
    first = sorted((token for token in ids if token in known), key=lambda token: (-known[token], token))
    return first + [token for token in ids if token not in known]
