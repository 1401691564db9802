"""Model × grammar × prompt → an answer that a user steers: forward, back, or with another token.

The decode loop writes an answer from beginning to end; here the user may go back and choose. Without a choice by
hand the tokens are those of `frisket.generate` with the same seed (a test compares them).
"""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

import numpy as np

from frisket import Generation, Matcher, Sampler, Step
from frisket.errors import BudgetError, TokenRejectedError
from frisket.extension import Document, FinishReason, Text, is_closed, noise, token_name
from frisket.logits.numpy import feasible_mass
from frisket.models import Logits, Model, Session
from frisket.play.allowance import Allowance, Ids, Words
from frisket.play.look import Look, look
from frisket.play.plan import Moment, Plan


class Answer:
    """An answer and its position. Steps are made under the model's `lock`; any thread may read them."""

    _allowance: Allowance | None
    _look: Look | None
    _logits: Logits | None
    _session: Session | None

    def __init__(self, model: Model, plan: Plan) -> None:
        """BudgetError if no text fits the budget."""
        self.model, self.plan = model, plan
        self.vocabulary = plan.grammar.vocabulary
        self.moments: list[Moment] = []
        self.finish: FinishReason | None = None
        self._eos = frozenset(self.vocabulary.eos)
        self._reading = Lock()  # only one thread at a time may use the matcher
        self._matcher = plan.grammar.matcher()
        if plan.finishes:
            plan.budget.check(self._matcher)
        self._free_mask = np.full(-(-self.vocabulary.size // 32), 0xFFFFFFFF, dtype=np.uint32)
        self._free = np.arange(self.vocabulary.size)
        self._allowance = None
        self._begin()

    @property
    def tokens(self) -> list[int]:
        """The ids so far, including an end-of-sequence token."""
        return [moment.step.token for moment in self.moments]

    @property
    def text(self) -> str:
        return "".join(moment.step.text for moment in self.moments)

    @property
    def outside(self) -> bool:
        """Whether the text has left the grammar."""
        return bool(self.moments) and self.moments[-1].outside

    def next(self) -> Look:
        """The look before the next token, which calls the model if necessary."""
        if self._look is None:
            logits = self._read()
            here = Allowance.free(self._free_mask, self._free) if self.outside else self._here
            self._look = look(logits, here, step=len(self.moments))
        return self._look

    def advance(self) -> Moment | None:
        """Advance one step by the sampler; None if the answer has ended."""
        if self.finish is not None:
            return None
        if self._closed:
            self.finish = self._ending()
            return None
        if self.left == 0 and self.plan.finishes:
            self.finish = "budget"
            return None
        self.next()
        token, budgeted = self._choose()
        if self.left == 0 and token not in self._eos:
            self.finish = "length"
            return None
        return self._take(token, chosen=False, budgeted=budgeted)

    def take(self, token: int, *, chosen: bool = True) -> Moment:
        """Advance one step with this token; `chosen`: whether the user chose it.

        TokenRejectedError if the mask forbids it, BudgetError if it leaves too few tokens to finish the text; in both
        cases the answer does not change.
        """
        full = self.left == 0 and (self.plan.finishes or token not in self._eos)
        if self.finish is not None or self._closed or full:
            raise TokenRejectedError("the answer is over", where=f"token {len(self.moments)}", hint="go back first")
        if not 0 <= token < self.vocabulary.size:
            raise TokenRejectedError(
                f"{token} is no token", where=f"token {len(self.moments)}",
                hint=f"tokens are 0 to {self.vocabulary.size - 1}",
            )  # fmt: skip
        self.next()
        long = self.too_long(len(self.moments), token)
        if long is not None:
            raise long
        return self._take(token, chosen=chosen)

    def back(self, to: int) -> None:
        """Remove the steps from number `to` on; the model reads the rest again."""
        if not 0 <= to <= len(self.moments):
            raise ValueError(f"there are {len(self.moments)} steps")
        with self._reading:
            kept = self.moments[:to]
            self._matcher.rollback(sum(not moment.outside for moment in self.moments[to:]))
            self.moments = kept
            self.finish = None
            self._begin()

    def matcher(self, at: int) -> Matcher | None:
        """A fork of the position before a step; None if the text has left the grammar before it."""
        with self._reading:
            if not 0 <= at <= len(self.moments) or (at and self.moments[at - 1].outside):
                return None
            fork = self._matcher.fork()
            fork.rollback(sum(not moment.outside for moment in self.moments[at:]))
            return fork

    def generation(self) -> Generation[object]:
        """The answer so far, in the form of `frisket.stream`."""
        steps = tuple(moment.step for moment in self.moments)
        grammar = self.plan.grammar.grammar
        return Generation(
            self.text, steps, self.finish or "length", grammar, self.plan.max_tokens, self.vocabulary
        )  # fmt: skip

    @property
    def left(self) -> int:
        """The number of tokens with text that may still come."""
        return max(self.plan.max_tokens - len(self.moments), 0)

    def allowance(self, at: int) -> Allowance | None:
        """The allowance before a step; None if the text has left the grammar by then."""
        matcher = self.matcher(at)
        if matcher is None:
            return None
        left = max(self.plan.max_tokens - at, 0) if self.plan.finishes else None
        return Allowance.of(matcher, self.vocabulary.size, left)

    def too_long(self, at: int, token: int) -> BudgetError | None:
        """The error for a token that the grammar allows before a step but that leaves too few tokens."""
        here = self._allowance if at == len(self.moments) else self.allowance(at)
        matcher = self.matcher(at) if here is not None and here.withheld else None
        if here is None or matcher is None:
            return None
        return here.refusal(matcher, token, at, self.plan.max_tokens)

    def _begin(self) -> None:
        """Rebuild text, document and mask from the steps; the session starts only when needed."""
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
        self._closed = False
        if self.outside:
            return
        left = self.left if self.plan.finishes else None
        self._allowance = Allowance.of(self._matcher, self.vocabulary.size, left, self._allowance)
        # Without masks a model may continue after the grammar's end.
        self._closed = self.plan.masked and is_closed(self._matcher, self._here.ids, self._eos)

    @property
    def _here(self) -> Allowance:
        assert self._allowance is not None
        return self._allowance

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

    def _ending(self) -> FinishReason:
        """The finish reason of a whole text, which depends on whether the budget decided one of its tokens."""
        return "budget" if any(moment.step.budgeted for moment in self.moments) else "end"

    def _choose(self) -> tuple[int, bool]:
        """(the token, whether it was drawn again): drawn from the mask as in the decode loop, and again within the
        budget if the first one does not fit."""
        at, seed, here = len(self.moments), self.plan.seed, self._allowance
        if not self.plan.masked or here is None:
            # The random numbers depend only on the token's place, so they are equal with and without masks.
            return self._draw(self._free_mask, self._free, noise(seed, at)), False
        token = self._draw(here.grammar, here.ids, noise(seed, at))
        if self.too_long(at, token) is None:
            return token, False
        return self._draw(here.mask, here.fitting, noise(seed, at, again=True)), True

    def _draw(self, mask: Words, ids: Ids, numbers: np.random.Generator) -> int:
        logits, sampler = self._read(), self.plan.sampler
        if sampler == Sampler.GREEDY:
            best = feasible_mass(logits, mask).likeliest
            assert best is not None  # otherwise `next` would have raised
            return best
        ids = ids[ids < logits.size]
        return int(ids[sampler.choose(logits[ids], numbers)])

    def _take(self, token: int, *, chosen: bool, budgeted: bool = False) -> Moment:
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
                overruled=seen.mass.overruled, ends=ends, data=data, budgeted=budgeted,
                _document=self._document if self._is_json else None, _pieces=place,
            )  # fmt: skip
            moment = Moment(step, seen, chosen, outside)
            self.moments.append(moment)
            self._logits = self._look = None
            if ends:
                self.finish = self._ending()
            else:
                self._read_mask()
                count = len(self.moments)
                if self._closed:
                    self.finish = self._ending()
                elif count == self.plan.max_tokens and self.plan.finishes:
                    self.finish = "budget"
                elif count == self.plan.max_tokens and self.plan.masked and not self._here.can_end:
                    self.finish = "length"
            if self.finish is not None:
                moment = self._flushed(moment)
        return moment

    def _flushed(self, moment: Moment) -> Moment:
        """The last moment with the text that was held back; an incomplete character becomes U+FFFD."""
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
        """The bytes that a token shows: its own, or the name of a special token required by the grammar."""
        if token in self._eos:
            return b""
        return self.vocabulary.token(token) or (token_name(self.vocabulary, token) or "").encode()

    @property
    def _is_json(self) -> bool:
        grammar = self.plan.grammar.grammar
        return grammar is not None and grammar.schema is not None
