"""Masked logits → one token id.

The order is always

mask → repetition penalty → temperature → top-k → top-p → min-p → draw

The mask comes first, because every later stage chooses *among* tokens. Before the mask, top-k 1 may keep only a
forbidden favourite, and nothing is left to draw; top-p fills its nucleus with forbidden tokens. After the mask, the
softmax is the model's own distribution over the allowed tokens, and each truncation means what it means without a mask.
The other stages follow from what they read. The penalty changes the order of tokens, so it precedes all that rank them.
Temperature changes probabilities but no order: top-k gives the same before and after it, but top-p adds up
probabilities and must come after it. Min-p compares with the likeliest token, which no truncation removes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from frisket.argument_name import explain_fields

_CALL = "it is an argument of the call, as in frisket.generate(model, prompt, target, {name}={value})"
#: Fields as other libraries name them → what to write instead.
_SLIPS = {
    **dict.fromkeys(("temp", "t"), "write temperature={value}"),
    **dict.fromkeys(("k", "topk"), "write top_k={value}"),
    **dict.fromkeys(("p", "topp", "nucleus"), "write top_p={value}"),
    **dict.fromkeys(("seed", "max_tokens", "stop"), _CALL),
    "do_sample": "Sampler() draws, and Sampler.GREEDY takes the likeliest token",
    **dict.fromkeys(
        ("frequency_penalty", "presence_penalty", "penalty"), "repetition_penalty, above 1, is what there is"
    ),
    **dict.fromkeys(("num_beams", "n"), "frisket.strategies has Beams and Best, for strategy="),
}

#: The largest repetition penalty; the smallest is 1 / this. A larger one could make logits infinite.
MOST_PENALTY = 1000.0


@explain_fields(_SLIPS)
@dataclass(frozen=True)
class Sampler:
    """How one token is chosen among the allowed ones; `temperature=0` takes the likeliest.

    >>> Sampler(temperature=0).choose(np.array([0.1, 2.0, -np.inf]), np.random.default_rng(0))
    1

    `top_k`: only the k largest logits, and those equal to the k-th. `top_p`: the smallest set of likeliest tokens whose
    probabilities sum to at least this. `min_p`: no token less likely than this fraction of the likeliest.
    `repetition_penalty`: above 1 makes tokens of the answer so far less likely (CTRL, Keskar et al. 2019). Tokens of
    the prompt are exempt, because an extraction has to repeat them.
    """

    GREEDY: ClassVar[Sampler]
    """The sampler that takes the likeliest token: `Sampler(temperature=0)`, the default of every call."""

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0

    def __post_init__(self) -> None:
        for name in ("temperature", "top_p", "min_p", "repetition_penalty"):
            if not isinstance(value := getattr(self, name), Real):
                raise TypeError(f"{name} is a number, got {type(value).__name__}")
        if self.top_k is not None and not isinstance(self.top_k, Integral):
            raise TypeError(f"top_k is an int or None, got {type(self.top_k).__name__}")
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise ValueError(f"temperature is a finite number ≥ 0, not {self.temperature}")
        if self.top_k is not None and self.top_k < 1:
            raise ValueError(f"top_k is at least 1, not {self.top_k}; None switches it off")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is in (0, 1], not {self.top_p}; 1 switches it off")
        if not 0 <= self.min_p <= 1:
            raise ValueError(f"min_p is in [0, 1], not {self.min_p}; 0 switches it off")
        if not 1 / MOST_PENALTY <= self.repetition_penalty <= MOST_PENALTY:
            raise ValueError(
                f"repetition_penalty is from {1 / MOST_PENALTY:g} to {MOST_PENALTY:g}, not {self.repetition_penalty}; "
                "1 is none"
            )

    def choose(self, masked: NDArray[np.floating], rng: np.random.Generator, history: Sequence[int] = ()) -> int:
        """The id of one token. `masked` is (vocabulary,), −∞ where forbidden, and is not changed.

        Of equal logits the smaller id is taken. A draw takes one number from `rng`, so one seed gives one answer.
        """
        if self.temperature == 0 and self.repetition_penalty == 1:
            return int(np.argmax(masked))
        logits = self.adjust(masked, history)
        if self.temperature == 0:
            return int(np.argmax(logits))
        cumulative = np.cumsum(np.exp(logits - logits.max()))
        # side="right" skips tokens of probability 0: their cumulative sum equals their predecessor's.
        return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))

    def adjust(self, masked: NDArray[np.floating], history: Sequence[int] = ()) -> NDArray[np.float64]:
        """The logits for the draw: a copy, with all stages after the mask applied."""
        logits: NDArray[np.float64] = np.array(masked, dtype=np.float64)
        if not np.isfinite(logits.max(initial=-np.inf)):
            raise ValueError("no token has a finite logit: mask and model leave nothing to choose from")
        if self.repetition_penalty != 1 and history:
            seen = np.unique(np.asarray(history, dtype=np.int64))
            values = logits[seen]
            logits[seen] = np.where(values > 0, values / self.repetition_penalty, values * self.repetition_penalty)
        if self.temperature == 0:
            return logits
        with np.errstate(over="ignore"):
            # Subtract the largest first: a tiny temperature then underflows to −∞ instead of overflowing to ∞ − ∞.
            logits = (logits - logits.max()) / self.temperature
        if self.top_k is not None and self.top_k < logits.size:
            logits[logits < np.partition(logits, -self.top_k)[-self.top_k]] = -np.inf
        if self.top_p < 1:
            probabilities = np.exp(logits)
            order = np.argsort(-probabilities, kind="stable")
            mass = np.cumsum(probabilities[order])
            before = np.concatenate(([0.0], mass[:-1]))
            logits[order[before >= self.top_p * mass[-1]]] = -np.inf
        if self.min_p > 0:
            logits[logits < math.log(self.min_p)] = -np.inf
        return logits


Sampler.GREEDY = Sampler(temperature=0.0)


def noise(seed: int, number: int, *, again: bool = False) -> np.random.Generator:
    """The random numbers of a seed from the number `number` on; `again` gives a second stream, for repeated draws.

    Number i belongs to token i, whatever was drawn before. The first stream is that of `default_rng(seed)`.
    """
    bits = np.random.PCG64(seed)
    bits = bits.jumped() if again else bits
    return np.random.Generator(bits.advance(number))
