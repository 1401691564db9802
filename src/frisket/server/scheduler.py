"""Jobs of many clients → threads that write a token of each client in turn.

One thread leads: it takes one step of one job after another. A step that computes masks of a hostile grammar may take a
second, so another thread takes the lead when a step has lasted for `PATIENCE`. Only one thread at a time uses the model
(`Exclusive`), and a client's jobs are in one thread at a time, so a hostile client holds at most one thread. All
clients whose recent steps took too long together hold at most half of the threads.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Condition, Thread

from frisket.server.failure import Failure
from frisket.server.job import Job
from frisket.server.share import Share
from frisket.server.usage import Usage

logger = logging.getLogger(__name__)

#: Seconds that other clients wait for a running step. With less, steps that only wait for other threads count as long,
#: and more of them begin (0.02: 138 s of waiting for 27,000 steps, 0.1: 68 s for 21,000).
PATIENCE = 0.05
#: Number of threads; all but one may run long steps while other clients still progress.
THREADS = max(4, (os.cpu_count() or 1) + 2)


@dataclass(eq=False)
class Lane:
    """The jobs of one client."""

    client: str
    waiting: deque[Job] = field(default_factory=deque)
    active: deque[Job] = field(default_factory=deque)
    """A thread may be at work on the first of them."""


class Scheduler:
    """Interleaves answers token by token; no client waits for another's answer or grammar."""

    def __init__(self, *, max_active: int, max_queued: int) -> None:
        self._changed = Condition()
        self._lanes: dict[str, Lane] = {}
        self._row: deque[Lane] = deque()
        """Clients with active jobs, none of which is in a thread; in the order of their turns."""
        self._begun: dict[Lane, float] = {}
        """Start times of the steps that are in a thread."""
        self._watching = 0
        """Number of threads that wait to see whether a step lasts too long."""
        self._usage = Usage()
        """By client: CPU seconds of steps beyond `PATIENCE`."""
        self._slots = Share(max_active, reserved=max_active // 2)
        self._places = Share(max_active + max_queued)
        self._open = True
        self._threads = [Thread(target=self._run, name=f"frisket-{n}", daemon=True) for n in range(THREADS)]
        for thread in self._threads:
            thread.start()

    @property
    def queued(self) -> int:
        """The number of waiting answers."""
        return self._places.total - self._slots.total

    @property
    def active(self) -> int:
        """The number of answers in progress."""
        return self._slots.total

    @property
    def alive(self) -> bool:
        """Whether the threads run."""
        return all(thread.is_alive() for thread in self._threads)

    def submit(self, jobs: Sequence[Job], client: str = "") -> None:
        """Accept all jobs, or none with a Failure (429) if too many wait."""
        with self._changed:
            if not self._open:
                raise Failure(503, "the server is shutting down", code="closed")
            self._admit()
            if not self._places.take(client, len(jobs)):
                raise Failure(
                    429, "too many answers wait", code="queue-full", hint="try again later, or raise --max-queued"
                )
            self._lanes.setdefault(client, Lane(client)).waiting.extend(jobs)
            self._admit()
            self._changed.notify()

    def close(self) -> None:
        """Cancel all jobs, and wait for the threads to end."""
        with self._changed:
            self._open = False
            for lane in self._lanes.values():
                for job in [*lane.waiting, *lane.active]:
                    job.cancel()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        for lane in self._lanes.values():
            for job in lane.active:
                job.release()

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._open and self._must_wait():
                    patience = self._patience()
                    self._watching += patience is not None
                    self._changed.wait(patience)
                    self._watching -= patience is not None
                if not self._open:
                    break
                lane = next(filter(self._may_run, self._row))
                self._row.remove(lane)
                job = lane.active[0]
                self._begun[lane] = time.monotonic()
                if self._has_turn() and not self._watching:
                    self._changed.notify()
            cpu = time.thread_time()
            more = self._advance(job)
            with self._changed:
                self._usage.add(lane.client, max(time.thread_time() - cpu - PATIENCE, 0))
                del self._begun[lane]
                lane.active.popleft()
                if more:
                    lane.active.append(job)
                else:
                    self._slots.give_back(lane.client)
                    self._places.give_back(lane.client)
                if lane.active:
                    self._row.append(lane)
                if not more:
                    self._admit()
            del job, lane

    def _must_wait(self) -> bool:
        """Whether this thread must wait: no client may take a step, or another thread's step is too recent."""
        now = time.monotonic()
        return not self._has_turn() or any(now - began < PATIENCE for began in self._begun.values())

    def _has_turn(self) -> bool:
        """Whether some client's step may begin."""
        return any(map(self._may_run, self._row))

    def _may_run(self, lane: Lane) -> bool:
        return self._usage.may_run(lane.client, (other.client for other in self._begun), THREADS)

    def _patience(self) -> float | None:
        """Seconds until the latest step counts as long; None if no client waits for it."""
        if not self._has_turn() or not self._begun:
            return None
        return max(max(self._begun.values()) + PATIENCE - time.monotonic(), 0.001)

    def _admit(self) -> None:
        """Begin answers while slots are free; the client with the fewest answers comes first."""
        for lane in self._lanes.values():
            left = deque(job for job in lane.waiting if not job.cancelled)
            self._places.give_back(lane.client, len(lane.waiting) - len(left))
            lane.waiting = left
        while found := [lane for lane in self._lanes.values() if lane.waiting and self._slots.has(lane.client)]:
            lane = min(found, key=lambda lane: self._slots.held(lane.client))
            self._slots.take(lane.client)
            lane.active.append(lane.waiting.popleft())
            if len(lane.active) == 1:
                self._row.appendleft(lane)  # clients wait for a first token most
        for client in [client for client in self._lanes if not self._places.held(client)]:
            del self._lanes[client]

    def _advance(self, job: Job) -> bool:
        try:
            return job.advance()
        except Exception:  # raised by the receiver of one event: the other answers go on
            logger.exception("an answer is given up")
            return False
