"""Model × grammar × prompt → an answer that is steered: one step on, back to a step, another token there.

The decode loop writes an answer from its beginning to its end. Here whoever looks at it may go back and choose. Without
a choice by hand the tokens are those of `frisket.generate` with the same seed, and a test holds that.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from frisket.decoding.answer import Generation
from frisket.decoding.document import Document
from frisket.decoding.loop import FinishReason, Step
from frisket.decoding.sampler import GREEDY, Sampler
from frisket.decoding.text import Text
from frisket.errors import TokenRejectedError
from frisket.grammar import CompiledGrammar
from frisket.logits.numpy import allowed
from frisket.matcher import Matcher
from frisket.models.protocol import Logits, Model, Session
from frisket.play.look import Look, look
from frisket.token_name import token_name


@dataclass(frozen=True)
class Moment:
    """One step, what was to be seen before it, and who chose."""

    step: Step
    look: Look
    chosen: bool
    """By hand, and not by the sampler."""
    outside: bool
    """Whether the text left the grammar with this token or before, as it may without masks."""


@dataclass(frozen=True)
class Plan:
    """What does not change while an answer is steered."""

    grammar: CompiledGrammar
    prompt_ids: Sequence[int]
    sampler: Sampler
    seed: int
    max_tokens: int
    masked: bool = True


class Answer:
    """An answer and its position. Steps are made under `lock` of the model, and read from any thread."""

    _look: Look | None
    _logits: Logits | None
    _session: Session | None

    def __init__(self, model: Model, plan: Plan) -> None:
        self.model, self.plan = model, plan
        self.vocabulary = plan.grammar.vocabulary
        self.moments: list[Moment] = []
        self.finish: FinishReason | None = None
        self._eos = set(self.vocabulary.eos)
        self._reading = Lock()  # the matcher is one thread's at a time
        self._matcher = plan.grammar.matcher()
        self._free_mask = np.full(-(-self.vocabulary.size // 32), 0xFFFFFFFF, dtype=np.uint32)
        self._free = np.arange(self.vocabulary.size)
        self._mask = np.empty(0, dtype=np.uint32)
        self._begin()

    @property
    def tokens(self) -> list[int]:
        """The ids so far, an end-of-sequence token included."""
        return [moment.step.token for moment in self.moments]

    @property
    def text(self) -> str:
        return "".join(moment.step.text for moment in self.moments)

    @property
    def outside(self) -> bool:
        """Whether the text has left the grammar."""
        return bool(self.moments) and self.moments[-1].outside

    def next(self) -> Look:
        """What is to be seen before the next token. Asks the model where it was not asked yet."""
        if self._look is None:
            logits = self._read()
            mask, ids, can_end = self._free_mask, self._free, False
            if not self.outside:
                mask, ids, can_end = self._mask, self._allowed, self._can_end
            self._look = look(
                logits, mask, ids, can_end=can_end, micros=self._micros, step=len(self.moments)
            )  # fmt: skip
        return self._look

    def advance(self) -> Moment | None:
        """One step by the sampler; None where the answer is over."""
        if self.finish is not None:
            return None
        if self._closed:
            self.finish = "end"
            return None
        token = self._choose(self.next())
        if len(self.moments) >= self.plan.max_tokens and token not in self._eos:
            self.finish = "length"
            return None
        return self._take(token, chosen=False)

    def take(self, token: int, *, chosen: bool = True) -> Moment:
        """One step with this token, by hand if `chosen`.

        TokenRejectedError where the mask forbids it; the answer is then as it was.
        """
        full = len(self.moments) >= self.plan.max_tokens and token not in self._eos
        if self.finish is not None or self._closed or full:
            raise TokenRejectedError("the answer is over", where=f"token {len(self.moments)}", hint="go back first")
        if not 0 <= token < self.vocabulary.size:
            raise TokenRejectedError(
                f"{token} is no token", where=f"token {len(self.moments)}",
                hint=f"tokens are 0 to {self.vocabulary.size - 1}",
            )  # fmt: skip
        self.next()
        return self._take(token, chosen=chosen)

    def back(self, to: int) -> None:
        """Forget every step from this one on; the model reads again what is left."""
        if not 0 <= to <= len(self.moments):
            raise ValueError(f"there are {len(self.moments)} steps")
        with self._reading:
            kept = self.moments[:to]
            self._matcher.rollback(sum(not moment.outside for moment in self.moments[to:]))
            self.moments = kept
            self.finish = None
            self._begin()

    def matcher(self, at: int) -> Matcher | None:
        """The position before a step, a fork; None where the text has left the grammar by then."""
        with self._reading:
            if not 0 <= at <= len(self.moments) or (at and self.moments[at - 1].outside):
                return None
            fork = self._matcher.fork()
            fork.rollback(sum(not moment.outside for moment in self.moments[at:]))
            return fork

    def generation(self) -> Generation[object]:
        """The answer so far, as `frisket.stream` gives it."""
        steps = tuple(moment.step for moment in self.moments)
        grammar = self.plan.grammar.grammar
        return Generation(
            self.text, steps, self.finish or "length", grammar, self.plan.max_tokens, self.vocabulary
        )  # fmt: skip

    def _begin(self) -> None:
        """Text, document and mask after the steps that there are; the session is started when it is needed."""
        self._session = None
        self._pushed = 0
        self._logits = None
        self._look = None
        self._text, self._document = Text(), Document(b"")
        for moment in self.moments:
            self._text.feed(self._written(moment.step.token))
            self._document.append(moment.step.data)
        self._read_mask()

    def _read_mask(self) -> None:
        self._micros, self._closed = 0.0, False
        if self.outside:
            return
        began = time.perf_counter_ns()
        mask = self._matcher.mask()
        self._micros = (time.perf_counter_ns() - began) / 1e3
        # The same array is the same mask, as from one token of a string to the next.
        if mask is not self._mask:
            self._mask = mask
            self._allowed = np.flatnonzero(allowed(mask, (self.vocabulary.size,)))
        self._can_end = self._matcher.can_end
        # Without masks a model may go on where the grammar does not.
        ends = len(self._allowed) <= len(self._eos) and self._eos.issuperset(self._allowed.tolist())
        self._closed = self.plan.masked and self._can_end and ends

    def _read(self) -> Logits:
        """The logits at the end, from the model."""
        if self._logits is None:
            tokens = self.tokens
            if self._session is None:
                self._session = self.model.start([*self.plan.prompt_ids, *tokens])
            else:
                for token in tokens[self._pushed :]:
                    self._session.push(token)
            self._pushed = len(tokens)
            logits = self._session.logits()
            self._logits = logits if logits.dtype == np.float32 else logits.astype(np.float32)
        return self._logits

    def _choose(self, seen: Look) -> int:
        logits, sampler = self._read(), self.plan.sampler
        masked = self.plan.masked
        if sampler == GREEDY:
            # Without masks the mask of `seen` only says what it would have allowed.
            best = seen.mass.likeliest if masked else seen.mass.favourite
            assert best is not None
            return best
        ids = self._allowed if masked else self._free
        ids = ids[ids < logits.size]
        # One number for each step, whatever was chosen before: with and without masks it is the same.
        noise = np.random.PCG64(self.plan.seed)
        noise.advance(len(self.moments))
        return int(ids[sampler.choose(logits[ids], np.random.Generator(noise))])

    def _take(self, token: int, *, chosen: bool) -> Moment:
        seen = self.next()
        with self._reading:
            outside = self.outside
            if self.plan.masked:
                self._matcher.advance(token)
            elif not outside:
                outside = not self._matcher.try_advance(token)
            place = len(self._document)
            data = b"" if token in self._eos else self.vocabulary.token(token) or b""
            new = self._text.feed(self._written(token))
            ends = token in self._eos
            if not ends:
                self._document.append(data)
            step = Step(
                token=token, text=new, logprob=seen.known.get(token, self._logprob(token, seen)),
                log_feasible=seen.mass.log_feasible, allowed=seen.allowed,
                favourite=token if seen.mass.favourite is None else seen.mass.favourite,
                overruled=seen.mass.overruled, ends=ends, data=data,
                _document=self._document if self._is_json else None, _pieces=place,
            )  # fmt: skip
            moment = Moment(step, seen, chosen, outside)
            self.moments.append(moment)
            self._logits = self._look = None
            if ends:
                self.finish = "end"
            else:
                self._read_mask()
                count = len(self.moments)
                if self._closed:
                    self.finish = "end"
                elif count == self.plan.max_tokens and self.plan.masked and not self._can_end:
                    self.finish = "length"
            if self.finish is not None:
                moment = self._flushed(moment)
        return moment

    def _flushed(self, moment: Moment) -> Moment:
        """The last moment with the text that was held back: half a character, as U+FFFD."""
        rest = self._text.flush()
        if not rest:
            return moment
        moment = replace(moment, step=replace(moment.step, text=moment.step.text + rest))
        self.moments[-1] = moment
        return moment

    def _logprob(self, token: int, seen: Look) -> float:
        logits = self._read()
        return float(logits[token]) - seen.mass.log_sum if token < logits.size else float("-inf")

    def _written(self, token: int) -> bytes:
        """The bytes that a token shows: its own, or the name of a special token that the grammar asked for."""
        if token in self._eos:
            return b""
        return self.vocabulary.token(token) or (token_name(self.vocabulary, token) or "").encode()

    @property
    def _is_json(self) -> bool:
        grammar = self.plan.grammar.grammar
        return grammar is not None and grammar.schema is not None
