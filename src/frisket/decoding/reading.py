"""Session × chosen tokens × draft → the next logits, in fewer calls of the network than there are tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket.models.protocol import Appended, Logits, check_prompt, check_room

if TYPE_CHECKING:
    from frisket.decoding.pace import Pace
    from frisket.models.protocol import Batch, Session

#: How many tokens a draft may have → the draft.
Draft = Callable[[int], "list[int]"]


class Row:
    """One sequence of a batch. What it appends is read with what the other sequences append."""

    def __init__(self, batch: Batch, number: int, context: int, prompt_ids: Sequence[int]) -> None:
        check_prompt(prompt_ids, context)
        self._batch, self._context, self.number = batch, context, number
        self._length = len(prompt_ids)
        #: Tokens that wait to be read; none where `rows` are their logits.
        self.waiting: Appended | None = Appended(number, prompt_ids, 1)
        self.rows: Logits = np.empty((0, 0), dtype=np.float32)

    @property
    def rewinds(self) -> bool:
        """Whether the sequence can take tokens back."""
        return self._batch.rewinds

    def append(self, token_ids: Sequence[int]) -> None:
        """Let tokens wait to be read."""
        check_room(self._length, len(token_ids), self._context)
        self._length += len(token_ids)
        self.waiting = Appended(self.number, token_ids, len(token_ids))

    def take(self, rows: Logits) -> None:
        """Take the logits of what was waiting."""
        self.waiting, self.rows = None, rows

    def rewind(self, tokens: int) -> None:
        """Take back the last tokens."""
        self._batch.rewind(self.number, tokens)
        self._length -= tokens


class Reading:
    """A session that may stand ahead of the answer: it has read the chosen tokens, and then what is left of a draft.

    With a `pace`, drafts are asked for as long as they pay.
    """

    def __init__(self, session: Session | Row, pace: Pace | None = None) -> None:
        self._session: Any = session
        self._pace = pace
        self._ahead: list[int] = []
        self._rows: Logits = np.empty((0, 0), dtype=np.float32)
        #: Whether the logits came with the last call of the network, and not with one for an earlier token.
        self.called = True

    def logits(self) -> Logits:
        if self._ahead or not self.called:
            row: Logits = self._rows[-1 - len(self._ahead)].copy()
            return row
        return self._session.logits()

    def push(self, token: int, draft: Draft | None, most: int) -> None:
        """Append a chosen token. `most`: how many may follow it; the draft is asked for where the network is called."""
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
            self._extend([token, *ids])
        else:
            self._push(token)
        self._ahead = ids
        if draft is not None and self._pace is not None:
            self._pace.add(asked - began, time.perf_counter() - asked, len(ids))

    def rest(self) -> None:
        """Take back what was read ahead."""
        if self._ahead:
            self._session.rewind(len(self._ahead))
            self._ahead = []

    @property
    def is_waiting(self) -> bool:
        """Whether the logits are not there before other sequences have got as far."""
        return False

    def _push(self, token: int) -> None:
        self._session.push(token)

    def _extend(self, ids: list[int]) -> None:
        self._rows = self._session.extend(ids)


class BatchReading(Reading):
    """A reading of one sequence of a batch: the logits are there once the batch was read."""

    _session: Row

    def __init__(self, row: Row) -> None:
        # The time of a call is that of all sequences together, which says nothing of one draft.
        super().__init__(row)

    @property
    def is_waiting(self) -> bool:
        return self._session.waiting is not None

    def logits(self) -> Logits:
        last: Logits = self._session.rows[-1 - len(self._ahead)]
        return last

    def _push(self, token: int) -> None:
        self._session.append([token])

    def _extend(self, ids: list[int]) -> None:
        self._session.append(ids)
