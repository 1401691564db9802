"""Jobs of many requests → one thread that writes a token of each in turn."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from threading import Condition, Thread

from frisket.server.failure import Failure
from frisket.server.job import Job

logger = logging.getLogger(__name__)


class Scheduler:
    """A model is asked by one thread alone: no answer waits for another one to be whole, and none runs beside it."""

    def __init__(self, *, max_active: int, max_queued: int) -> None:
        self._max_active, self._max_queued = max_active, max_queued
        self._changed = Condition()
        self._queued: deque[Job] = deque()
        self._active: list[Job] = []
        self._open = True
        self._thread = Thread(target=self._run, name="frisket-scheduler", daemon=True)
        self._thread.start()

    @property
    def queued(self) -> int:
        """Answers that wait."""
        return len(self._queued)

    @property
    def active(self) -> int:
        """Answers that are being written."""
        return len(self._active)

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def submit(self, jobs: Sequence[Job]) -> None:
        """Write all of them, or none: a Failure (429) where too many wait."""
        with self._changed:
            if not self._open:
                raise Failure(503, "the server is shutting down", code="closed")
            free = self._max_active + self._max_queued - len(self._active) - len(self._queued)
            if len(jobs) > free:
                raise Failure(
                    429, "too many answers wait", code="queue-full", hint="try again later, or raise --max-queued"
                )
            self._queued.extend(jobs)
            self._changed.notify()

    def close(self) -> None:
        """Cancel everything, and wait for the thread to end."""
        with self._changed:
            self._open = False
            for job in [*self._queued, *self._active]:
                job.cancel()
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queued or self._active or not self._open)
                if not self._open:
                    break
                while self._queued and len(self._active) < self._max_active:
                    self._active.append(self._queued.popleft())
            self._active = [job for job in self._active if self._advance(job)]
            with self._changed:
                if any(job.cancelled for job in self._queued):
                    self._queued = deque(job for job in self._queued if not job.cancelled)
        for job in self._active:
            job.release()

    def _advance(self, job: Job) -> bool:
        try:
            return job.advance()
        except Exception:  # of whoever was to be told: the others' answers go on
            logger.exception("an answer is given up")
            return False
