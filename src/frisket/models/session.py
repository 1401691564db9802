"""A network that reads many tokens in one call × prompt ids → one sequence with its last logits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from frisket.models.protocol import Logits, check_room


class NetworkSession(ABC):
    """A sequence that can read ahead. A subclass says how its network reads tokens and forgets the last ones."""

    def __init__(self, context: int, prompt_ids: Sequence[int]) -> None:
        self._context = context
        #: Number of tokens that were read.
        self._length = 0
        #: Logits after the last tokens that were read; the last row is for the end of the sequence.
        self._rows: Logits = np.empty((0, 0), dtype=np.float32)
        self._take(prompt_ids, 1)

    @property
    @abstractmethod
    def rewinds(self) -> bool:
        """Whether this sequence can take tokens back."""

    @abstractmethod
    def fork(self) -> NetworkSession:
        """An independent session at the same place."""

    @abstractmethod
    def _read(self, ids: list[int], keep: int) -> Logits:
        """Append tokens; the logits after the last `keep` of them. EngineError if the network fails."""

    @abstractmethod
    def _forget(self, tokens: int) -> None:
        """Take back the last tokens, at least one."""

    def logits(self) -> Logits:
        last: Logits = self._rows[-1].copy()
        return last

    def push(self, token_id: int) -> None:
        check_room(self._length, 1, self._context)
        self._take([token_id], 1)

    def extend(self, token_ids: Sequence[int]) -> Logits:
        check_room(self._length, len(token_ids), self._context)
        self._take(token_ids, len(token_ids))
        return self._rows

    def rewind(self, tokens: int) -> None:
        if not 0 <= tokens < len(self._rows):
            raise ValueError(f"the last call read {len(self._rows)} tokens; {tokens} of them cannot be taken back")
        if tokens:
            self._forget(tokens)
            self._length -= tokens
            self._rows = self._rows[:-tokens]

    def _take(self, ids: Sequence[int], keep: int) -> None:
        self._rows = self._read([int(token_id) for token_id in ids], keep)
        self._length += len(ids)
