"""Model → a wrapper that counts its calls and can stop them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frisket.models import Logits, Model, Session


class StoppedError(Exception):
    """The search was stopped, because nobody waits for its answer."""


class Watch:
    """The call counter and stop flag shared by all sessions of one search."""

    def __init__(self) -> None:
        self.calls = 0
        self.stopped = False

    def call(self) -> None:
        """Count a call of the network; StoppedError if the search was stopped."""
        if self.stopped:
            raise StoppedError
        self.calls += 1

    def model(self, model: Model) -> Model:
        """The model, wrapped so that its search can be watched and stopped."""
        return _Model(model, self)


class _Model:
    def __init__(self, model: Model, watch: Watch) -> None:
        self._model, self._watch = model, watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def start(self, prompt_ids: Sequence[int]) -> Session:
        return _Session(self._model.start(prompt_ids), self._watch)


class _Session:
    """A session that reads one token at a time, since a search needs the distribution after each."""

    def __init__(self, session: Session, watch: Watch) -> None:
        self._session, self._watch = session, watch
        # Only sessions that can take tokens back have this method.
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
