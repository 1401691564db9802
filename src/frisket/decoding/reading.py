"""Session × chosen tokens × draft → the next logits, with fewer calls of the network than tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from frisket.models.protocol import DraftSession, Logits, check_prompt, check_room

if TYPE_CHECKING:
    from frisket.decoding.pace import Pace
    from frisket.models.protocol import Session

#: Most tokens of a draft → the draft.
Draft = Callable[[int], "list[int]"]


class Reading:
    """A session that has read the chosen tokens, and after them the rest of a draft.

    With a `pace`, drafts are searched for only while they pay.
    """

    def __init__(self, session: Session, pace: Pace | None = None) -> None:
        self._session, self._pace = session, pace
        self._ahead: list[int] = []
        self._rows: Logits = np.empty((0, 0), dtype=np.float32)
        #: Whether the last call of the network was made for these logits, and not for those of an earlier token.
        self.called = True

    @property
    def is_waiting(self) -> bool:
        """Whether the logits wait for the other sequences of a batch."""
        return False

    def logits(self) -> Logits:
        if self._ahead or not self.called:
            row: Logits = self._rows[-1 - len(self._ahead)].copy()
            return row
        return self._session.logits()

    def push(self, token: int, draft: Draft | None, most: int) -> None:
        """Append a chosen token; `most` more may follow. A draft is searched for only if the network must be called."""
        self.called = not (self._ahead and self._ahead[0] == token)
        if not self.called:
            del self._ahead[0]
            if self._pace is not None:
                self._pace.keep()
            return
        self.rest()
        if draft is not None and self._pace is not None and not self._pace.count():
            draft = None
        began = time.perf_counter()
        ids = [] if draft is None else draft(most)
        asked = time.perf_counter()
        if ids:
            self._rows = cast("DraftSession", self._session).extend([token, *ids])
        else:
            self._session.push(token)
        self._ahead = ids
        if draft is not None and self._pace is not None:
            self._pace.add(asked - began, time.perf_counter() - asked, len(ids))

    def rest(self) -> None:
        """Take back the tokens that were read ahead."""
        if self._ahead:
            cast("DraftSession", self._session).rewind(len(self._ahead))
            self._ahead = []


class Row(Reading):
    """One sequence of a batch: its new tokens wait until the network reads all sequences together.

    It reads no drafts: in a batch a call takes longer with each token, right or wrong.
    """

    def __init__(self, prompt_ids: Sequence[int], context: int) -> None:
        check_prompt(prompt_ids, context)
        self._length, self._context = len(prompt_ids), context
        #: Tokens that wait to be read; empty where the logits after them are known.
        self.waiting: Sequence[int] = prompt_ids
        self._last: Logits = np.empty(0, dtype=np.float32)
        self.called = True

    @property
    def is_waiting(self) -> bool:
        return bool(self.waiting)

    def take(self, logits: Logits) -> None:
        """Set the logits after the tokens that waited."""
        self._last, self.waiting = logits, ()

    def logits(self) -> Logits:
        return self._last

    def push(self, token: int, draft: Draft | None, most: int) -> None:
        check_room(self._length, 1, self._context)
        self._length += 1
        self.waiting = [token]
