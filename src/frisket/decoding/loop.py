"""Session × Matcher × Sampler → steps: the decode loop."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from numpy.typing import NDArray

from frisket import _core
from frisket.decoding.budget import Budget
from frisket.decoding.document import Document
from frisket.decoding.reading import Reading
from frisket.decoding.sampler import Sampler, noise
from frisket.decoding.text import Text
from frisket.errors import EngineError, VocabularyError
from frisket.least import median_tokens
from frisket.logits.numpy import FeasibleMass, allowed
from frisket.token_name import token_name, token_names

if TYPE_CHECKING:
    from frisket.decoding.draft import Drafter
    from frisket.matcher import Matcher
    from frisket.models.protocol import Session
    from frisket.outline import Place
    from frisket.vocabulary import Vocabulary

FinishReason = Literal["end", "budget", "stop", "length"]
"""Why an answer ended:

`end`: the text is a whole text of the grammar, and the model ended it or nothing could follow; `budget`: the text is
whole, but `max_tokens` decided one of its tokens (`Step.budgeted`), or its end where more text could have followed;
`stop`: a stop string came; `length`: the tokens ran out before the text was whole."""


@dataclass(frozen=True)
class Step:
    """One token of an answer and what the mask did to it.

    `text` is the text that became certain with this token (one character may need several tokens), `data` the token's
    own bytes. A special token that the grammar asks for has its name as `text` and no `data`. `ends` marks the
    end-of-sequence token, which has no text. `called` is False where the call of the network for an earlier token also
    computed these logits.

    `logprob` is the token's natural log-probability under the model alone: before mask, penalties, temperature and
    truncation. `log_feasible` is the logarithm of the probability that the model gave to all allowed tokens together:
    near 0 if the model wanted what the grammar allows, far below if not. `allowed` is the number of these tokens.

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
    budgeted: bool = False
    """Whether `max_tokens` decided this token: the token drawn first left too few tokens to finish the text, so
    another one was drawn from those that leave enough. Where this is False, any larger `max_tokens` gives the same
    token."""
    guarded: bool = False
    """Whether the guard or `min_tokens` took tokens out of the mask."""
    #: The document, and how many of its pieces had been written when the token was chosen.
    _document: Document | None = field(default=None, repr=False, compare=False)
    _pieces: int = field(default=0, repr=False, compare=False)

    @property
    def place(self) -> tuple[str | int, ...]:
        """The names, keys and indexes on the way to the value that was being written when the token was chosen.

        The place depends on the text before the token only, however that was cut into tokens. It is empty at the root,
        and where nothing has a name. It is found when it is first asked for.
        """
        place = self._place
        return () if place is None else (*place.names, *place.value)

    @property
    def path(self) -> str:
        """The `place` as a path like `Matcher.path`, without the names of rules."""
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
    budget: Budget,
    *,
    sampler: Sampler = Sampler.GREEDY,
    seed: int = 0,
    stop: Sequence[str] = (),
    drafter: Drafter | None = None,
    head: bytes = b"",
    is_thinking: Callable[[], bool] | None = None,
) -> Generator[Step, None, FinishReason]:
    """The steps of one answer, as they are made; the generator returns the finish reason.

    `matcher=None` decodes freely: the same loop without a mask, for comparison. `session` and `matcher` belong to the
    loop until it ends. The end-of-sequence token does not count for the budget, so an answer of exactly `max_tokens`
    tokens that the model then ends is whole. Where only the end may follow, the model is not called. If every text
    takes more than `max_tokens`, the first step raises a BudgetError.

    With a `drafter` the session reads likely tokens ahead (`DraftSession`), and takes back those not chosen.

    `head`: bytes from the end of the prompt that the first tokens must spell again (`heal`); `matcher` requires them.
    They are no part of the answer, and a token inside them does not count for the budget.

    `is_thinking` says whether the text so far ends inside reasoning. Reasoning is ended early enough to leave the
    budget for an answer of median length, if the budget is large enough for one.
    """
    reading = Reading(session, None if drafter is None else drafter.pace)
    steps = decode_from(
        reading, matcher, vocabulary, budget,
        sampler=sampler, seed=seed, stop=stop, drafter=drafter, head=head, is_thinking=is_thinking,
    )  # fmt: skip
    # None is yielded only where the logits wait for a batch, and the logits of a session never wait.
    return cast("Generator[Step, None, FinishReason]", steps)


def decode_from(
    reading: Reading,
    matcher: Matcher | None,
    vocabulary: Vocabulary,
    budget: Budget,
    *,
    sampler: Sampler = Sampler.GREEDY,
    seed: int = 0,
    stop: Sequence[str] = (),
    drafter: Drafter | None = None,
    head: bytes = b"",
    is_thinking: Callable[[], bool] | None = None,
) -> Generator[Step | None, None, FinishReason]:
    """`decode` from a reading; yields None while the logits wait for other sequences of a batch."""
    max_tokens, rng = budget.max_tokens, np.random.default_rng(seed)
    text, history = Text(stop), list[int]()
    has_decided = False
    spelled = b""
    draft = None
    if drafter is not None and matcher is not None:
        draft = lambda most: drafter(matcher, spelled, most)  # noqa: E731
    position = None if matcher is None else Position(matcher, vocabulary, budget, len(head), is_thinking)
    if position is not None and position.closed:
        return "end"
    document = None if matcher is None else Document.of(matcher)
    while True:
        if position is not None:
            position.keep_for_answer(history)
        while reading.is_waiting:
            yield None
        logits = reading.logits()
        token, logprob, mass, count = _choose(logits, position, sampler, rng, history)
        ends, called = token in vocabulary.eos, reading.called
        mask = None if position is None else position.mask
        if len(history) == max_tokens and not ends:
            return "length"
        budgeted, guarded = False, position is not None and position.guarded
        again: np.random.Generator | None = None
        while position is not None and not ends:
            history.append(token)
            if position.try_advance(history, _uncounted_tokens(_bytes(vocabulary, token), head)):
                break
            # The token leaves too few tokens to finish the text. The second draw has random numbers of its own, so that
            # with one seed each token has the same random number under every budget.
            history.pop()
            position.narrow(history, len(head))
            budgeted, guarded = True, position.guarded
            has_decided = True
            again = again or noise(seed, len(history), again=True)
            token, logprob, mass, count = _choose(logits, position, sampler, again, history)
            ends = token in vocabulary.eos
        if drafter is not None and mask is not None:
            drafter.learn(mask, token)
        pieces = 0 if document is None else len(document)
        data, new, closed, full = b"", "", False, False
        if ends:
            if position is not None:
                position.end(token)
            new = text.flush()
        else:
            if position is None:
                history.append(token)
            spelled = _bytes(vocabulary, token)
            data = spelled[len(head) :]
            if spelled and not data:
                max_tokens += 1
                if position is not None:
                    position.extend()
            head = head[len(spelled) :]
            new = text.feed(data)
            if not spelled and matcher is not None:
                # A message can be parsed only with the names of its special tokens.
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
            budgeted=budgeted,
            guarded=guarded,
            _document=document,
            _pieces=pieces,
        )
        if not ends and text.stopped:
            return "stop"
        if ends or closed:
            return "budget" if has_decided or (position is not None and position.is_spent) else "end"
        if full and position is not None and not position.can_end:
            return "length"
        reading.push(token, draft, max_tokens - len(history))


class Position:
    """A matcher within its budget: its mask, and the allowed tokens in ascending order.

    The mask is at first the grammar's. If a token drawn from it leaves too few tokens to finish the text, `narrow`
    takes all such tokens out of the mask, and another token is drawn. That is rejection sampling from the narrower
    mask.
    """

    def __init__(
        self, matcher: Matcher, vocabulary: Vocabulary, budget: Budget, free: int = 0,
        is_thinking: Callable[[], bool] | None = None,
    ) -> None:  # fmt: skip
        budget.check(matcher, free)
        self._is_thinking = is_thinking
        #: During reasoning: the tokens kept for the answer, beyond those of the shortest one; None otherwise.
        self._kept: int | None = None
        self._matcher = matcher
        self._budget = budget
        self._eos = frozenset(vocabulary.eos)
        self._shape = (vocabulary.size,)
        self.mask = np.empty(0, dtype=np.uint32)
        self.closed = False
        #: Whether the budget ended the text, and more text could have followed.
        self.is_spent = False
        self._read(())

    def try_advance(self, history: Sequence[int], free: int = 0) -> bool:
        """Take the last token of `history`; False, and no change, if the text could not be finished after it.

        Up to `free` tokens, including this one, do not count for the budget.
        """
        self._matcher.advance(history[-1])
        if not self._budget.can_finish(self._matcher, len(history) - free + (self._kept or 0)):
            self._matcher.rollback(1)
            return False
        self._read(history)
        return True

    def keep_for_answer(self, history: Sequence[int]) -> None:
        """When reasoning begins, set how many tokens it leaves for the answer; when it has ended, keep none."""
        if self._is_thinking is None or not self._budget.finishes:
            return
        if not self._is_thinking():
            self._kept = None
        elif self._kept is None:
            least = self._matcher.least_tokens()
            left = self._budget.max_tokens - len(history)
            self._kept = max(min(median_tokens(least) - least, left - least), 0)

    def extend(self) -> None:
        """Raise the budget by one, since the last token does not count."""
        self._budget = replace(self._budget, max_tokens=self._budget.max_tokens + 1)

    def narrow(self, history: Sequence[int], free: int = 0) -> None:
        """Leave out the tokens after which the text could not be finished."""
        room = self._budget.max_tokens - len(history) + free - (self._kept or 0)
        self._use(self._matcher.mask(room=room), history)

    def end(self, token: int) -> None:
        """Take the end-of-sequence token."""
        self._matcher.advance(token)

    def _read(self, history: Sequence[int]) -> None:
        self.can_end = self._matcher.can_end
        self.guarded = False
        self._use(self._matcher.mask(), history)
        if len(history) == self._budget.max_tokens and self._budget.finishes:
            # The text is whole, and only the end may come: the model need not be called.
            self.is_spent, self.closed = not self.closed, True

    def _use(self, mask: NDArray[np.uint32], history: Sequence[int]) -> None:
        if refused := [token for token in self._budget.refused(history, self._eos) if holds(mask, token)]:
            left = mask.copy()
            for token in refused:
                left[token >> 5] &= ~np.uint32(1 << (token & 31))
            self.guarded = bool(left.any())
            mask = left if self.guarded else mask
        # Equal masks are one array, for example from one token of a string to the next.
        if mask is not self.mask:
            self.mask = mask
            self.allowed = np.flatnonzero(allowed(mask, self._shape))
        self.closed = is_closed(self._matcher, self.allowed, self._eos)


def is_closed(matcher: Matcher, ids: NDArray[np.intp], ends: frozenset[int]) -> bool:
    """Whether the text may end and `ids`, the tokens of the mask, hold no token but ends: the model need not be called.

    The mask decides and not the grammar, which may allow text that no token can spell.
    """
    return matcher.can_end and len(ids) <= len(ends) and ends.issuperset(ids.tolist())


def _uncounted_tokens(spelled: bytes, head: bytes) -> int:
    """How many tokens do not count if this one comes: at most those that spell the rest of the head."""
    return max(len(head) - len(spelled), 0) + (0 < len(spelled) <= len(head))


def feasible_mass(logits: NDArray[np.float32], mask: NDArray[np.uint32]) -> FeasibleMass:
    """`frisket.logits.numpy.feasible_mass` without its checks, which always hold here; called for each token."""
    return FeasibleMass(*_core.feasible_mass(logits, mask))


def holds(mask: NDArray[np.uint32], token: int) -> bool:
    """Whether a mask allows a token; False for an id beyond the mask."""
    return token >> 5 < len(mask) and bool(mask[token >> 5] >> (token & 31) & 1)


def _choose(
    logits: NDArray[np.float32],
    position: Position | None,
    sampler: Sampler,
    rng: np.random.Generator,
    history: Sequence[int],
) -> tuple[int, float, FeasibleMass, int]:
    """The chosen token, its log-probability under the model, the feasible mass, and the number of allowed tokens."""
    free = np.ascontiguousarray(logits, dtype=np.float32)
    if position is None:
        count, mask = free.size, np.full(-(-free.size // 32), 0xFFFFFFFF, dtype=np.uint32)
    else:
        count, mask = _count_below(position.allowed, free.size), position.mask
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
    if sampler == Sampler.GREEDY:
        token = mass.likeliest
    else:
        # Gathering the few allowed logits is the same as setting all others to −∞, and cheaper.
        ids = np.arange(count) if position is None else position.allowed[:count]
        seen = np.flatnonzero(np.isin(ids, history)).tolist() if sampler.repetition_penalty != 1 else ()
        token = int(ids[sampler.choose(free if position is None else free[ids], rng, seen)])
    return token, float(free[token]) - mass.log_sum, mass, count


def _count_below(ascending: NDArray[np.intp], size: int) -> int:
    """How many of the ids are below `size`, so that the model has a logit for them."""
    return len(ascending) if not len(ascending) or ascending[-1] < size else int(np.searchsorted(ascending, size))


def _bytes(vocabulary: Vocabulary, token: int) -> bytes:
    """The bytes of a token; none for a special token, or an id outside the vocabulary."""
    return (vocabulary.token(token) or b"") if token < vocabulary.size else b""
