"""Model × prompts × types → values: beside other work of an event loop, or many at once."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, overload

from frisket.decoding.answer import Generation, Stream
from frisket.decoding.argument import check_integer, kind
from frisket.decoding.generate import generate, stream
from frisket.decoding.loop import Step
from frisket.errors import FrisketError
from frisket.tools import Tools

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack

    from frisket.decoding.budget import OnBudget
    from frisket.decoding.guard import Guard
    from frisket.decoding.request import Prompt
    from frisket.decoding.sampler import Sampler
    from frisket.description import Style
    from frisket.grammar import Grammar
    from frisket.limit import Limits
    from frisket.models.protocol import Model
    from frisket.strategies import Strategy
    from frisket.thinking import Mode
    from frisket.tools import Family, Message

T = TypeVar("T")
R = TypeVar("R")


class Options(TypedDict, total=False):
    """What `generate` and `stream` take by name, too."""

    max_tokens: int
    on_budget: OnBudget
    min_tokens: int
    guard: Guard | None
    sampler: Sampler | None
    seed: int
    stop: str | Sequence[str]
    jump_forward: bool
    describe: bool | Style
    limits: Limits | None
    heal: bool


class CallOptions(Options, total=False):
    """What they take by name beside `tools`."""

    choice: str
    parallel: bool
    final: Any
    thinking: Mode
    family: str | Family | None


class ToolOptions(CallOptions, total=False):
    """All that they take by name."""

    tools: Tools | Iterable[Any] | None


@overload
async def agenerate(model: Model, prompt: Prompt, target: type[T], **options: Unpack[Options]) -> T: ...
@overload
async def agenerate(
    model: Model, prompt: Prompt, target: list[str] | tuple[str, ...] | re.Pattern[str], **options: Unpack[Options]
) -> str: ...
@overload
async def agenerate(model: Model, prompt: Prompt, target: TypeForm[T], **options: Unpack[Options]) -> T: ...
@overload
async def agenerate(
    model: Model, prompt: Prompt, target: None = None, *, tools: Tools | Iterable[Any], **options: Unpack[CallOptions]
) -> Message: ...
@overload
async def agenerate(
    model: Model, prompt: Prompt, target: Grammar | Mapping[str, Any] | bool, **options: Unpack[Options]
) -> Any: ...
async def agenerate(model: Model, prompt: Prompt, target: Any = None, **options: Unpack[ToolOptions]) -> Any:
    """As `generate`, in a thread, so that the event loop goes on meanwhile.

        ticket = await frisket.agenerate(model, "My card was charged twice", Triage)

    A task that is cancelled ends the answer after the token that is being made.
    """
    answer: AsyncStream[Any] = astream(model, prompt, target, **options)
    return (await answer.generation()).value()


def astream(model: Model, prompt: Prompt, target: Any = None, **options: Unpack[ToolOptions]) -> AsyncStream[Any]:
    """As `stream`, for `async for`; the prompt is read when the first step is asked for.

    async for step in (answer := frisket.astream(model, prompt, Triage)):
        print(step.text, end="", flush=True)
    ticket = (await answer.generation()).value()
    """
    begin: Callable[..., Stream[Any]] = stream
    return AsyncStream(lambda: begin(model, prompt, target, **options))


class AsyncStream(AsyncIterator[Step], Generic[T]):
    """Steps as they are made, each in a thread; one step at a time."""

    def __init__(self, begin: Callable[[], Stream[T]]) -> None:
        self._begin = begin
        self._stream: Stream[T] | None = None
        # A step that nobody waits for any longer is still being made: the next one has to wait for it.
        self._busy = threading.Lock()
        self._abandoned = False

    async def __anext__(self) -> Step:
        step = await self._in_thread(self._next)
        if step is None:
            raise StopAsyncIteration
        return step

    @property
    def text(self) -> str:
        """The text so far: whole characters, nothing that is taken back later."""
        return "" if self._stream is None else self._stream.text

    @property
    def value(self) -> Any:
        """The answer so far as a JSON value: see `Stream.value`."""
        return None if self._stream is None else self._stream.value

    async def generation(self) -> Generation[T]:
        """The result; makes the steps that are still to be made, in one thread."""
        result = await self._in_thread(self._rest)
        if result is None:
            raise asyncio.CancelledError("the answer was cancelled")
        return result

    async def _in_thread(self, call: Callable[[], R]) -> R:
        try:
            return await asyncio.to_thread(call)
        except asyncio.CancelledError:
            self._abandoned = True
            raise

    def _next(self) -> Step | None:
        with self._busy:
            if self._abandoned:
                return None
            if self._stream is None:
                self._stream = self._begin()
            # An exhausted iterator cannot say so through a future.
            return next(self._stream, None)

    def _rest(self) -> Generation[T] | None:
        while self._next() is not None:
            pass
        return None if self._abandoned or self._stream is None else self._stream.generation()


class ManyOptions(ToolOptions, total=False):
    """What `generate_many` takes by name, too."""

    strategy: Strategy | None


def generate_many(
    model: Model,
    prompts: Iterable[Prompt],
    targets: Any = None,
    *,
    workers: int = 2,
    on_done: Callable[[int, int], object] | None = None,
    return_errors: bool = False,
    **options: Unpack[ManyOptions],
) -> list[Any]:
    """The answers to many prompts or conversations, in their order.

        tickets = frisket.generate_many(model, letters, Triage, on_done=lambda done, total: print(f"{done}/{total}"))

    Options are those of `generate`, `tools` among them: each answer is then a `frisket.tools.Message`.

    `targets` is one target for all prompts (a list of texts is one: choices), or a list with one for each. `workers`
    threads take turns, so that one answer's grammar is compiled and masked while another's tokens are computed; each
    keeps a session of the model. `on_done` is called here, after each answer, with how many are done. The first error
    ends all, unless `return_errors` puts a FrisketError into the place of its answer.
    """
    if isinstance(prompts, str):
        raise TypeError("prompts are a list of texts, got str: write [prompt] for one")
    if not isinstance(prompts, Iterable):
        raise TypeError(f"prompts are a list of texts, got {kind(prompts)}")
    prompts = list(prompts)
    if any(isinstance(one, Mapping) for one in prompts):
        raise TypeError("prompts are a list of texts or conversations, got messages: write [messages] for one")
    each = _each(targets, len(prompts))
    if (tools := options.get("tools")) is not None and not isinstance(tools, Tools):
        # Each tool is compiled once, and an iterator is read once.
        options["tools"] = Tools(tools)
    check_integer("workers", workers)
    if workers < 1:
        raise ValueError(f"workers are at least 1, not {workers}")
    found: list[Any] = [None] * len(prompts)
    answer: Callable[..., Any] = generate
    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="frisket") as pool:
        waiting: dict[Future[Any], int] = {
            pool.submit(answer, model, prompt, target, **options): place
            for place, (prompt, target) in enumerate(zip(prompts, each, strict=True))
        }
        try:
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    place = waiting.pop(future)
                    error = future.exception()
                    if error is not None and not (return_errors and isinstance(error, FrisketError)):
                        raise error
                    found[place] = future.result() if error is None else error
                    if on_done is not None:
                        on_done(len(prompts) - len(waiting), len(prompts))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found


def _each(targets: Any, count: int) -> Sequence[Any]:
    """One target for each prompt."""
    if not isinstance(targets, list | tuple) or (targets and all(isinstance(one, str) for one in targets)):
        return [targets] * count
    if len(targets) != count:
        raise ValueError(f"{count} prompts have {len(targets)} targets: give one for all, or one for each")
    return targets
