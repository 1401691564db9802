"""Model × prompt × target → a value of what was asked for, or its steps."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from frisket.decoding.answer import Generation, Stream
from frisket.decoding.call import read_task
from frisket.decoding.draft import drafter
from frisket.decoding.loop import decode_from
from frisket.decoding.reading import Reading
from frisket.decoding.sampler import Sampler
from frisket.decoding.task import Beginning, Task

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack

    from frisket._core import Matcher
    from frisket.decoding.draft import Drafter
    from frisket.decoding.loop import FinishReason, Step
    from frisket.grammar import Grammar
    from frisket.models.protocol import Model
    from frisket.options import AllOptions, Options, Prompt, ToolOptions
    from frisket.tools import Message, Tools

T = TypeVar("T")


@overload
def generate(model: Model, prompt: Prompt, target: Grammar[T] | type[T], **options: Unpack[Options]) -> T: ...
@overload
def generate(
    model: Model, prompt: Prompt, target: list[str] | tuple[str, ...] | re.Pattern[str], **options: Unpack[Options]
) -> str: ...
@overload
def generate(model: Model, prompt: Prompt, target: TypeForm[T], **options: Unpack[Options]) -> T: ...
@overload
def generate(model: Model, prompt: Prompt, target: Mapping[str, Any] | bool, **options: Unpack[Options]) -> Any: ...
@overload
def generate(
    model: Model, prompt: Prompt, target: None = None, *, tools: Tools | Iterable[Any], **options: Unpack[ToolOptions]
) -> Message: ...
def generate(model: Model, prompt: Prompt, target: Any = None, **options: Unpack[AllOptions]) -> Any:
    """The model's answer as a value: of the type `target`, parsed JSON for a schema (dict or bool), or the text.

        ticket = frisket.generate(frisket.models.embedded(), "My card was charged twice", Triage)

    `target` is a type (a class, `Literal["a", "b"]`, `int | None` …), a JSON Schema, a list of texts to choose from, a
    compiled regular expression or a Grammar.

    `prompt` is a text, or the messages of a chat: dicts with `role` and `content`, messages of the openai package,
    answers of `tools=`. The model's chat template writes them; without one they are lines.

    `tools` are those that the model may call, in place of a `target`: functions, Pydantic models, or dicts as
    `frisket.tools` takes them. The prompt tells the model of them, and the answer is a `frisket.tools.Message`:

        answer = frisket.generate(model, [{"role": "user", "content": "Is it warm in Rome?"}], tools=[weather])

    `options` are those of `frisket.options`. Greedy unless a `sampler` or a `strategy` says otherwise. An answer is
    whole after `max_tokens` tokens at the latest. Where so few finish no answer, BudgetError says how many would,
    before the model is asked. An answer that a stop string or `on_budget="cut"` cut before it was whole is a
    LimitExceededError, or with `allow_partial` the text as far as it got; `stream` returns everything that is known
    about it.
    """
    task = read_task("generate", model, prompt, target, options)
    on_step = options.get("on_step")
    if (strategy := options.get("strategy")) is None:
        steps = begin_task(task, options)
        if on_step is not None:
            for step in steps:
                on_step(step)
        return answered(steps.generation(), options)
    result = strategy.answer(task, options.get("seed", 0))
    if on_step is not None:
        for step in result.steps:
            on_step(step)
    return answered(result, options)


@overload
def stream(model: Model, prompt: Prompt, target: Grammar[T] | type[T], **options: Unpack[Options]) -> Stream[T]: ...
@overload
def stream(
    model: Model, prompt: Prompt, target: list[str] | tuple[str, ...] | re.Pattern[str], **options: Unpack[Options]
) -> Stream[str]: ...
@overload
def stream(model: Model, prompt: Prompt, target: TypeForm[T], **options: Unpack[Options]) -> Stream[T]: ...
@overload
def stream(
    model: Model, prompt: Prompt, target: Mapping[str, Any] | bool, **options: Unpack[Options]
) -> Stream[Any]: ...
@overload
def stream(
    model: Model, prompt: Prompt, target: None = None, *, tools: Tools | Iterable[Any], **options: Unpack[ToolOptions]
) -> Stream[Message]: ...
def stream(model: Model, prompt: Prompt, target: Any = None, **options: Unpack[AllOptions]) -> Stream[Any]:
    """An iterator over the steps of an answer; its `generation()` is the whole result.

        for step in (answer := frisket.stream(model, prompt, Triage)):
            print(step.text, end="", flush=True)
        ticket = answer.generation().value()

    The prompt is read at once, tokens are made as they are asked for. `options` are those of `frisket.options`, but for
    `strategy`, `on_step` and `allow_partial`, which a stream cannot heed.
    """
    return begin_task(read_task("stream", model, prompt, target, options), options)


def begin_task(task: Task, options: Options) -> Stream[Any]:
    """The steps of the answer to a task, as the options of its call say."""
    return begin_stream(task, task.begin(partial=options.get("allow_partial", False)), options.get("seed", 0))


def answered(result: Generation[Any], options: Options) -> Any:
    """The value of an answer, or its text so far where that is welcome."""
    if options.get("allow_partial", False) and not result.whole:
        return result.text
    return result.value()


def begin_stream(task: Task, beginning: Beginning, seed: int) -> Stream[Any]:
    """The steps of one answer to a task by the decode loop, which from now on owns the session of its beginning."""
    session, matcher = beginning.session, beginning.compiled.matcher()
    draft = drafter(task.model, session) if task.jump_forward else None
    reading = Reading(session, None if draft is None else draft.pace)
    # The logits of a session never wait.
    steps = cast("Iterator[Step]", decode_task(task, beginning, seed, reading, matcher, draft))
    return Stream(steps, task.grammar, beginning.limit, matcher)


def decode_task(
    task: Task, beginning: Beginning, seed: int, reading: Reading, matcher: Matcher, draft: Drafter | None = None
) -> Generator[Step | None, None, FinishReason]:
    """The decode loop of one answer to a task, from a reading of the session of its beginning."""
    return decode_from(
        reading,
        matcher,
        task.vocabulary,
        beginning.budget,
        sampler=task.sampler or Sampler.GREEDY,
        seed=seed,
        stop=task.stop,
        drafter=draft,
        head=beginning.head,
    )
