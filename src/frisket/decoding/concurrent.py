"""Model × prompts × types → values: in an event loop, or for many prompts at once."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, overload

from frisket.argument_name import explain_slips
from frisket.decoding.answer import Generation, Stream
from frisket.decoding.argument import check_integer, check_model, kind
from frisket.decoding.batch import answers
from frisket.decoding.call import read_task
from frisket.decoding.generate import answered, begin_task, generate
from frisket.decoding.loop import Step
from frisket.decoding.option_name import SLIPS, check_names
from frisket.decoding.progress import progress_bar
from frisket.decoding.request import read_prompt
from frisket.errors import FrisketError
from frisket.limit import Cancellation, Limits
from frisket.models.protocol import new_batch
from frisket.target import as_grammar
from frisket.tools import Tools

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack

    from frisket.events.event import Event
    from frisket.grammar import Grammar
    from frisket.models.protocol import Batch, Model
    from frisket.options import AllOptions, Options, Prompt, ToolOptions
    from frisket.tools import Message

T = TypeVar("T")
R = TypeVar("R")


@overload
async def agenerate(model: Model, prompt: Prompt, target: Grammar[T] | type[T], **options: Unpack[Options]) -> T: ...
@overload
async def agenerate(
    model: Model, prompt: Prompt, target: list[str] | tuple[str, ...] | re.Pattern[str], **options: Unpack[Options]
) -> str: ...
@overload
async def agenerate(model: Model, prompt: Prompt, target: TypeForm[T], **options: Unpack[Options]) -> T: ...
@overload
async def agenerate(
    model: Model, prompt: Prompt, target: Mapping[str, Any] | bool, **options: Unpack[Options]
) -> Any: ...
@overload
async def agenerate(
    model: Model, prompt: Prompt, target: None = None, *, tools: Tools | Iterable[Any], **options: Unpack[ToolOptions]
) -> Message: ...
async def agenerate(model: Model, prompt: Prompt, target: Any = None, **options: Unpack[AllOptions]) -> Any:
    """`generate` in a thread, so that the event loop goes on meanwhile.

        ticket = await frisket.agenerate(model, "My card was charged twice", Triage)

    A task that is cancelled ends the answer after the current token. It also ends the search of a strategy, unless
    `limits` have a cancellation of their own. `on_step` is called by the event loop.
    """
    check_names("agenerate", options)
    on_step = options.get("on_step")
    if (strategy := options.get("strategy")) is not None:
        cancellation = Cancellation()

        def search() -> Generation[Any]:
            task = read_task("agenerate", model, prompt, target, options)
            task = replace(task, limits=_cancelled_by(cancellation, task.limits))
            return strategy.answer(task, options.get("seed", 0))

        try:
            result = await asyncio.to_thread(search)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise
        if on_step is not None:
            for step in result.steps:
                on_step(step)
        return answered(result, options)
    answer: AsyncStream[Any] = _begin("agenerate", model, prompt, target, options)
    if on_step is not None:
        async for step in answer:
            on_step(step)
    return answered(await answer.generation(), options)


def _cancelled_by(cancellation: Cancellation, limits: Limits | None) -> Limits:
    """The limits with this cancellation; unchanged if they already have one."""
    if limits is None:
        return Limits(cancellation=cancellation)
    if limits.cancellation is not None:
        return limits
    return Limits(
        memory_bytes=limits.memory_bytes, steps=limits.steps, seconds=limits.seconds, cancellation=cancellation
    )


@overload
def astream(
    model: Model, prompt: Prompt, target: Grammar[T] | type[T], **options: Unpack[Options]
) -> AsyncStream[T]: ...
@overload
def astream(
    model: Model, prompt: Prompt, target: list[str] | tuple[str, ...] | re.Pattern[str], **options: Unpack[Options]
) -> AsyncStream[str]: ...
@overload
def astream(model: Model, prompt: Prompt, target: TypeForm[T], **options: Unpack[Options]) -> AsyncStream[T]: ...
@overload
def astream(
    model: Model, prompt: Prompt, target: Mapping[str, Any] | bool, **options: Unpack[Options]
) -> AsyncStream[Any]: ...
@overload
def astream(
    model: Model, prompt: Prompt, target: None = None, *, tools: Tools | Iterable[Any], **options: Unpack[ToolOptions]
) -> AsyncStream[Message]: ...
@explain_slips("astream", SLIPS)
def astream(model: Model, prompt: Prompt, target: Any = None, **options: Unpack[AllOptions]) -> AsyncStream[Any]:
    """`stream` for `async for`; the prompt is read when the first step is asked for.

    async for step in (answer := frisket.astream(model, prompt, Triage)):
        print(step.text, end="", flush=True)
    ticket = (await answer.generation()).value()
    """
    check_names("astream", options)
    return _begin("astream", model, prompt, target, options)


def _begin(call: str, model: Model, prompt: Prompt, target: Any, options: AllOptions) -> AsyncStream[Any]:
    return AsyncStream(lambda: begin_task(read_task(call, model, prompt, target, options), options))


class AsyncStream(AsyncIterator[Step], Generic[T]):
    """The steps of an answer as they are made, each in a thread, one step at a time."""

    def __init__(self, begin: Callable[[], Stream[T]]) -> None:
        self._begin = begin
        self._stream: Stream[T] | None = None
        self._events: Iterator[Event] | None = None
        # A step whose caller was cancelled goes on in its thread; the lock makes the next step wait for it.
        self._busy = threading.Lock()
        self._abandoned = False

    def __repr__(self) -> str:
        return f"<AsyncStream {'not begun' if self._stream is None else f'of {self._stream!r}'}>"

    async def __anext__(self) -> Step:
        step = await self._in_thread(self._next)
        if step is None:
            raise StopAsyncIteration
        return step

    @property
    def text(self) -> str:
        """The text so far: whole characters, none of which is taken back later."""
        return "" if self._stream is None else self._stream.text

    @property
    def value(self) -> Any:
        """The answer so far as a JSON value: see `Stream.value`."""
        return None if self._stream is None else self._stream.value

    @property
    def partial(self) -> T | None:
        """The answer so far as an object of the type that was asked for: see `Stream.partial`."""
        return None if self._stream is None else self._stream.partial

    async def events(self) -> AsyncIterator[Event]:
        """The events of the document while its steps are made, for `async for`: see `Stream.events`."""
        while (event := await self._in_thread(self._next_event)) is not None:
            yield event

    async def generation(self) -> Generation[T]:
        """The whole answer; makes the steps that are still missing, in one thread."""
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
            # StopIteration cannot pass through a future, so None marks the end.
            return None if self._abandoned else next(self._begun(), None)

    def _next_event(self) -> Event | None:
        with self._busy:
            if self._abandoned:
                return None
            if self._events is None:
                self._events = self._begun().events()
            return next(self._events, None)

    def _begun(self) -> Stream[T]:
        if self._stream is None:
            self._stream = self._begin()
        return self._stream

    def _rest(self) -> Generation[T] | None:
        while self._next() is not None:
            pass
        return None if self._abandoned or self._stream is None else self._stream.generation()


@overload
def generate_many(
    model: Model,
    prompts: Iterable[Prompt],
    targets: Grammar[T] | type[T],
    *,
    batch_size: int = ...,
    workers: int = ...,
    on_done: Callable[[int, int], object] | None = ...,
    progress: bool = ...,
    return_errors: Literal[False] = ...,
    **options: Unpack[Options],
) -> list[T]: ...
@overload
def generate_many(
    model: Model,
    prompts: Iterable[Prompt],
    targets: Any = ...,
    *,
    batch_size: int = ...,
    workers: int = ...,
    on_done: Callable[[int, int], object] | None = ...,
    progress: bool = ...,
    return_errors: bool = ...,
    **options: Unpack[AllOptions],
) -> list[Any]: ...
def generate_many(
    model: Model,
    prompts: Iterable[Prompt],
    targets: Any = None,
    *,
    batch_size: int = 16,
    workers: int = 2,
    on_done: Callable[[int, int], object] | None = None,
    progress: bool = False,
    return_errors: bool = False,
    **options: Unpack[AllOptions],
) -> list[Any]:
    """The answers to many prompts or conversations, in the order of the prompts.

        tickets = frisket.generate_many(model, letters, Triage, on_done=lambda done, total: print(f"{done}/{total}"))

    `options` are those of `generate`, without `on_step`. With `tools` each answer is a `frisket.tools.Message`.

    Where the model has batches (`embedded`, `smollm2`, `gguf` and `transformers`, if the network allows it), one call
    of the network reads the next tokens of up to `batch_size` answers. The next prompt takes the place of an answer
    that has ended. A beginning that prompts share with the first one is read once. The answers are those of `generate`
    with the same seed, if the network computes the same for one sequence as for several. `jump_forward` has no effect.

    Without batches, with a `strategy`, or with `batch_size=1`, `workers` threads take turns: one answer's grammar is
    compiled and masked while another's tokens are computed. Each thread keeps a session of the model.

    `on_done(done, total)` is called in this thread after each answer. `progress` shows a bar on stderr, if that is a
    terminal; it needs the package rich, of the extra `cli`. The first error ends the call, unless `return_errors` puts
    each FrisketError into the place of its answer. The `index` of a FrisketError says which prompt failed; any other
    error says it in a note.
    """
    check_names("generate_many", options)
    if isinstance(prompts, str):
        raise TypeError("prompts are a list of texts, got str: write [prompt] for one")
    if not isinstance(prompts, Iterable):
        raise TypeError(f"prompts are a list of texts, got {kind(prompts)}")
    prompts = list(prompts)
    if any(isinstance(one, Mapping) for one in prompts):
        raise TypeError("prompts are a list of texts or conversations, got messages: write [messages] for one")
    each = _read_early(
        model, prompts, _target_per_prompt(targets, len(prompts), options.get("limits")), options, return_errors
    )
    if (tools := options.get("tools")) is not None and not isinstance(tools, Tools):
        # The tools are compiled once for all prompts, and read once, since they may be an iterator.
        options["tools"] = Tools(tools)
    for name, value in (("workers", workers), ("batch_size", batch_size)):
        check_integer(name, value)
        if value < 1:
            raise ValueError(f"{name} is at least 1, not {value}")
    found: list[Any] = [None] * len(prompts)
    # A strategy opens sessions of its own at many positions of one answer.
    batch = new_batch(model) if batch_size > 1 < len(prompts) and options.get("strategy") is None else None
    outcomes = (
        _in_threads(model, prompts, each, workers, options)
        if batch is None
        else _in_batches(batch, model, prompts, each, batch_size, options)
    )
    bar = progress_bar(len(prompts)) if progress else contextlib.nullcontext()
    with bar as show, contextlib.closing(outcomes):
        for done, (place, value, error) in enumerate(outcomes, 1):
            if error is not None:
                _name_prompt(error, place)
                if not (return_errors and isinstance(error, FrisketError)):
                    raise error
            found[place] = value if error is None else error
            if show is not None:
                show(done)
            if on_done is not None:
                on_done(done, len(prompts))
    return found


#: For each prompt: its number, its answer, and the error if there is no answer.
_Outcomes: TypeAlias = "Generator[tuple[int, Any, BaseException | None], None, None]"


def _in_threads(
    model: Model, prompts: Sequence[Prompt], targets: Sequence[Any], workers: int, options: AllOptions
) -> _Outcomes:
    """The outcomes of `generate`, called in several threads; each is yielded when it is done."""
    answer: Callable[..., Any] = generate
    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="frisket") as pool:
        waiting: dict[Future[Any], int] = {
            pool.submit(answer, model, prompt, target, **options): place
            for place, (prompt, target) in enumerate(zip(prompts, targets, strict=True))
        }
        try:
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    place, error = waiting.pop(future), future.exception()
                    yield place, future.result() if error is None else None, error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _in_batches(
    batch: Batch, model: Model, prompts: Sequence[Prompt], targets: Sequence[Any], size: int, options: AllOptions
) -> _Outcomes:
    """The outcomes of prompts that are written in one batch; each is yielded when it is done."""
    tasks = (
        (place, partial(read_task, "generate", model, prompt, target, options))
        for place, (prompt, target) in enumerate(zip(prompts, targets, strict=True))
    )
    yield from answers(batch, tasks, size, options)


def _read_early(
    model: Model, prompts: Sequence[Prompt], targets: Sequence[Any], options: AllOptions, return_errors: bool
) -> list[Any]:
    """The targets as grammars. Raises the errors that would end the call, before the model writes a token in vain.

    With `return_errors`, a bad target stays as it is: its error comes again in its turn, and takes its place.
    """
    known: dict[int, Grammar] = {}
    read = list(targets)
    for place, (prompt, target) in enumerate(zip(prompts, targets, strict=True)):
        try:
            check_model(model, prompt)
            read_prompt(prompt)
            if target is not None:
                if id(target) not in known:
                    known[id(target)] = as_grammar(target, options.get("limits"))
                read[place] = known[id(target)]
        except Exception as error:
            _name_prompt(error, place)
            if not (return_errors and isinstance(error, FrisketError)):
                raise
    return read


def _name_prompt(error: BaseException, index: int) -> None:
    """Note in an error which prompt failed."""
    if isinstance(error, FrisketError):
        error.index = index
    elif hasattr(error, "add_note"):  # from Python 3.11 on
        error.add_note(f"in the answer to prompt {index}")


def _target_per_prompt(targets: Any, count: int, limits: Limits | None) -> Sequence[Any]:
    """One target for each prompt; a target that all prompts share is made into a grammar once."""
    if not isinstance(targets, list | tuple) or (targets and all(isinstance(one, str) for one in targets)):
        # A bad target fails again for each prompt, where `return_errors` can put its error into the results.
        with contextlib.suppress(FrisketError, TypeError):
            targets = targets if targets is None else as_grammar(targets, limits)
        return [targets] * count
    if len(targets) != count:
        raise ValueError(f"{count} prompts have {len(targets)} targets: give one for all, or one for each")
    return targets
