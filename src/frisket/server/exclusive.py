"""A model's session × the model's lock → a session whose calls wait while another thread uses the model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, ParamSpec, TypeVar

from frisket.models import Logits, Model

P = ParamSpec("P")
T = TypeVar("T")


class Exclusive:
    """The locked session; a `DraftSession` if the model's own session is one."""

    def __init__(self, model: Model, ids: Sequence[int], lock: Lock) -> None:
        self._lock = lock
        self.seconds = 0.0
        """CPU seconds that calls of the model took in their threads."""
        self._session: Any = self._alone(model.start, ids)

    @property
    def rewinds(self) -> bool:
        return getattr(self._session, "rewinds", False)

    def logits(self) -> Logits:
        return self._alone(self._session.logits)

    def push(self, token_id: int) -> None:
        self._alone(self._session.push, token_id)

    def extend(self, token_ids: Sequence[int]) -> Logits:
        return self._alone(self._session.extend, token_ids)

    def rewind(self, tokens: int) -> None:
        self._alone(self._session.rewind, tokens)

    def fork(self) -> Exclusive:
        twin: Exclusive = object.__new__(Exclusive)
        twin._lock, twin.seconds = self._lock, 0.0
        twin._session = self._alone(self._session.fork)
        return twin

    def _alone(self, call: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
        with self._lock:
            began = time.thread_time()
            try:
                return call(*arguments, **more)
            finally:
                self.seconds += time.thread_time() - began
