"""Work of a hostile client × the scheduler, the threads, the supplies → what other clients still get."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")

from frisket import Grammar
from frisket.decoding.budget import Budget
from frisket.decoding.sampler import Sampler
from frisket.server import turn, usage
from frisket.server.exchange import client_of
from frisket.server.failure import Failure
from frisket.server.job import Ended, Event, Failed, Job, Prompt
from frisket.server.scheduler import THREADS, Scheduler
from frisket.server.share import Share
from tests.unit.server.running import Waiting, until


class Steps:
    """A job of so many steps, each of which waits at a gate."""

    def __init__(self, steps: int, *, is_open: bool = False) -> None:
        self.left, self.taken, self.cancelled = steps, 0, False
        self.gate = threading.Event()
        if is_open:
            self.gate.set()

    def advance(self) -> bool:
        self.taken += 1
        self.gate.wait()
        self.left -= 1
        return self.left > 0 and not self.cancelled

    def cancel(self) -> None:
        self.cancelled = True
        self.gate.set()

    def release(self) -> None: ...


@pytest.fixture
def scheduler() -> Iterator[Any]:
    found = Scheduler(max_active=8, max_queued=8)
    yield found
    found.close()


def test_a_long_step_holds_its_own_client_alone(scheduler: Any) -> None:
    hostile, second, honest = Steps(1), Steps(1, is_open=True), Steps(50, is_open=True)
    scheduler.submit([hostile, second], "a")
    until(lambda: hostile.taken == 1)
    scheduler.submit([honest], "b")
    until(lambda: honest.left == 0)
    assert second.taken == 0
    hostile.gate.set()
    until(lambda: second.left == 0)


def test_clients_with_long_steps_hold_one_thread_each(scheduler: Any) -> None:
    hostile = [Steps(1) for _ in range(THREADS - 1)]
    for number, job in enumerate(hostile):
        scheduler.submit([job], f"hostile {number}")
        until(lambda job=job: job.taken == 1)  # type: ignore[misc]
    honest = Steps(50, is_open=True)
    scheduler.submit([honest], "honest")
    until(lambda: honest.left == 0)


def test_clients_take_turns_whatever_number_of_answers_they_have(
    scheduler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frisket.server.scheduler.PATIENCE", 1000.0)
    first = Steps(1)
    scheduler.submit([first], "c")
    until(lambda: first.taken == 1)
    many = [Steps(100, is_open=True) for _ in range(5)]
    taken: list[int] = []

    class Last(Steps):
        def advance(self) -> bool:
            taken.append(sum(job.taken for job in many))
            return super().advance()

    one = Last(100, is_open=True)
    scheduler.submit(many, "a")
    scheduler.submit([one], "b")
    first.gate.set()
    until(lambda: one.left == 0)
    assert taken[-1] <= 100


def test_one_client_leaves_slots_and_places_to_others() -> None:
    scheduler: Any = Scheduler(max_active=16, max_queued=16)
    mine = [Steps(1) for _ in range(25)]
    scheduler.submit(mine, "a")
    assert (scheduler.active, scheduler.queued) == (7, 18)
    with pytest.raises(Failure) as caught:
        scheduler.submit([Steps(1)], "a")
    assert caught.value.status == 429
    other = Steps(1, is_open=True)
    scheduler.submit([other], "b")
    until(lambda: other.left == 0)
    scheduler.close()
    assert all(job.cancelled for job in mine)


def test_what_waits_and_is_cancelled_makes_room() -> None:
    scheduler: Any = Scheduler(max_active=1, max_queued=1)
    first, second, third = Steps(1), Steps(1), Steps(1, is_open=True)
    scheduler.submit([first])
    scheduler.submit([second])
    second.cancel()
    scheduler.submit([third])
    first.gate.set()
    until(lambda: third.left == 0)
    assert second.taken == 0
    scheduler.close()


@pytest.mark.parametrize("most", [1, 2, 4, 5, 64, 513])
def test_a_share_is_never_more_than_there_is(most: int) -> None:
    share = Share(most)
    held = {client: 0 for client in "abc"}
    for client in held:
        while share.take(client):
            held[client] += 1
    assert sum(held.values()) == share.total <= most
    assert held["a"] >= 0.75 * most and (most < 8 or (held["b"] and held["c"]))
    for client, amount in held.items():
        share.give_back(client, amount)
    assert share.total == 0 and share.has("c", 1)


def test_a_reserved_part_is_for_those_who_hold_nothing() -> None:
    slots = Share(64, reserved=32)
    for client in ("a", "b", "c"):
        while slots.take(client):
            pass
    assert slots.held("a") == 25 and slots.total <= 35
    assert all(slots.take(f"light {number}") for number in range(29))


def test_calls_of_one_client_leave_threads_to_others() -> None:
    gate = threading.Event()

    async def ask() -> str:
        turns = turn.Turns(100)
        held = [asyncio.create_task(turns.run("a", gate.wait)) for _ in range(20)]
        await asyncio.sleep(0)
        found = await turns.run("b", lambda: "done")
        gate.set()
        await asyncio.gather(*held)
        return found

    assert asyncio.run(ask()) == "done"


def test_clients_that_used_much_leave_half_of_the_threads() -> None:
    gate, begun = threading.Event(), list[str]()

    def spin() -> None:
        began = time.thread_time()
        while time.thread_time() < began + usage.HEAVY * 1.2:
            pass

    def wait(client: str) -> None:
        begun.append(client)
        gate.wait()

    async def ask() -> None:
        turns = turn.Turns(100)
        heavy = [f"heavy {number}" for number in range(turn.THREADS)]
        await asyncio.gather(*(turns.run(client, spin) for client in heavy))
        held = [asyncio.create_task(turns.run(client, wait, client)) for client in heavy]
        while len(begun) < turn.THREADS // 2:
            await asyncio.sleep(0.001)
        await turns.run("light", begun.append, "light")
        assert len(begun) == turn.THREADS // 2 + 1
        gate.set()
        await asyncio.gather(*held)
        assert sorted(begun) == sorted([*heavy, "light"])

    asyncio.run(ask())


def test_the_client_that_used_least_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "THREADS", 1)
    monkeypatch.setattr(turn, "EACH", 1)
    gate, begun = threading.Event(), list[str]()

    async def ask() -> None:
        turns = turn.Turns(100)
        turns._usage.add("much", 0.2)
        turns._usage.add("some", 0.1)
        first = asyncio.create_task(turns.run("first", gate.wait))
        await asyncio.sleep(0)
        names = ["much", "some", "none", "much", "some", "none"]
        held = [asyncio.create_task(turns.run(name, begun.append, name)) for name in names]
        await asyncio.sleep(0)
        left = held.pop(2)
        left.cancel()
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, *held)

    asyncio.run(ask())
    assert begun == ["none", "some", "some", "much", "much"]


def test_clients_with_long_steps_leave_half_of_the_threads(scheduler: Any) -> None:
    clients = [f"heavy {number}" for number in range(THREADS)]
    for client in clients:
        scheduler._usage.add(client, 100.0)
    held = [Steps(1) for _ in clients]
    for client, job in zip(clients, held, strict=True):
        scheduler.submit([job], client)
    until(lambda: sum(job.taken for job in held) == THREADS // 2)
    for number in range(THREADS // 2 - 1):
        scheduler.submit([Steps(1)], f"light {number}")
    honest = Steps(50, is_open=True)
    scheduler.submit([honest], "honest")
    until(lambda: honest.left == 0)
    assert sum(job.taken for job in held) == THREADS // 2
    for job in held:
        job.gate.set()
    until(lambda: not any(job.left for job in held))


def test_too_many_calls_are_refused() -> None:
    gate = threading.Event()

    async def ask() -> None:
        turns = turn.Turns(4)
        held = [asyncio.create_task(turns.run("a", gate.wait)) for _ in range(4)]
        await asyncio.sleep(0)
        with pytest.raises(Failure, match="too many"):
            await turns.run("b", gate.wait)
        gate.set()
        await asyncio.gather(*held)

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("host", "client"),
    [("10.0.0.1", "10.0.0.1"), ("2001:db8::1", "2001:db8::/64"), ("2001:db8::ffff:1", "2001:db8::/64"), ("x", "x")],
)
def test_a_network_of_ipv6_is_one_client(host: str, client: str) -> None:
    request: Any = SimpleNamespace(client=SimpleNamespace(host=host))
    assert client_of(request) == client
    request.client = None
    assert client_of(request) == ""


@pytest.mark.parametrize("seconds", [0.0, 1000.0])
def test_masks_that_take_too_long_end_the_answer(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr("frisket.server.job.USUAL", 0.0)
    model = Waiting()
    model.gate.set()
    events: list[Event] = []
    grammar = Grammar.from_regex("a{9}").compile(model.vocabulary)
    job = Job(
        Prompt(model, [32], uses=1), grammar, model.vocabulary, Budget(9), Sampler(temperature=0), 0, (), 0,
        deliver=events.append, cpu_seconds=seconds,
    )  # fmt: skip
    while job.advance():
        pass
    last = events[-1]
    if seconds:
        assert isinstance(last, Ended) and last.whole
    else:
        assert isinstance(last, Failed) and "CPU time" in str(last.error)


def test_what_the_model_takes_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Waiting):
        def logits(self) -> Any:
            began = time.thread_time()
            while time.thread_time() < began + 0.3:
                pass
            return super().logits()

    model = Slow()
    model.gate.set()
    events: list[Event] = []
    grammar = Grammar.from_regex("[ab]{2}").compile(model.vocabulary)
    job = Job(
        Prompt(model, [32], uses=1), grammar, model.vocabulary, Budget(9), Sampler(temperature=0), 0, (), 0,
        deliver=events.append, cpu_seconds=0.25,
    )  # fmt: skip
    while job.advance():
        pass
    assert isinstance(events[-1], Ended)


def test_serve_is_read_without_numpy() -> None:
    """It says how many threads BLAS has, which numpy reads once, as it is imported."""
    program = "import sys, frisket.cli.serve; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
