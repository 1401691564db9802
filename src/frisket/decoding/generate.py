"""Model × prompt × target → a value of the target's type, or the steps of the answer."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from frisket.argument_name import explain_slips
from frisket.decoding.answer import Generation, Stream
from frisket.decoding.call import read_task
from frisket.decoding.draft import drafter
from frisket.decoding.loop import decode_from
from frisket.decoding.option_name import SLIPS
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
@explain_slips("generate", SLIPS)
def generate(model: Model, prompt: Prompt, target: Any = None, **options: Unpack[AllOptions]) -> Any:
    """The model's answer as a value: an object of a type, parsed JSON for a schema (dict or bool), else the text.

        ticket = frisket.generate(frisket.models.embedded(), "My card was charged twice", Triage)

    `model` is one of `frisket.models`, or an object of your own with the methods of `frisket.models.Model`.

    `target` is a type (a class, `Literal["a", "b"]`, `int | None` …), a JSON Schema, a list of texts to choose from, a
    compiled regular expression or a Grammar.

    `prompt` is a text, or the messages of a chat: dicts with `role` and `content`, messages of the openai package, or
    answers of `tools=`. The model's chat template renders them; without a template each message is a line.

    `tools`, in place of a `target`, are tools that the model may call: functions, Pydantic models, or dicts as
    `frisket.tools` takes them. The prompt describes them, and the answer is a `frisket.tools.Message`:

        answer = frisket.generate(model, [{"role": "user", "content": "Is it warm in Rome?"}], tools=[weather])

    `options` are those of `frisket.options`. Decoding is greedy unless a `sampler` or a `strategy` says otherwise. An
    answer is whole after at most `max_tokens` tokens. If no answer is that short, BudgetError says how many tokens are
    needed, before the model is called. An answer that a stop string or `on_budget="cut"` cuts raises
    LimitExceededError; with `allow_partial` the result is the text so far. `stream` returns all that is known about it.
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
@explain_slips("stream", SLIPS)
def stream(model: Model, prompt: Prompt, target: Any = None, **options: Unpack[AllOptions]) -> Stream[Any]:
    """An iterator over the steps of an answer; its `generation()` is the whole result.

        for step in (answer := frisket.stream(model, prompt, Triage)):
            print(step.text, end="", flush=True)
        ticket = answer.generation().value()

    The prompt is read at once, and each token is made when it is asked for. `options` are those of `frisket.options`,
    without `strategy`, `on_step` and `allow_partial`, which have no meaning for a stream.
    """
    return begin_task(read_task("stream", model, prompt, target, options), options)


def begin_task(task: Task, options: Options) -> Stream[Any]:
    """The steps of the answer to a task, under the options of the call."""
    return begin_stream(task, task.begin(partial=options.get("allow_partial", False)), options.get("seed", 0))


def answered(result: Generation[Any], options: Options) -> Any:
    """The value of an answer; the text of an answer that was cut, if the options allow a partial one."""
    if options.get("allow_partial", False) and not result.whole:
        return result.text
    return result.value()


def begin_stream(task: Task, beginning: Beginning, seed: int) -> Stream[Any]:
    """The steps of one answer by the decode loop, which owns the session of the beginning from now on."""
    session, matcher = beginning.session, beginning.compiled.matcher()
    draft = drafter(task.model, session) if task.jump_forward else None
    reading = Reading(session, None if draft is None else draft.pace)
    # None is yielded only where the logits wait for a batch, and the logits of a session never wait.
    steps = cast("Iterator[Step]", decode_task(task, beginning, seed, reading, matcher, draft))
    return Stream(steps, task.grammar, beginning.limit, matcher)


def decode_task(
    task: Task, beginning: Beginning, seed: int, reading: Reading, matcher: Matcher, draft: Drafter | None = None
) -> Generator[Step | None, None, FinishReason]:
    """The decode loop of one answer; `reading` reads the session of its beginning."""
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
