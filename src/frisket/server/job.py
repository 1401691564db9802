"""Prompt × CompiledGrammar × sampler × reply → the events of one answer."""

from __future__ import annotations

import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from frisket.decoding.budget import Budget
from frisket.decoding.draft import drafter
from frisket.decoding.loop import Step, decode
from frisket.decoding.sampler import Sampler
from frisket.errors import LimitExceededError
from frisket.grammar import CompiledGrammar
from frisket.limit import Cancellation
from frisket.models.protocol import Logits, Model, Session
from frisket.server.bias import Biased
from frisket.server.exclusive import Exclusive
from frisket.server.reply import Field, Gain, TextReply

#: CPU seconds beside the model that a step may take without counting: real grammars take a thousandth of that.
USUAL = 0.005


@dataclass(frozen=True)
class Token:
    """One token; `top` are the likeliest ids with their log-probabilities, before the mask."""

    step: Step
    top: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Written:
    """One token; what the message has gained by it, and the tokens whose fields are certain now."""

    step: Step
    gains: Sequence[Gain] = ()
    placed: Sequence[tuple[Field, Token]] = ()


@dataclass(frozen=True)
class Ended:
    """The answer is there; `whole` if it is a text of its grammar, and not the beginning of one."""

    reason: str
    whole: bool
    gains: Sequence[Gain] = ()
    placed: Sequence[tuple[Field, Token]] = ()
    calls: int = 0
    """How many calls are whole."""
    missing: str | None = None
    """A text that would make it whole, where a stop string has cut it."""


@dataclass(frozen=True)
class Failed:
    """The answer cannot go on."""

    error: BaseException


Event = Written | Ended | Failed


class Prompt:
    """The tokens of a prompt, read once for all answers to it. Used by one thread at a time.

    `lock` is held while the model is asked: all prompts of a model share it.
    """

    def __init__(self, model: Model, ids: Sequence[int], *, uses: int, lock: Lock | None = None) -> None:
        self.model, self._ids, self._uses = model, list(ids), uses
        self._lock = lock or Lock()
        self._session: Exclusive | None = None

    def session(self) -> Exclusive:
        """A session that has read the prompt, `uses` times."""
        session = self._session or Exclusive(self.model, self._ids, self._lock)
        self._uses -= 1
        self._session = session if self._uses else None
        return session.fork() if self._uses else session


@dataclass
class Job:
    """One answer to be written. `deliver` is called with each event, in a thread of the scheduler."""

    prompt: Prompt
    grammar: CompiledGrammar | None
    vocabulary: Any
    budget: Budget
    sampler: Sampler
    seed: int
    stop: Sequence[str]
    top: int
    deliver: Callable[[Event], None]
    reply: TextReply = field(default_factory=TextReply)
    head: str = ""
    """The beginning of the answer, which the prompt holds already."""
    bias: Mapping[int, float] = field(default_factory=dict)
    cpu_seconds: float = 5.0
    """CPU time that steps may take beside the model, what is `USUAL` aside."""

    def __post_init__(self) -> None:
        self.cancellation = Cancellation()
        self._events: Generator[Event, None, None] | None = None
        self._session: Exclusive | None = None
        self._spent = 0.0

    def cancel(self) -> None:
        """Write no more; from any thread."""
        self.cancellation.cancel()

    @property
    def cancelled(self) -> bool:
        return self.cancellation.cancelled

    def advance(self) -> bool:
        """Deliver the next event; whether more will come. An answer that is over, or not wanted, holds nothing more."""
        more = False
        try:
            event = None if self.cancelled else self._next()
            if event is not None and not self.cancelled:
                self.deliver(event)
                more = isinstance(event, Written)
        finally:
            if not more:
                self.release()
        return more

    def release(self) -> None:
        """Let go of the session and the matcher; in this cycle they would wait for a collection, megabytes each."""
        if self._events is not None:
            self._events.close()
        self._events = self._session = None

    def _next(self) -> Event:
        if self._events is None:
            self._events = self._write()
        asked = self._asked()
        began = time.thread_time()
        try:
            event = next(self._events)
        except Exception as error:
            # The frames of what failed hold the session, too.
            traceback.clear_frames(error.__traceback__)
            return Failed(error)
        beside = time.thread_time() - began - (self._asked() - asked)
        self._spent += max(beside - USUAL, 0)
        if self._spent > self.cpu_seconds and isinstance(event, Written):
            return Failed(_too_dear(self.cpu_seconds))
        return event

    def _asked(self) -> float:
        """CPU seconds that the model has taken so far."""
        return 0.0 if self._session is None else self._session.seconds

    def _write(self) -> Generator[Event, None, None]:
        self._session = session = self.prompt.session()
        # Forced text is read in one call of the network, unless the logits of each of its tokens are asked for.
        draft = None if self.top or self.bias else drafter(self.prompt.model, session)
        liked: Session = Biased(session, self.bias) if self.bias else session
        watched = Watched(liked) if self.top else None
        matcher = None if self.grammar is None else self.grammar.matcher(cancellation=self.cancellation)
        if matcher is not None and self.head:
            matcher.advance_bytes(self.head.encode())
        steps = decode(
            watched or liked, matcher, self.vocabulary, self.budget,
            sampler=self.sampler, seed=self.seed, stop=self.stop, drafter=draft,
        )  # fmt: skip
        text: list[str] = []
        tokens = _Tokens(self.reply)
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                reason = str(end.value)
                break
            text.append(step.text)
            gains = list(self.reply.feed(step.text))
            yield Written(step, gains, tokens.place(Token(step, watched.likeliest(self.top) if watched else ())))
            if self.reply.stopped:
                reason = "stop"
                break
        whole, missing = reason in ("end", "budget"), None
        if reason == "budget" and (self.grammar is None or self.grammar.grammar.schema is None):
            # A document was made whole in time; other text may have had more to say.
            reason = "length"
        if reason == "stop":
            whole, missing = self._cut("".join(text))
        gains = list(self.reply.end(whole))
        yield Ended(reason, whole, gains, tokens.place(None), self.reply.calls, missing)

    def _cut(self, text: str) -> tuple[bool, str | None]:
        """Whether a text is whole that a stop string has ended; if not, a text that would make it whole."""
        cut = self.reply.until_stop(self.head + text)
        if self.grammar is None or cut is None or self.grammar.grammar.accepts(cut):
            return True, None
        matcher = self.grammar.matcher(cancellation=self.cancellation)
        matcher.advance_bytes(cut.encode())
        completion = matcher.completion()
        return False, "" if completion is None else completion.decode("utf-8", "replace")


class _Tokens:
    """Tokens that wait until it is certain to which field of a message they belong."""

    def __init__(self, reply: TextReply) -> None:
        self._reply = reply
        self._waiting: deque[tuple[Token, int, int]] = deque()
        self._place = 0

    def place(self, token: Token | None) -> list[tuple[Field, Token]]:
        """The tokens whose fields are certain after one more token."""
        if token is not None and not token.step.ends:
            # A special token stands in the text as its name.
            size = len(token.step.data or token.step.text.encode())
            self._waiting.append((token, self._place, self._place + size))
            self._place += size
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
    """A session that remembers the logits that it gave last."""

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
        """The likeliest tokens of the model as it is, the likeliest first."""
        if not count or self._last is None:
            return ()
        logits = self._last.astype(np.float64)
        ids = np.argsort(-logits, kind="stable")[:count]
        largest = logits.max()
        total = largest + np.log(np.exp(logits - largest).sum())
        return tuple((int(token), float(logits[token] - total)) for token in ids)
