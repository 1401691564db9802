"""Answers beside an event loop, and many at once: the same as one by one."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any, Literal

import pytest

import frisket
from frisket import Cancellation, Limits, agenerate, astream, generate_many
from frisket.errors import ConversationError, FrisketError, LimitExceededError, SchemaError
from frisket.events import Closed
from frisket.strategies import Beams, Best, Strategy

MODEL = frisket.models.embedded()
TRIAGE = frisket.examples.load("triage")
TUTOR = frisket.examples.load("tutor")
PROMPTS = ["My card was charged twice", "Where is my parcel?", "The app crashes", "Please add a dark mode"]


class Slow:
    """The embedded model, with a moment for each token."""

    def __init__(self) -> None:
        self.pushed = 0
        self.threads: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(MODEL, name)

    def start(self, prompt_ids: Any) -> Any:
        session = MODEL.start(prompt_ids)
        push = session.push

        def slowly(token_id: int) -> None:
            self.pushed += 1
            self.threads.add(threading.current_thread().name)
            time.sleep(0.002)
            push(token_id)

        session.push = slowly  # type: ignore[method-assign]
        return session


def test_agenerate_is_generate() -> None:
    async def answers() -> list[Any]:
        return await asyncio.gather(*(agenerate(MODEL, prompt, TRIAGE) for prompt in PROMPTS))

    assert asyncio.run(answers()) == [frisket.generate(MODEL, prompt, TRIAGE) for prompt in PROMPTS]


def test_the_event_loop_goes_on() -> None:
    async def count() -> tuple[int, Any]:
        ticks, task = 0, asyncio.create_task(agenerate(Slow(), PROMPTS[0], TRIAGE))
        while not task.done():
            await asyncio.sleep(0)
            ticks += 1
        return ticks, await task

    ticks, value = asyncio.run(count())
    assert ticks > 10 and value == frisket.generate(MODEL, PROMPTS[0], TRIAGE)


def test_astream_gives_the_steps_of_stream() -> None:
    expected = list(frisket.stream(MODEL, PROMPTS[0], TRIAGE))

    async def steps() -> tuple[list[Any], str, Any, Any]:
        answer = astream(MODEL, PROMPTS[0], TRIAGE)
        assert (answer.text, answer.value) == ("", None)
        found = [step async for step in answer]
        return found, answer.text, answer.value, await answer.generation()

    found, text, value, generation = asyncio.run(steps())
    assert found == expected and text == "".join(step.text for step in expected)
    assert value == generation.value() and generation.text == text


def test_a_cancelled_answer_makes_no_more_tokens() -> None:
    model = Slow()

    async def cancel() -> None:
        task = asyncio.create_task(agenerate(model, "x", {"type": "string", "minLength": 400}, max_tokens=500))
        while model.pushed < 3:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())  # waits for its threads
    assert model.pushed < 100


class Watched(Strategy):
    """A strategy that asks its matcher for ever, until its limits' cancellation ends it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.error: LimitExceededError | None = None

    def search(self, task: Any, runs: int, rng: Any) -> Any:
        matcher = task.beginning.compiled.matcher()
        try:
            while True:
                matcher.mask()
                self.begun.set()
        except LimitExceededError as error:
            self.error = error
            raise


@pytest.mark.parametrize("limits", [None, Limits(steps=10**7)])
def test_a_cancelled_search_of_a_strategy_ends(limits: Limits | None) -> None:
    strategy = Watched()

    async def cancel() -> None:
        task = asyncio.create_task(agenerate(MODEL, "x", TRIAGE, strategy=strategy, limits=limits))
        while not strategy.begun.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())  # waits for its threads
    assert strategy.error is not None and strategy.error.code == "cancelled"


def test_a_cancellation_of_the_caller_ends_the_search() -> None:
    strategy, cancellation = Watched(), Cancellation()

    async def cancel() -> None:
        task = asyncio.create_task(
            agenerate(MODEL, "x", TRIAGE, strategy=strategy, limits=Limits(cancellation=cancellation))
        )
        while not strategy.begun.is_set():
            await asyncio.sleep(0.001)
        cancellation.cancel()
        with pytest.raises(LimitExceededError, match="cancelled"):
            await task

    asyncio.run(cancel())


@pytest.mark.parametrize("strategy", [None, Beams(2)])
def test_steps_are_shown_by_the_event_loop(strategy: Strategy | None) -> None:
    told: list[frisket.Step] = []
    threads = set()

    def on_step(step: frisket.Step) -> None:
        told.append(step)
        threads.add(threading.current_thread())

    async def ask() -> Any:
        return await agenerate(MODEL, PROMPTS[0], TRIAGE, strategy=strategy, on_step=on_step)

    expected: list[frisket.Step] = []
    value = frisket.generate(MODEL, PROMPTS[0], TRIAGE, strategy=strategy, on_step=expected.append)
    assert asyncio.run(ask()) == value and threads == {threading.current_thread()}
    assert [step.token for step in told] == [step.token for step in expected] != []


@pytest.mark.parametrize("strategy", [None, Best(2)])
def test_a_partial_answer_is_its_text(strategy: Strategy | None) -> None:
    options: Any = {"max_tokens": 3, "on_budget": "cut", "strategy": strategy}
    text = frisket.generate(MODEL, PROMPTS[0], TRIAGE, **options, allow_partial=True)
    assert asyncio.run(agenerate(MODEL, PROMPTS[0], TRIAGE, **options, allow_partial=True)) == text != ""
    with pytest.raises(LimitExceededError):
        asyncio.run(agenerate(MODEL, PROMPTS[0], TRIAGE, **options))


def test_an_asynchronous_stream_has_events_and_partial_objects() -> None:
    @dataclass
    class Order:
        size: Literal["small", "large"]
        count: Literal[1, 2]

    expected = list(frisket.stream(MODEL, "two large", Order).events())

    async def events() -> tuple[list[Any], Any]:
        answer = astream(MODEL, "two large", Order)
        assert answer.partial is None and repr(answer) == "<AsyncStream not begun>"
        found = [event async for event in answer.events()]
        assert repr(answer).startswith("<AsyncStream of <Stream '{") and repr(answer).endswith(", ended: end>>")
        return found, answer.partial

    found, partial = asyncio.run(events())
    assert found == expected and isinstance(found[-1], Closed)
    assert partial == frisket.generate(MODEL, "two large", Order)


def test_errors_come_through() -> None:
    with pytest.raises(LimitExceededError):
        asyncio.run(agenerate(MODEL, "x", TRIAGE, max_tokens=2))


@pytest.mark.parametrize("workers", [1, 3])
def test_many_are_one_by_one(workers: int) -> None:
    model, told = Slow(), []
    found = generate_many(
        model, PROMPTS, TRIAGE, workers=workers, on_done=lambda done, total: told.append((done, total))
    )
    assert found == [frisket.generate(MODEL, prompt, TRIAGE) for prompt in PROMPTS]
    assert told == [(done, 4) for done in (1, 2, 3, 4)] and len(model.threads) == workers


def test_each_prompt_may_have_its_own_type() -> None:
    found = generate_many(MODEL, ["a", "She wrote a book"], [re.compile("[ab]"), TUTOR])
    assert found == [
        frisket.generate(MODEL, "a", re.compile("[ab]")),
        frisket.generate(MODEL, "She wrote a book", TUTOR),
    ]
    # A list of texts is one target: a choice.
    assert set(generate_many(MODEL, ["a", "b"], ["yes", "no"])) <= {"yes", "no"}
    assert generate_many(MODEL, [], TRIAGE) == []
    with pytest.raises(ValueError, match="2 prompts have 1 targets"):
        generate_many(MODEL, ["a", "b"], [TUTOR])
    with pytest.raises(ValueError, match="workers"):
        generate_many(MODEL, ["a"], TUTOR, workers=0)


def test_an_error_ends_all_or_takes_its_place() -> None:
    targets = [TUTOR, {"type": "string", "minLength": 20_000}, TUTOR]
    with pytest.raises(LimitExceededError, match=r"^prompt 1: the shortest answer") as raised:
        generate_many(MODEL, ["a"] * 3, targets, max_tokens=100)
    assert raised.value.index == 1
    found = generate_many(MODEL, ["a"] * 3, targets, max_tokens=100, return_errors=True)
    assert (
        isinstance(found[1], LimitExceededError)
        and found[1].index == 1
        and found[0] == found[2] == frisket.generate(MODEL, "a", TUTOR)
    )


@pytest.mark.parametrize(
    ("prompts", "targets", "error"),
    [
        (["a", "b", 5], TUTOR, TypeError),
        (["a", "b", [{"role": "nobody"}]], TUTOR, ConversationError),
        (["a"] * 3, [TUTOR, TUTOR, {"type": "int"}], SchemaError),
    ],
)
def test_what_would_end_the_call_is_found_before_the_first_token(
    prompts: Any, targets: Any, error: type[Exception]
) -> None:
    done: list[int] = []
    with pytest.raises(error):
        generate_many(MODEL, prompts, targets, on_done=lambda count, _: done.append(count))
    assert done == []
    if issubclass(error, FrisketError):
        found = generate_many(MODEL, prompts, targets, return_errors=True)
        assert isinstance(found[2], error) and found[2].index == 2 and isinstance(found[1], dict)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="an exception has no notes before Python 3.11")
def test_an_error_of_another_kind_has_a_note_with_its_prompt() -> None:
    with pytest.raises(TypeError, match="got int") as raised:
        generate_many(MODEL, ["a", 5], TUTOR)  # type: ignore[list-item]
    assert raised.value.__notes__ == ["in the answer to prompt 1"]
