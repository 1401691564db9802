"""CompiledGrammar → one request's position in an engine that may not be stopped by an error."""

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
        #: A token that was accepted, and is taken with the next mask: both then need what one of them has to fetch.
        self._later: int | None = None
        #: After how many steps no mask could be had, and why.
        self._failed: tuple[int, FrisketError] | None = None
        self._was_seen = self._was_counted = self._was_bent = self._was_cut = False
        #: Tokens that one token may add to what the text still takes, as far as is looked at; None until it is asked.
        self._margin: int | None = None

    @property
    def compiled(self) -> CompiledGrammar:
        """What all requests of the grammar share."""
        return self._compiled

    @property
    def ended(self) -> bool:
        """Whether the end was accepted."""
        # The text goes on after a token that is taken later.
        return self._later is None and self._matcher.ended

    @property
    def steps(self) -> int:
        """How many tokens were taken."""
        return self._matcher.steps + (self._later is not None)

    @property
    def error(self) -> FrisketError | None:
        """Why the request has failed, None if it has not."""
        return None if self._failed is None else self._failed[1]

    def accept(self, tokens: Sequence[int]) -> FrisketError | None:
        """Take tokens; those after the end are ignored. The error says why one is refused: then none was taken."""
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
        """As `accept`; a single token is only looked up in the last mask, and taken with the next one."""
        can_wait = self._later is None and self._failed is None and len(tokens) == 1
        is_forced = may_take_later(self._matcher, tokens[0]) if can_wait else None
        if is_forced is None:
            return self.accept(tokens)
        if is_forced:
            metrics.forced(1)
        self._later = tokens[0]
        return None

    def _catch_up(self) -> None:
        """Take the token that was to be taken later."""
        if self._later is None:
            return
        token, self._later = self._later, None
        try:
            self._matcher.advance(token)
        except Exception as error:  # a limit: the mask has allowed it
            self.fail(failure(error), self._matcher.steps)

    def validate(self, tokens: Sequence[int], room: int | None = None) -> int:
        """How many leading tokens would be accepted, the end being the last of them; nothing moves.

        `room`: the tokens that are left for text before the first."""
        self._catch_up()
        if self._matcher.ended or self._failed is not None:
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
        self._catch_up()
        if self._matcher.ended or self._failed is not None:
            return []
        return drafter(self._matcher, self._compiled.vocabulary.token(last) or b"", most)

    def rollback(self, steps: int) -> None:
        """Back to before the last tokens; the request fails where that cannot be."""
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
        """Rows allow the end alone from here on, and no token is taken; until fewer than `steps` steps are left."""
        logger.error("a request fails: %s [%s]", error, error.code)
        self._failed = steps, self._counted(error)

    def prepare(self, room: int | None) -> None:
        """Find out now what the first mask takes, with so many tokens left: not where an engine waits for it."""
        with contextlib.suppress(Exception):  # whoever asks for the mask is told
            self._matcher.fill_mask(np.zeros(self._compiled.vocabulary.mask_words, dtype=np.uint32))
            if room is not None and room <= FAR * self.margin:
                self._known_least()

    def _counted(self, error: FrisketError) -> FrisketError:
        if not self._was_counted:
            metrics.count("frisket_engine_requests_failed", error.code)
        self._was_counted = True
        return error

    def fill(self, bitmask: Any, row: int, room: int | None = None) -> None:
        """Write a row of an int32 bitmask. Work that takes long releases the GIL.

        `room`: the tokens that are left for text. Near their end, only tokens are allowed after which they suffice."""
        try:
            Progress.fill_rows([self], MaskRows(bitmask[row : row + 1]), [0], rooms=[room])
        except Exception as error:
            self.fail(failure(error), self.steps)
            allow_alone(bitmask, row, self._eos)

    @property
    def margin(self) -> int:
        """Tokens that one token may add to what the text still takes, as far as is looked at."""
        if self._margin is None:
            self._margin = MARGIN
            with contextlib.suppress(Exception):
                self._margin += self._compiled.matcher().least_tokens(search=False).count
        return self._margin

    def _near(self, room: int | None) -> tuple[int, int, bool] | None:
        """What `MaskRows.fill` has to know of the tokens that are left; None where they are plenty."""
        return None if room is None or room > FAR * self.margin else (room, self.margin, not self._was_bent)

    def _is_far(self, room: int) -> bool:
        """Whether no token that is allowed here leaves too few: an ordinary mask takes a tenth of the time."""
        if room > FAR * self.margin:
            return True
        # A search for fewer tokens would take longer than the mask with room does, which is right in any case.
        return room > self.margin and self._known_least() <= room - self.margin

    def _known_least(self) -> float:
        """Tokens of one short end of the text, which are not always the fewest."""
        try:
            return self._matcher.least_tokens(search=False).count
        except VocabularyError:
            return math.inf

    def _warn_of_cut(self, refusal: Exception) -> None:
        """Too few tokens are left, or it takes too long to know: the text may be cut, and is not refused for it."""
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
        """Write a row for each in one call; where that cannot be, one by one. `rooms`: as `fill` takes them."""
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
        """Write the rows of each in one call, as `MaskRows.fill` does: one, and one more for each of its drafts.

        `rooms`: the tokens that are left for each text before its first row, None for plenty."""
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
        # Counted with the first mask: SGLang makes positions that no request ever has.
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
            one.rollback(0)  # a request whose draft failed goes on without it

    def reset(self) -> None:
        """Back to the beginning of the text."""
        self._later = None
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
