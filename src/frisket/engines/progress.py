"""CompiledGrammar → one request's position in an engine that may not be stopped by an error."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Collection, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket._core import CompiledGrammar, fill_masks
from frisket.engines import metrics
from frisket.errors import EngineError, FrisketError, LimitExceededError

if TYPE_CHECKING:
    from frisket.decoding.draft import Drafter

logger = logging.getLogger(__name__)

#: Tokens that must be left beside a whole text before all tokens are allowed: the shortest text of the grammar, and
#: these. A token that opens text of more required tokens than both may still leave too few.
MARGIN = 64
#: From so many margins on, nothing is looked at.
FAR = 8


class Progress:
    """Where a request is. An engine fills rows from several threads, each for another request.

    Where a mask cannot be had (a limit was reached, or frisket has a defect), the row allows the end alone, and no
    token is accepted: the request fails, and the engine goes on.

    >>> from frisket import Grammar, Vocabulary
    >>> letters = Vocabulary.from_bytes([b"a", b"b", None], eos=[2])
    >>> progress = Progress(Grammar.from_regex("ab").compile(letters), max_rollback=2)
    >>> progress.validate([0, 1, 2, 0]), progress.validate([1])
    (3, 0)
    >>> progress.accept([0, 1, 2]) is None, progress.ended
    (True, True)
    """

    def __init__(self, compiled: CompiledGrammar, *, max_rollback: int) -> None:
        self._compiled, self._max_rollback = compiled, max_rollback
        self._matcher = compiled.matcher(max_rollback=max_rollback)
        self._eos = list(compiled.vocabulary.eos)
        #: After how many steps no mask could be had, and why.
        self._failed: tuple[int, FrisketError] | None = None
        self._was_seen = self._was_counted = self._was_bent = self._was_cut = False
        #: Tokens that one token may add to what the text still takes, as far as is looked at; None until it is asked.
        self._margin: int | None = None

    @property
    def ended(self) -> bool:
        """Whether the end was accepted."""
        return self._matcher.ended

    @property
    def steps(self) -> int:
        """How many tokens were taken."""
        return self._matcher.steps

    @property
    def error(self) -> FrisketError | None:
        """Why the request has failed, None if it has not."""
        return None if self._failed is None else self._failed[1]

    def accept(self, tokens: Sequence[int]) -> FrisketError | None:
        """Take tokens; those after the end are ignored. The error says why one is refused: then none was taken."""
        if self.error is not None:
            return self.error
        taken = 0
        try:
            for token in tokens:
                if self._matcher.ended:
                    break
                self._matcher.advance(token)
                taken += 1
        except Exception as error:
            self.rollback(taken)
            return self._counted(failure(error))
        if taken and self._matcher.ended:
            metrics.count("frisket_engine_requests_finished")
        return None

    def validate(self, tokens: Sequence[int], room: int | None = None) -> int:
        """How many leading tokens would be accepted, the end being the last of them; nothing moves.

        `room`: the tokens that are left for text before the first."""
        if self._matcher.ended:
            return 0
        end = next((place + 1 for place, token in enumerate(tokens) if token in self._eos), len(tokens))
        try:
            if room is not None and not self._is_far(room - len(tokens)):
                return self._matcher.validate(tokens[:end], max(room, 0))
            return self._matcher.validate(tokens[:end])
        except Exception:
            return 0  # drafts that are dropped cost time, and nothing else

    def draft(self, drafter: Drafter, last: int, most: int) -> list[int]:
        """The tokens that likely come after the last one, at most so many; nothing moves."""
        if self._matcher.ended or self._failed is not None:
            return []
        return drafter(self._matcher, self._compiled.vocabulary.token(last) or b"", most)

    def rollback(self, steps: int) -> None:
        """Back to before the last tokens; the request fails where that cannot be."""
        try:
            self._matcher.rollback(steps)
        except Exception as error:
            self.fail(failure(error))
        if self._failed is not None and self._matcher.steps < self._failed[0]:
            self._failed = None

    def fail(self, error: FrisketError, steps: int = 0) -> None:
        """Rows allow the end alone from here on, and no token is taken; until fewer than `steps` steps are left."""
        logger.error("a request fails: %s [%s]", error, error.code)
        self._failed = steps, self._counted(error)

    def _counted(self, error: FrisketError) -> FrisketError:
        if not self._was_counted:
            metrics.count("frisket_engine_requests_failed", error.code)
        self._was_counted = True
        return error

    def _see(self) -> None:
        """Count the request with its first mask: SGLang makes positions that no request ever has."""
        metrics.count("frisket_engine_requests")
        self._was_seen = True

    def fill(self, bitmask: Any, row: int, room: int | None = None) -> None:
        """Write a row of an int32 bitmask. Work that takes long releases the GIL.

        `room`: the tokens that are left for text. Near their end, only tokens are allowed after which they suffice."""
        if not self._was_seen:
            self._see()
        if self._failed is None:
            try:
                begin = perf_counter()
                # Beyond the end of the budget lie rows of drafts that the engine drops.
                if room is None or room < 0 or self._is_far(room) or not self._fill_within(bitmask, row, room):
                    self._matcher.fill_mask(bitmask, row)
                metrics.masks(begin)
                return
            except Exception as error:
                self.fail(failure(error), self._matcher.steps)
        allow_alone(bitmask, row, self._eos)

    def _is_far(self, room: int) -> bool:
        """Whether no token that is allowed here leaves too few: an ordinary mask takes a tenth of the time."""
        if self._margin is None:
            self._margin = MARGIN
            with contextlib.suppress(Exception):
                self._margin += self._compiled.matcher().least_tokens(search=False).count
        if room > FAR * self._margin:
            return True
        return room > self._margin and self._matcher.can_finish(room - self._margin)

    def _fill_within(self, bitmask: Any, row: int, room: int) -> bool:
        """Whether a row could be written that leaves room for the end of the text."""
        try:
            self._matcher.fill_mask(bitmask, row, room)
        except LimitExceededError as refusal:
            # Too few tokens are left, or it takes too long to know: the text may be cut, and is not refused for it.
            if not self._was_cut:
                logger.warning("a text may be cut, %d tokens before the end: %s", room, refusal)
                metrics.count("frisket_engine_requests_cut", refusal.code)
            self._was_cut = True
            return False
        if not self._was_bent:
            metrics.count("frisket_engine_requests_bent")
        self._was_bent = True
        return True

    @staticmethod
    def fill_all(many: Sequence[Progress], bitmask: Any, rows: Sequence[int]) -> None:
        """Write a row for each in one call that releases the GIL; where one of them fails, one by one."""
        if many and all(one._failed is None for one in many):
            for one in many:
                if not one._was_seen:
                    one._see()
            try:
                begin = perf_counter()
                fill_masks([one._matcher for one in many], bitmask, rows)
                metrics.masks(begin, len(many))
                return
            except Exception as error:
                logger.debug("masks are filled one by one, because one of them fails: %s", error)
        for one, row in zip(many, rows, strict=True):
            one.fill(bitmask, row)

    def reset(self) -> None:
        """Back to the beginning of the text."""
        self._matcher.reset()
        self._failed = None

    def fresh(self) -> Progress:
        """Another one, at the beginning of the same grammar."""
        return Progress(self._compiled, max_rollback=self._max_rollback)


def allow_alone(bitmask: Any, row: int, tokens: Collection[int]) -> None:
    """Write a row of a 32-bit bitmask that allows these tokens, as far as it has bits for them, and no others."""
    words = np.asarray(bitmask[row]).view(np.uint32)
    words[:] = 0
    for token in tokens:
        if token >> 5 < len(words):
            words[token >> 5] |= np.uint32(1 << (token & 31))


def failure(error: Exception) -> FrisketError:
    """The error as one of frisket's; any other is a defect of frisket, which may not end an engine either."""
    if isinstance(error, FrisketError):
        return error
    made = EngineError(f"{type(error).__name__}: {error}", hint="this is a defect of frisket: please report it")
    made.__cause__ = error
    return made
