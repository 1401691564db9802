"""Session × Matcher × Sampler → steps: the decode loop."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from frisket.decoding.reading import Reading
from frisket.decoding.sampler import GREEDY, Sampler
from frisket.decoding.text import Text
from frisket.errors import EngineError, VocabularyError
from frisket.logits.numpy import allowed
from frisket.token_name import token_name

if TYPE_CHECKING:
    from frisket.decoding.draft import Drafter
    from frisket.matcher import Matcher
    from frisket.models.protocol import Session
    from frisket.vocabulary import Vocabulary

FinishReason = Literal["end", "stop", "length"]
"""`end`: the text is a whole sentence of the grammar and the model ended it, or nothing could follow;
`stop`: a stop string came; `length`: the tokens ran out first."""


@dataclass(frozen=True)
class Step:
    """One token of an answer and what the mask did to it.

    `text` is what became certain with this token (a character may need several), `data` the token's own bytes.
    `logprob` is the token's natural log-probability under the model as it is, `masked_logprob` the same among the
    allowed tokens only; both before penalties, temperature and truncation. `feasible` is the probability that the model
    itself gave to all allowed tokens together: 1 if it wanted what the grammar wants, near 0 if it was forced. Always
    `masked_logprob == logprob - log(feasible)`. `ends` marks the end-of-sequence token, which has no text. `called` is
    False where the logits came with those of an earlier token, in one call of the network. A special
    token that the grammar asks for has its name as text and no data.
    """

    token: int
    text: str
    logprob: float
    masked_logprob: float
    feasible: float
    allowed: int
    ends: bool = False
    data: bytes = b""
    called: bool = True


def decode(
    session: Session,
    matcher: Matcher | None,
    vocabulary: Vocabulary,
    *,
    max_tokens: int,
    sampler: Sampler = GREEDY,
    seed: int = 0,
    stop: Sequence[str] = (),
    drafter: Drafter | None = None,
) -> Generator[Step, None, FinishReason]:
    """The steps of one answer, as they are made; the generator returns the finish reason.

    `matcher=None` decodes freely: the same loop without a mask, for comparison. `session` and `matcher` belong to the
    loop until it ends. `max_tokens` counts tokens with text: the end-of-sequence token is free, so an answer of exactly
    `max_tokens` tokens that the model then ends is whole. Where nothing but the end may follow, the model is not asked.

    With a `drafter` the session reads likely tokens ahead (`DraftSession`), and takes back those that are not chosen.
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens is at least 1, not {max_tokens}")
    rng = np.random.default_rng(seed)
    text, history, written = Text(stop), list[int](), bytearray()
    reading = Reading(session)
    draft = None
    if drafter is not None and matcher is not None:
        draft = lambda most: drafter(matcher, bytes(written), most)  # noqa: E731
    position = None if matcher is None else Position(matcher, vocabulary)
    if position is not None and position.closed:
        return "end"
    while True:
        step = _choose(reading.logits(), position, vocabulary.eos, sampler, rng, history)
        step = replace(step, called=reading.called)
        if len(history) == max_tokens and not step.ends:
            return "length"
        if position is not None:
            position.advance(step.token)
        if step.ends:
            yield replace(step, text=text.flush())
            return "end"
        history.append(step.token)
        data = _bytes(vocabulary, step.token)
        written += data
        new = text.feed(data)
        if not data and matcher is not None:
            # Without its special tokens, nobody could take a message apart.
            new += text.feed((token_name(vocabulary, step.token) or "").encode())
        closed = position is not None and position.closed
        full = len(history) == max_tokens
        if closed or full:
            new += text.flush()
        yield replace(step, text=new, data=data)
        if text.stopped:
            return "stop"
        if closed:
            return "end"
        if full and position is not None and not position.can_end:
            return "length"
        reading.push(step.token, draft, max_tokens - len(history))


class Position:
    """A matcher with its mask as ids: the allowed tokens in ascending order."""

    def __init__(self, matcher: Matcher, vocabulary: Vocabulary) -> None:
        self._matcher = matcher
        self._eos = set(vocabulary.eos)
        self._shape = (vocabulary.size,)
        self._mask: NDArray[np.uint32] | None = None
        self._read()

    def advance(self, token: int) -> None:
        self._matcher.advance(token)
        if token not in self._eos:
            self._read()

    def _read(self) -> None:
        mask = self._matcher.mask()
        # The same array is the same mask, as from one token of a string to the next.
        if mask is not self._mask:
            self._mask = mask
            self.allowed = np.flatnonzero(allowed(mask, self._shape))
        self.can_end = self._matcher.can_end
        # Read off the mask and not the grammar: "nothing but the end may follow" is a statement about tokens.
        few = len(self.allowed) <= len(self._eos)
        self.closed = self.can_end and few and self._eos.issuperset(self.allowed.tolist())


def _choose(
    logits: NDArray[np.float32],
    position: Position | None,
    eos: Sequence[int],
    sampler: Sampler,
    rng: np.random.Generator,
    history: Sequence[int],
) -> Step:
    free = logits if logits.dtype == np.float32 else logits.astype(np.float32)
    # The mask comes first: gathering the allowed logits is setting all others to −∞, at the price of the few.
    ids = np.arange(free.size) if position is None else position.allowed[: _within(position.allowed, free.size)]
    masked = free if position is None else free[ids]
    if not len(ids):
        raise VocabularyError(
            "no token of the vocabulary can continue the text",
            where=f"token {len(history)}",
            hint="use a vocabulary with a token for every byte, or allow other text here",
        )
    largest = float(free.max())
    largest_allowed = largest if position is None else float(masked.max())
    if not (math.isfinite(largest) and math.isfinite(largest_allowed)):
        raise EngineError(
            f"the model gives no finite logit to any of the {len(ids)} tokens that may come next",
            where=f"token {len(history)}",
            hint="look for NaN in the model's logits, and for a vocabulary that is not the model's",
        )
    seen = np.flatnonzero(np.isin(ids, history)).tolist() if sampler.repetition_penalty != 1 else ()
    place = sampler.choose(masked, rng, seen)
    before = _log_sum_exp(free, largest)
    after = before if position is None else _log_sum_exp(masked, largest_allowed)
    logit, token = float(masked[place]), int(ids[place])
    return Step(
        token=token,
        text="",
        logprob=logit - before,
        masked_logprob=logit - after,
        feasible=math.exp(min(after - before, 0.0)),
        allowed=len(ids),
        ends=token in eos,
    )


def _within(ascending: NDArray[np.intp], size: int) -> int:
    """How many of the ids have a logit."""
    return len(ascending) if not len(ascending) or ascending[-1] < size else int(np.searchsorted(ascending, size))


def _bytes(vocabulary: Vocabulary, token: int) -> bytes:
    """The text of a token; a special token, or one that the vocabulary does not know, has none."""
    return (vocabulary.token(token) or b"") if token < vocabulary.size else b""


def _log_sum_exp(logits: NDArray[np.floating], largest: float) -> float:
    return largest + math.log(float(np.exp(logits - largest).sum(dtype=np.float64)))
