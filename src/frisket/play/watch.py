"""Model → the same model, watched: how often it was asked, and whether it may still be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frisket.models import Logits, Model, Session


class StoppedError(Exception):
    """Nobody waits for the answer any more."""


class Watch:
    """Shared by all sessions of one search."""

    def __init__(self) -> None:
        self.calls = 0
        self.stopped = False

    def call(self) -> None:
        """Count a call of the network, or end it."""
        if self.stopped:
            raise StoppedError
        self.calls += 1

    def model(self, model: Model) -> Model:
        """The model, so that a search with it can be watched and ended."""
        return _Model(model, self)


class _Model:
    def __init__(self, model: Model, watch: Watch) -> None:
        self._model, self._watch = model, watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def start(self, prompt_ids: Sequence[int]) -> Session:
        return _Session(self._model.start(prompt_ids), self._watch)


class _Session:
    """It reads token by token: a search asks for the distribution after each."""

    def __init__(self, session: Session, watch: Watch) -> None:
        self._session, self._watch = session, watch
        # Only sessions that can go back have the method.
        if hasattr(session, "rewind"):
            self.rewind = session.rewind
            self.rewinds = getattr(session, "rewinds", True)

    def logits(self) -> Logits:
        self._watch.call()
        return self._session.logits()

    def push(self, token_id: int) -> None:
        if self._watch.stopped:
            raise StoppedError
        self._session.push(token_id)

    def fork(self) -> Session:
        return _Session(self._session.fork(), self._watch)
