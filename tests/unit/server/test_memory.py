"""An answer that is over, given up or failed holds nothing of the model, even before a collection."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from frisket import Grammar
from frisket.decoding.budget import Budget
from frisket.decoding.sampler import Sampler
from tests.unit.server.running import Waiting, until

pytest.importorskip("starlette", reason="starlette is not installed")
from frisket.server import turn
from frisket.server.job import Ended, Event, Failed, Job, Prompt, Written
from frisket.server.scheduler import Scheduler


class Session:
    """What a model holds of one answer: megabytes, in earnest."""

    def __init__(self, model: Waiting) -> None:
        self._model = model

    def fork(self) -> Session:
        return self._model.start([])

    def push(self, token_id: int) -> None: ...

    def logits(self) -> Any:
        return self._model.logits()


class Model(Waiting):
    def __init__(self) -> None:
        super().__init__()
        self.gate.set()
        self.sessions: list[weakref.ref[Session]] = []

    def start(self, prompt_ids: Sequence[int]) -> Any:
        session = Session(self)
        self.sessions.append(weakref.ref(session))
        return session

    @property
    def alive(self) -> int:
        return sum(session() is not None for session in self.sessions)


@pytest.fixture
def uncollected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("end", ["whole", "cut", "cancelled", "failed", "unheard"])
def test_nothing_is_left(end: str) -> None:
    model = Model()
    scheduler = Scheduler(max_active=4, max_queued=4)
    over = threading.Event()
    last: list[str] = []

    def deliver(event: Event) -> None:
        if isinstance(event, Ended | Failed):
            last.append(type(event).__name__)
            over.set()
        elif isinstance(event, Written) and end == "cancelled":
            for job in jobs:
                job.cancel()
        elif end == "unheard":
            raise RuntimeError("nobody listens")

    model.broken = end == "failed"
    pattern, most = ("a{3}", 9) if end == "whole" else ("a*", 5 if end == "cut" else 5000)
    grammar = Grammar.from_regex(pattern).compile(model.vocabulary)
    prompt = Prompt(model, [32], uses=2)
    jobs = [
        Job(prompt, grammar, model.vocabulary, Budget(most), Sampler(), number, (), 0, deliver=deliver)
        for number in range(2)
    ]
    del prompt
    scheduler.submit(jobs)
    until(lambda: bool(model.sessions) and not scheduler.active and not scheduler.queued)
    assert end in ("cancelled", "unheard") or over.is_set()
    jobs.clear()  # as the service does when the last event has come, or the client has left
    assert model.alive == 0
    scheduler.close()


@pytest.mark.usefixtures("uncollected")
def test_nothing_is_left_when_the_server_ends() -> None:
    model = Model()
    scheduler = Scheduler(max_active=4, max_queued=4)
    grammar = Grammar.from_regex("a*").compile(model.vocabulary)
    job = Job(
        Prompt(model, [32], uses=1),
        grammar,
        model.vocabulary,
        Budget(100_000),
        Sampler(),
        0,
        (),
        0,
        deliver=lambda _: None,
    )
    scheduler.submit([job])
    until(lambda: model.asked > 3)
    scheduler.close()
    assert model.alive == 0


def test_few_grammars_are_compiled_at_a_time() -> None:
    # Each thread's heap keeps what it freed, so threads are few, however many clients come at once.
    running, most, lock = 0, 0, threading.Lock()

    def compile() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1

    async def ask(clients: str) -> None:
        turns = turn.Turns(turn.THREADS * 8)
        await asyncio.gather(*(turns.run(client, compile) for client in clients for _ in range(turn.THREADS)))

    asyncio.run(ask("abcd"))
    assert 1 < most <= turn.THREADS
    most = 0
    asyncio.run(ask("a"))
    assert 1 < most <= turn.EACH
