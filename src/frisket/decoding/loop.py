"""Session × Matcher × Sampler → steps: the decode loop."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from frisket.decoding.sampler import GREEDY, Sampler
from frisket.decoding.text import Text
from frisket.errors import EngineError
from frisket.logits.numpy import allocate_bitmask, allowed, apply_mask

if TYPE_CHECKING:
    from frisket._core import Matcher, Vocabulary
    from frisket.models.protocol import Session

FinishReason = Literal["end", "stop", "length"]
"""`end`: the text is a whole sentence of the grammar and the model ended it, or nothing could follow;
`stop`: a stop string came; `length`: the tokens ran out first."""


@dataclass(frozen=True)
class Step:
    """One token of an answer and what the mask did to it.

    `text` is what became certain with this token (a character may need several). `logprob` is the token's natural
    log-probability under the model as it is, `masked_logprob` the same among the allowed tokens only; both before
    penalties, temperature and truncation. `feasible` is the probability that the model itself gave to all allowed
    tokens together: 1 if it wanted what the grammar wants, near 0 if it was forced. Always
    `masked_logprob == logprob - log(feasible)`. `ends` marks the end-of-sequence token, which has no text.
    """

    token: int
    text: str
    logprob: float
    masked_logprob: float
    feasible: float
    allowed: int
    ends: bool = False


def decode(
    session: Session,
    matcher: Matcher | None,
    vocabulary: Vocabulary,
    *,
    max_tokens: int,
    sampler: Sampler = GREEDY,
    seed: int = 0,
    stop: Sequence[str] = (),
) -> Generator[Step, None, FinishReason]:
    """The steps of one answer, as they are made; the generator returns the finish reason.

    `matcher=None` decodes freely: the same loop without a mask, for comparison. `session` and `matcher` belong to the
    loop until it ends. `max_tokens` counts tokens with text: the end-of-sequence token is free, so an answer of exactly
    `max_tokens` tokens that the model then ends is whole. Where nothing but the end may follow, the model is not asked.
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens is at least 1, not {max_tokens}")
    rng = np.random.default_rng(seed)
    text, history = Text(stop), list[int]()
    eos = set(vocabulary.eos)
    bitmask = allocate_bitmask(1, vocabulary.size)[0]
    if matcher is not None and _closed(matcher, bitmask, eos):
        return "end"
    while True:
        step = _choose(session.logits(), None if matcher is None else bitmask, sampler, rng, history, eos)
        if len(history) == max_tokens and not step.ends:
            return "length"
        if matcher is not None:
            matcher.advance(step.token)
        if step.ends:
            yield replace(step, text=text.flush())
            return "end"
        history.append(step.token)
        new = text.feed(_bytes(vocabulary, step.token))
        closed = matcher is not None and _closed(matcher, bitmask, eos)
        full = len(history) == max_tokens
        if closed or full:
            new += text.flush()
        yield replace(step, text=new)
        if text.stopped:
            return "stop"
        if closed:
            return "end"
        if full and matcher is not None and not matcher.can_end:
            return "length"
        session.push(step.token)


def _choose(
    logits: NDArray[np.float32],
    bitmask: NDArray[np.uint32] | None,
    sampler: Sampler,
    rng: np.random.Generator,
    history: Sequence[int],
    eos: set[int],
) -> Step:
    free = np.array(logits, dtype=np.float64)
    masked = free
    if bitmask is not None:
        masked = free.copy()
        apply_mask(masked, bitmask)
    if not (np.isfinite(masked.max(initial=-np.inf)) and np.isfinite(free.max())):
        raise EngineError(
            f"the model gives no finite logit to any of the {_count(bitmask, free)} tokens that may come next",
            where=f"token {len(history)}",
            hint="look for NaN in the model's logits, and for a vocabulary that is not the model's",
        )
    token = sampler.choose(masked, rng, history)
    before, after = _log_sum_exp(free), _log_sum_exp(masked)
    return Step(
        token=token,
        text="",
        logprob=float(free[token] - before),
        masked_logprob=float(free[token] - after),
        feasible=float(np.exp(min(after - before, 0.0))),
        allowed=_count(bitmask, free),
        ends=token in eos,
    )


def _closed(matcher: Matcher, bitmask: NDArray[np.uint32], eos: set[int]) -> bool:
    """Fill the mask; whether nothing but the end may follow. Read off the mask, because that is about tokens."""
    matcher.fill_mask(bitmask)
    ends = sum(int(bitmask[token >> 5]) >> (token & 31) & 1 for token in eos)
    return matcher.can_end and int(np.count_nonzero(np.unpackbits(bitmask.view(np.uint8)))) == ends


def _count(bitmask: NDArray[np.uint32] | None, logits: NDArray[np.float64]) -> int:
    return logits.size if bitmask is None else int(np.count_nonzero(allowed(bitmask, logits.shape)))


def _bytes(vocabulary: Vocabulary, token: int) -> bytes:
    """The text of a token; a special token, or one that the vocabulary does not know, has none."""
    return (vocabulary.token(token) or b"") if token < vocabulary.size else b""


def _log_sum_exp(logits: NDArray[np.float64]) -> float:
    largest = logits.max()
    return float(largest + np.log(np.exp(logits - largest).sum()))
