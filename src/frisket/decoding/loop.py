"""Session × Matcher × Sampler → steps: the decode loop."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from frisket.decoding.document import Document
from frisket.decoding.reading import Reading
from frisket.decoding.sampler import GREEDY, Sampler
from frisket.decoding.text import Text
from frisket.errors import EngineError, VocabularyError
from frisket.logits.numpy import FeasibleMass, allowed, feasible_mass
from frisket.token_name import token_name, token_names

if TYPE_CHECKING:
    from frisket.decoding.draft import Drafter
    from frisket.matcher import Matcher
    from frisket.models.protocol import Session
    from frisket.outline import Place
    from frisket.vocabulary import Vocabulary

FinishReason = Literal["end", "stop", "length"]
"""`end`: the text is a whole sentence of the grammar and the model ended it, or nothing could follow;
`stop`: a stop string came; `length`: the tokens ran out first."""


@dataclass(frozen=True)
class Step:
    """One token of an answer and what the mask did to it.

    `text` is what became certain with this token (a character may need several), `data` the token's own bytes. A
    special token that the grammar asks for has its name as text and no data. `ends` marks the end-of-sequence token,
    which has no text. `called` is False where the logits came with those of an earlier token, in one call of the
    network.

    `logprob` is the token's natural log-probability under the model as it is: before mask, penalties, temperature and
    truncation. `log_feasible` is the logarithm of the probability that the model gave to all allowed tokens together: 0
    if it wanted what the grammar wants, far below if not. `allowed` tokens shared that probability.

    `favourite` is the model's likeliest token before the mask.
    """

    token: int
    text: str
    logprob: float
    log_feasible: float
    allowed: int
    favourite: int
    overruled: bool
    """Whether the mask forbade the favourite."""
    ends: bool = False
    data: bytes = b""
    called: bool = True
    #: The document and how many of its pieces were there when the token was chosen.
    _document: Document | None = field(default=None, repr=False, compare=False)
    _pieces: int = field(default=0, repr=False, compare=False)

    @property
    def place(self) -> tuple[str | int, ...]:
        """The names, keys and indexes that lead to what was being written when the token was chosen.

        A function of the text before the token, however that is cut into tokens; empty at the root, and where nothing
        has a name. It is read when it is first asked for.
        """
        place = self._place
        return () if place is None else (*place.names, *place.value)

    @property
    def path(self) -> str:
        """The `place` as `Matcher.path` has it; of rules that have names, those are left out."""
        place = self._place
        return "" if place is None else str(place)

    @property
    def _place(self) -> Place | None:
        return None if self._document is None else self._document[self._pieces - 1]

    @property
    def masked_logprob(self) -> float:
        """The token's log-probability among the allowed tokens only."""
        return self.logprob - self.log_feasible

    @property
    def feasible(self) -> float:
        """The probability that the model gave to all allowed tokens together."""
        return math.exp(self.log_feasible)

    @property
    def forced(self) -> bool:
        """Whether this was the only token allowed; `feasible` is then the probability that the model gave to it."""
        return self.allowed == 1


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
    document = None if matcher is None else Document.of(matcher)
    while True:
        token, logprob, mass, count = _choose(reading.logits(), position, sampler, rng, history)
        ends, called = token in vocabulary.eos, reading.called
        if len(history) == max_tokens and not ends:
            return "length"
        if position is not None:
            position.advance(token)
        pieces = 0 if document is None else len(document)
        data, new, closed, full = b"", "", False, False
        if ends:
            new = text.flush()
        else:
            history.append(token)
            data = _bytes(vocabulary, token)
            written += data
            new = text.feed(data)
            if not data and matcher is not None:
                # Without its special tokens, nobody could take a message apart.
                new += text.feed((token_name(vocabulary, token) or "").encode())
            if document is not None:
                document.append(data or token_names(vocabulary, token))
            closed = position is not None and position.closed
            full = len(history) == max_tokens
            if closed or full:
                new += text.flush()
        yield Step(
            token=token,
            text=new,
            logprob=logprob,
            log_feasible=mass.log_feasible,
            allowed=count,
            favourite=token if mass.favourite is None else mass.favourite,
            overruled=mass.overruled,
            ends=ends,
            data=data,
            called=called,
            _document=document,
            _pieces=pieces,
        )
        if not ends and text.stopped:
            return "stop"
        if ends or closed:
            return "end"
        if full and position is not None and not position.can_end:
            return "length"
        reading.push(token, draft, max_tokens - len(history))


class Position:
    """A matcher with its mask, and the allowed tokens in ascending order."""

    def __init__(self, matcher: Matcher, vocabulary: Vocabulary) -> None:
        self._matcher = matcher
        self._eos = set(vocabulary.eos)
        self._shape = (vocabulary.size,)
        self.mask = np.empty(0, dtype=np.uint32)
        self._read()

    def advance(self, token: int) -> None:
        self._matcher.advance(token)
        if token not in self._eos:
            self._read()

    def _read(self) -> None:
        mask = self._matcher.mask()
        # The same array is the same mask, as from one token of a string to the next.
        if mask is not self.mask:
            self.mask = mask
            self.allowed = np.flatnonzero(allowed(mask, self._shape))
        self.can_end = self._matcher.can_end
        # Read off the mask and not the grammar: "nothing but the end may follow" is a statement about tokens.
        few = len(self.allowed) <= len(self._eos)
        self.closed = self.can_end and few and self._eos.issuperset(self.allowed.tolist())


def _choose(
    logits: NDArray[np.float32],
    position: Position | None,
    sampler: Sampler,
    rng: np.random.Generator,
    history: Sequence[int],
) -> tuple[int, float, FeasibleMass, int]:
    """A token, its log-probability under the model, what the mask leaves, and how many tokens are allowed."""
    free = logits if logits.dtype == np.float32 else logits.astype(np.float32)
    if position is None:
        count, mask = free.size, np.full(-(-free.size // 32), 0xFFFFFFFF, dtype=np.uint32)
    else:
        count, mask = _within(position.allowed, free.size), position.mask
    if not count:
        raise VocabularyError(
            "no token of the vocabulary can continue the text",
            where=f"token {len(history)}",
            hint="use a vocabulary with a token for every byte, or allow other text here",
        )
    mass = feasible_mass(free, mask)
    if mass.likeliest is None or not math.isfinite(mass.log_sum):
        raise EngineError(
            f"the model gives no finite logit to any of the {count} tokens that may come next",
            where=f"token {len(history)}",
            hint="look for NaN in the model's logits, and for a vocabulary that is not the model's",
        )
    if sampler == GREEDY:
        token = mass.likeliest
    else:
        # The mask comes first: gathering the allowed logits is setting all others to −∞, at the price of the few.
        ids = np.arange(count) if position is None else position.allowed[:count]
        seen = np.flatnonzero(np.isin(ids, history)).tolist() if sampler.repetition_penalty != 1 else ()
        token = int(ids[sampler.choose(free if position is None else free[ids], rng, seen)])
    return token, float(free[token]) - mass.log_sum, mass, count


def _within(ascending: NDArray[np.intp], size: int) -> int:
    """How many of the ids have a logit."""
    return len(ascending) if not len(ascending) or ascending[-1] < size else int(np.searchsorted(ascending, size))


def _bytes(vocabulary: Vocabulary, token: int) -> bytes:
    """The text of a token; a special token, or one that the vocabulary does not know, has none."""
    return (vocabulary.token(token) or b"") if token < vocabulary.size else b""
