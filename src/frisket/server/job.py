"""Prompt × CompiledGrammar × sampler × reply → the events of one answer."""

from __future__ import annotations

import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frisket import Cancellation, CompiledGrammar, Matcher, Sampler, Step
from frisket.errors import LimitExceededError
from frisket.extension import Budget, decode, drafter, is_closed
from frisket.logits.numpy import allowed
from frisket.models import Logits, Model, Session
from frisket.server.bias import Biased
from frisket.server.exclusive import Exclusive
from frisket.server.reply import Field, Gain, TextReply

#: CPU seconds of a step that are not charged, besides those of the model; real grammars take a thousandth of this.
USUAL = 0.005


@dataclass(frozen=True)
class Token:
    """One token and its log-probability before the mask, None for the first token of a prompt."""

    id: int
    logprob: float | None
    top: tuple[tuple[int, float], ...] = ()
    """The likeliest ids with their log-probabilities."""


@dataclass(frozen=True)
class Echoed:
    """The tokens of the prompt with their requested log-probabilities."""

    tokens: Sequence[Token]


@dataclass(frozen=True)
class Written:
    """A written token, the message's gains from it, and the tokens whose fields are now certain."""

    step: Step
    gains: Sequence[Gain] = ()
    placed: Sequence[tuple[Field, Token]] = ()


@dataclass(frozen=True)
class Ended:
    """The end of an answer; `whole` if it is a complete text of its grammar."""

    reason: str
    whole: bool
    gains: Sequence[Gain] = ()
    placed: Sequence[tuple[Field, Token]] = ()
    calls: int = 0
    """The number of complete calls."""
    missing: str | None = None
    """If a stop string cut the answer: a text that would complete it."""
    budgeted: bool = False
    """Whether `max_tokens` decided one of its tokens, or ended it where more text could have followed."""


@dataclass(frozen=True)
class Failed:
    """The answer has failed."""

    error: BaseException


Event = Echoed | Written | Ended | Failed


class Prompt:
    """The tokens of a prompt, read once for all its answers. Used by one thread at a time.

    `lock` is held during calls of the model; all prompts of one model share it.
    """

    def __init__(self, model: Model, ids: Sequence[int], *, uses: int, lock: Lock | None = None) -> None:
        self.model, self.ids, self._uses = model, list(ids), uses
        self._lock = lock or Lock()
        self._session: Exclusive | None = None

    def session(self) -> Exclusive:
        """A session that has read the prompt; the prompt gives `uses` of them in all."""
        session = self._session or Exclusive(self.model, self.ids, self._lock)
        self._uses -= 1
        self._session = session if self._uses else None
        return session.fork() if self._uses else session

    def beginning(self) -> Exclusive:
        """A session that has read only the first token."""
        return Exclusive(self.model, self.ids[:1], self._lock)


def _ignore(event: Event) -> None:
    """Ignore the event."""


@dataclass
class Job:
    """An answer to be written. `deliver` is called with each event, in a thread of the scheduler."""

    prompt: Prompt
    grammar: CompiledGrammar | None
    vocabulary: Any
    budget: Budget
    sampler: Sampler
    seed: int
    stop: Sequence[str]
    top: int
    deliver: Callable[[Event], None] = _ignore
    make_reply: Callable[[], TextReply] = TextReply
    """Makes the reply that reads messages; called in the thread of the answer, since that takes milliseconds."""
    head: Sequence[str | int] = ()
    """The beginning of the answer that the prompt already has: texts and special tokens."""
    scores: bool = False
    """Whether the log-probabilities of the prompt's tokens are requested, too."""
    is_empty: bool = False
    """Whether no token shall be written."""
    bias: Mapping[int, float] = field(default_factory=dict)
    cpu_seconds: float = 5.0
    """CPU seconds that steps may take besides the model; of each step `USUAL` is free."""

    def __post_init__(self) -> None:
        self.cancellation = Cancellation()
        self._events: Generator[Event, None, None] | None = None
        self._session: Exclusive | None = None
        self._spent = 0.0

    def cancel(self) -> None:
        """Stop the answer; may be called from any thread."""
        self.cancellation.cancel()

    @property
    def cancelled(self) -> bool:
        return self.cancellation.cancelled

    def advance(self) -> bool:
        """Deliver the next event; return whether more will follow. An answer that has ended holds no resources."""
        more = False
        try:
            event = None if self.cancelled else self._next()
            if event is not None and not self.cancelled:
                self.deliver(event)
                more = isinstance(event, Written | Echoed)
        finally:
            if not more:
                self.release()
        return more

    def release(self) -> None:
        """Release the session and the matcher (megabytes each) without waiting for the garbage collector."""
        if self._events is not None:
            self._events.close()
        self._events = self._session = None

    def _next(self) -> Event:
        if self._events is None:
            self._events = self._write()
        asked = self._model_seconds()
        began = time.thread_time()
        try:
            event = next(self._events)
        except Exception as error:
            # The exception's frames also hold the session.
            traceback.clear_frames(error.__traceback__)
            return Failed(error)
        beside = time.thread_time() - began - (self._model_seconds() - asked)
        self._spent += max(beside - USUAL, 0)
        if self._spent > self.cpu_seconds and isinstance(event, Written):
            return Failed(_too_dear(self.cpu_seconds))
        return event

    def _model_seconds(self) -> float:
        """CPU seconds that calls of the model have taken so far."""
        return 0.0 if self._session is None else self._session.seconds

    def _write(self) -> Generator[Event, None, None]:
        if self.scores:
            self._session = session = self.prompt.beginning()
            yield Echoed(list(self._score(session)))
        else:
            self._session = session = self.prompt.session()
        if self.is_empty:
            yield Ended("length", False)
            return
        # One call of the network reads forced text, unless the logits of each token are requested.
        draft = None if self.top or self.bias else drafter(self.prompt.model, session)
        liked: Session = Biased(session, self.bias) if self.bias else session
        watched = Watched(liked) if self.top else None
        matcher = None if self.grammar is None else self._matcher(self.grammar)
        reply = self.make_reply()
        steps = decode(
            watched or liked, matcher, self.vocabulary, self.budget,
            sampler=self.sampler, seed=self.seed, stop=self.stop, drafter=draft, is_thinking=lambda: reply.is_thinking,
        )  # fmt: skip
        text: list[str] = []
        tokens, budgeted = _Tokens(reply), False
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                reason = str(end.value)
                break
            text.append(step.text)
            budgeted = budgeted or step.budgeted
            gains = list(reply.feed(step.text))
            yield Written(step, gains, tokens.place(step, watched.likeliest(self.top) if watched else ()))
            if reply.stopped:
                reason = "stop"
                break
        whole, missing = reason in ("end", "budget"), None
        budgeted = budgeted or reason == "budget"
        if reason == "budget" and matcher is not None and self._is_spent(matcher):
            reason = "length"
        if reason == "stop":
            whole, missing = self._cut(reply, "".join(text))
        gains = list(reply.end(whole))
        yield Ended(reason, whole, gains, tokens.take(), reply.calls, missing, budgeted)

    def _matcher(self, grammar: CompiledGrammar) -> Matcher:
        """A matcher that has read the beginning of the answer."""
        matcher = grammar.matcher(cancellation=self.cancellation)
        advance(matcher, self.head)
        return matcher

    def _is_spent(self, matcher: Matcher) -> bool:
        """Whether a whole text, no JSON document, ended when the tokens ran out, and more could have followed."""
        if matcher.ended or matcher.compiled.grammar.schema is not None:
            return False
        ids = np.flatnonzero(allowed(matcher.mask(), (self.vocabulary.size,)))
        return not is_closed(matcher, ids, frozenset(self.vocabulary.eos))

    def _score(self, session: Exclusive) -> Iterator[Token]:
        """The tokens of the prompt with their log-probabilities; the session reads them one by one."""
        ids = self.prompt.ids
        yield Token(ids[0], None)
        for token in ids[1:]:
            logits = session.logits().astype(np.float64)
            yield Token(token, float(logits[token] - log_sum(logits)), likeliest(logits, self.top))
            session.push(token)

    def _cut(self, reply: TextReply, text: str) -> tuple[bool, str | None]:
        """(whether a text cut by a stop string is complete, a text that would complete it otherwise)"""
        cut = reply.text_before_stop("".join(part for part in self.head if isinstance(part, str)) + text)
        if self.grammar is None or cut is None or self.grammar.grammar.accepts(cut):
            return True, None
        matcher = self.grammar.matcher(cancellation=self.cancellation)
        matcher.advance_bytes(cut.encode())
        completion = matcher.completion()
        return False, "" if completion is None else completion.decode("utf-8", "replace")


def advance(matcher: Matcher, head: Sequence[str | int]) -> None:
    """Take texts and special tokens; TokenRejectedError if no text of the grammar begins with them."""
    for part in head:
        if isinstance(part, int):
            matcher.advance(part)
        else:
            matcher.advance_bytes(part.encode())


class _Tokens:
    """Tokens that wait until their field of the message is certain."""

    def __init__(self, reply: TextReply) -> None:
        self._reply = reply
        self._waiting: deque[tuple[Token, int, int]] = deque()
        self._place = 0

    def place(self, step: Step, top: tuple[tuple[int, float], ...]) -> list[tuple[Field, Token]]:
        """The tokens whose fields are certain after one more token."""
        if not step.ends:
            # In the message's text, a special token stands as its name.
            size = len(step.data or step.text.encode())
            self._waiting.append((Token(step.token, step.logprob, top), self._place, self._place + size))
            self._place += size
        return self.take()

    def take(self) -> list[tuple[Field, Token]]:
        """The tokens whose fields are now certain."""
        found: list[tuple[Field, Token]] = []
        while self._waiting:
            first, start, end = self._waiting[0]
            field = self._reply.field_of(start, end)
            if field is None:
                break
            found.append((field, first))
            self._waiting.popleft()
        return found


def _too_dear(seconds: float) -> LimitExceededError:
    return LimitExceededError(
        f"the masks of one answer took more than {seconds:g} s of CPU time", where="the answer",
        hint="ask for a simpler schema or grammar, or start the server with a larger --cpu-seconds",
    )  # fmt: skip


class Watched:
    """A session that remembers its last logits."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last: Logits | None = None

    def logits(self) -> Logits:
        self._last = self._session.logits()
        return self._last

    def push(self, token_id: int) -> None:
        self._session.push(token_id)

    def fork(self) -> Watched:
        return Watched(self._session.fork())

    def likeliest(self, count: int) -> tuple[tuple[int, float], ...]:
        """The likeliest tokens under the model alone, the likeliest first."""
        return () if self._last is None else likeliest(self._last.astype(np.float64), count)


def likeliest(logits: NDArray[np.float64], count: int) -> tuple[tuple[int, float], ...]:
    """The `count` likeliest tokens with their log-probabilities, the likeliest first."""
    if not count:
        return ()
    total = log_sum(logits)
    ids = np.argsort(-logits, kind="stable")[:count]
    return tuple((int(token), float(logits[token] - total)) for token in ids)


def log_sum(logits: NDArray[np.float64]) -> float:
    """The logarithm of the sum of exponentials: logits minus this are log-probabilities."""
    largest = float(logits.max())
    return largest + float(np.log(np.exp(logits - largest).sum()))
