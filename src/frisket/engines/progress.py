"""CompiledGrammar → one request's position, in an engine that no error may stop."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Collection, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket._core import CompiledGrammar
from frisket._core.front_end import MaskRows, advance_all, may_take_later
from frisket.engines import metrics
from frisket.errors import EngineError, FrisketError, VocabularyError

if TYPE_CHECKING:
    from frisket.decoding.draft import Drafter

logger = logging.getLogger(__name__)

#: All tokens of the grammar are allowed while this many tokens, and as many as its shortest text takes, are left beyond
#: a short end of the text. A single token may require more text than both, and then too few may be left.
MARGIN = 64
#: From this many margins on, the number of tokens left is ignored.
FAR = 8


class Progress:
    """The position of one request. An engine fills rows in several threads, each for another request.

    If a mask cannot be computed (a limit was reached, or frisket has a defect), the row allows only the end, and no
    token is accepted: the request fails, and the engine goes on.

    >>> from frisket import Grammar, Vocabulary
    >>> letters = Vocabulary.from_bytes([b"a", b"b", None], eos=[2])
    >>> progress = Progress(Grammar.from_regex("ab").compile(letters))
    >>> progress.validate([0, 1, 2, 0]), progress.validate([1])
    (3, 0)
    >>> progress.accept([0, 1, 2]) is None, progress.ended
    (True, True)
    """

    def __init__(self, compiled: CompiledGrammar) -> None:
        self._compiled = compiled
        self._matcher = compiled.matcher()
        self._eos = list(compiled.vocabulary.eos)
        #: An accepted token that the matcher takes together with the next mask: both load the same data.
        self._later: int | None = None
        #: The number of steps from which on no mask could be computed, and the error.
        self._failed: tuple[int, FrisketError] | None = None
        self._was_seen = self._was_counted = self._was_bent = self._was_cut = False
        #: The cached `margin`; None until it is first needed.
        self._margin: int | None = None

    @property
    def compiled(self) -> CompiledGrammar:
        """The compiled grammar, which all its requests share."""
        return self._compiled

    @property
    def ended(self) -> bool:
        """Whether the end was accepted."""
        # A token that is taken later is never the end.
        return self._later is None and self._matcher.ended

    @property
    def steps(self) -> int:
        """How many tokens were taken."""
        return self._matcher.steps + (self._later is not None)

    @property
    def error(self) -> FrisketError | None:
        """The error by which the request has failed, None if it has not."""
        return None if self._failed is None else self._failed[1]

    def accept(self, tokens: Sequence[int]) -> FrisketError | None:
        """Take tokens; those after the end are ignored. Returns the error if one is refused, and then takes none."""
        self._catch_up()
        if self._failed is not None:
            return self._failed[1]
        try:
            has_ended, forced = advance_all(self._matcher, tokens)
        except Exception as error:
            return self._counted(failure(error))
        if forced:
            metrics.forced(forced)
        if has_ended:
            metrics.count("frisket_engine_requests_finished")
        return None

    def accept_later(self, tokens: Sequence[int]) -> FrisketError | None:
        """`accept`, but a single token is only looked up in the last mask, and taken with the next mask."""
        can_wait = self._later is None and self._failed is None and len(tokens) == 1
        is_forced = may_take_later(self._matcher, tokens[0]) if can_wait else None
        if is_forced is None:
            return self.accept(tokens)
        if is_forced:
            metrics.forced(1)
        self._later = tokens[0]
        return None

    def _catch_up(self) -> None:
        """Take the token that was left for later."""
        if self._later is None:
            return
        token, self._later = self._later, None
        try:
            self._matcher.advance(token)
        except Exception as error:  # a limit was reached: the last mask allowed the token
            self.fail(failure(error), self._matcher.steps)

    def validate(self, tokens: Sequence[int], room: int | None = None) -> int:
        """How many leading tokens would be accepted, up to and including the end; the position does not change.

        `room`: tokens left for text before the first of them."""
        self._catch_up()
        if self._matcher.ended or self._failed is not None:
            return 0
        end = next((place + 1 for place, token in enumerate(tokens) if token in self._eos), len(tokens))
        try:
            if room is not None and not self._is_far(room - len(tokens)):
                return self._matcher.validate(tokens[:end], max(room, 0))
            return self._matcher.validate(tokens[:end])
        except Exception:
            return 0  # a dropped draft costs time, and nothing else

    def draft(self, drafter: Drafter, last: int, most: int) -> list[int]:
        """At most `most` tokens that are likely after the last one; the position does not change."""
        self._catch_up()
        if self._matcher.ended or self._failed is not None:
            return []
        return drafter(self._matcher, self._compiled.vocabulary.token(last) or b"", most)

    def rollback(self, steps: int) -> None:
        """Take back the last tokens; if that is impossible, the request fails."""
        if self._later is not None and steps:
            self._later = None
            steps -= 1
        try:
            self._matcher.rollback(steps)
        except Exception as error:
            self.fail(failure(error))
        if self._failed is not None and self._matcher.steps < self._failed[0]:
            self._failed = None

    def fail(self, error: FrisketError, steps: int = 0) -> None:
        """From `steps` steps on, allow only the end and take no token; `rollback` to fewer steps ends this."""
        logger.error("a request fails: %s [%s]", error, error.code)
        self._failed = steps, self._counted(error)

    def prepare(self, room: int | None) -> None:
        """Compute what the first mask needs, with `room` tokens left, while the engine does not wait for it."""
        with contextlib.suppress(Exception):  # the call for the mask itself will report the error
            self._matcher.fill_mask(np.zeros(self._compiled.vocabulary.mask_words, dtype=np.uint32))
            if room is not None and room <= FAR * self.margin:
                self._known_least()

    def _counted(self, error: FrisketError) -> FrisketError:
        if not self._was_counted:
            metrics.count("frisket_engine_requests_failed", error.code)
        self._was_counted = True
        return error

    def fill(self, bitmask: Any, row: int, room: int | None = None) -> None:
        """Write a row of an int32 bitmask. Long work releases the GIL.

        `room`: tokens left for text. When few are left, only tokens that leave enough to finish the text are
        allowed."""
        try:
            Progress.fill_rows([self], MaskRows(bitmask[row : row + 1]), [0], rooms=[room])
        except Exception as error:
            self.fail(failure(error), self.steps)
            allow_alone(bitmask, row, self._eos)

    @property
    def margin(self) -> int:
        """Tokens of text that one token is assumed to require at most: see `MARGIN`."""
        if self._margin is None:
            self._margin = MARGIN
            with contextlib.suppress(Exception):
                self._margin += self._compiled.matcher().least_tokens()
        return self._margin

    def _near(self, room: int | None) -> tuple[int, int, bool] | None:
        """The argument of `MaskRows.fill` about the tokens that are left; None if plenty are."""
        return None if room is None or room > FAR * self.margin else (room, self.margin, not self._was_bent)

    def _is_far(self, room: int) -> bool:
        """Whether every allowed token leaves enough; if so, the ordinary mask suffices, in a tenth of the time."""
        if room > FAR * self.margin:
            return True
        return room > self.margin and self._known_least() <= room - self.margin

    def _known_least(self) -> float:
        """Tokens of a short end of the text, not always the shortest."""
        try:
            return self._matcher.least_tokens()
        except VocabularyError:
            return math.inf

    def _warn_of_cut(self, refusal: Exception) -> None:
        """Warn that the text may be cut, since too few tokens are left, or it took too long to find out."""
        if not self._was_cut:
            logger.warning("a text may be cut: %s", refusal)
            metrics.count("frisket_engine_requests_cut", failure(refusal).code)
        self._was_cut = True

    def _count_bent(self) -> None:
        if not self._was_bent:
            logger.info("a text is bent: masks leave room for its end")
            metrics.count("frisket_engine_requests_bent")
        self._was_bent = True

    @staticmethod
    def fill_all(
        many: Sequence[Progress], bitmask: Any, rows: Sequence[int], rooms: Sequence[int | None] | None = None
    ) -> None:
        """Write one row for each request in one call, or one by one if that fails. `rooms`: the `room` of each."""
        try:
            Progress.fill_rows(many, MaskRows(bitmask), rows, rooms=rooms)
        except Exception as error:
            logger.debug("masks are filled one by one: %s", error)
            for place, (one, row) in enumerate(zip(many, rows, strict=True)):
                one.fill(bitmask, row, None if rooms is None else rooms[place])

    @staticmethod
    def fill_rows(
        many: Sequence[Progress],
        target: MaskRows,
        rows: Sequence[int],
        drafts: Sequence[Sequence[int]] | None = None,
        rooms: Sequence[int | None] | None = None,
    ) -> None:
        """Write the rows of each request in one call, as `MaskRows.fill` does: one, and one after each of its drafts.

        `rooms`: tokens left for each text before its first row, None for plenty."""
        if any(one._failed is not None for one in many):
            kept = [place for place, one in enumerate(many) if one._failed is None]
            for place in set(range(len(many))).difference(kept):
                count = 1 + (len(drafts[place]) if drafts else 0)
                target.write(rows[place], count, many[place]._eos, allowed=False)
            many, rows = [many[place] for place in kept], [rows[place] for place in kept]
            drafts = drafts and [drafts[place] for place in kept]
            rooms = rooms and [rooms[place] for place in kept]
        if not many:
            return
        begin, near = perf_counter(), None
        if rooms is not None:
            near = [one._near(room) for one, room in zip(many, rooms, strict=True)]
        later = [one._later for one in many]
        failed, bent, cut = target.fill([one._matcher for one in many], rows, drafts, near, later)
        metrics.masks(begin, len(many) + sum(map(len, drafts or ())))
        unseen = 0
        for one in many:
            one._later = None
            if not one._was_seen:
                one._was_seen = True
                unseen += 1
        # Counted with the first mask, since SGLang also makes positions that no request uses.
        if unseen:
            metrics.count("frisket_engine_requests", events=unseen)
        for place in bent:
            many[place]._count_bent()
        for place, refusal in cut:
            many[place]._warn_of_cut(refusal)
        for place, row, error in failed:
            one, count = many[place], 1 + (len(drafts[place]) if drafts else 0)
            one.fail(failure(error), one.steps + row)
            target.write(rows[place] + row, count - row, one._eos, allowed=False)
            one.rollback(0)  # if only a draft failed, the request goes on without it

    def reset(self) -> None:
        """Return to the beginning of the text."""
        self._later = None
        self._matcher.reset()
        self._failed = None

    def fresh(self) -> Progress:
        """A new position at the beginning of the same grammar."""
        return Progress(self._compiled)


def allow_alone(bitmask: Any, row: int, tokens: Collection[int]) -> None:
    """Write a row of a 32-bit bitmask that allows only these tokens; tokens beyond its last word are left out."""
    words = np.asarray(bitmask[row]).view(np.uint32)
    words[:] = 0
    for token in tokens:
        if token >> 5 < len(words):
            words[token >> 5] |= np.uint32(1 << (token & 31))


def failure(error: Exception) -> FrisketError:
    """The error as a FrisketError; any other type is a defect of frisket, which must not end an engine either."""
    if isinstance(error, FrisketError):
        return error
    made = EngineError(f"{type(error).__name__}: {error}", hint="this is a defect of frisket: please report it")
    made.__cause__ = error
    return made
