"""Model × prompt × type → a value of that type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from frisket.decoding.answer import Stream
from frisket.decoding.argument import check_on_step, check_seed, check_strategy, stop_texts
from frisket.decoding.budget import OnBudget
from frisket.decoding.draft import drafter
from frisket.decoding.guard import Guard
from frisket.decoding.loop import Step, decode
from frisket.decoding.request import ToolRequest, read_request
from frisket.decoding.sampler import Sampler
from frisket.decoding.task import Beginning, Task

if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from frisket.decoding.request import Prompt
    from frisket.description import Style
    from frisket.grammar import Grammar
    from frisket.limit import Limits
    from frisket.models.protocol import Model
    from frisket.strategies import Strategy
    from frisket.thinking import Mode
    from frisket.tools import Family, Message, Tools

T = TypeVar("T")


@overload
def generate(
    model: Model,
    prompt: Prompt,
    target: type[T],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler | None = ...,
    seed: int = ...,
    stop: str | Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    limits: Limits | None = ...,
    heal: bool = ...,
    strategy: Strategy | None = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> T: ...
@overload
def generate(
    model: Model,
    prompt: Prompt,
    target: list[str] | tuple[str, ...] | re.Pattern[str],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler | None = ...,
    seed: int = ...,
    stop: str | Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    limits: Limits | None = ...,
    heal: bool = ...,
    strategy: Strategy | None = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> str: ...
@overload
def generate(
    model: Model,
    prompt: Prompt,
    target: TypeForm[T],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler | None = ...,
    seed: int = ...,
    stop: str | Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    limits: Limits | None = ...,
    heal: bool = ...,
    strategy: Strategy | None = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> T: ...
@overload
def generate(
    model: Model,
    prompt: Prompt,
    target: Grammar | Mapping[str, Any] | bool,
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler | None = ...,
    seed: int = ...,
    stop: str | Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    limits: Limits | None = ...,
    heal: bool = ...,
    strategy: Strategy | None = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> Any: ...
@overload
def generate(
    model: Model,
    prompt: Prompt,
    target: None = ...,
    *,
    tools: Tools | Iterable[Any],
    choice: str = ...,
    parallel: bool = ...,
    final: Any = ...,
    thinking: Mode = ...,
    family: str | Family | None = ...,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler | None = ...,
    seed: int = ...,
    stop: str | Sequence[str] = ...,
    jump_forward: bool = ...,
    limits: Limits | None = ...,
    heal: bool = ...,
    strategy: Strategy | None = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> Message: ...
def generate(
    model: Model,
    prompt: Prompt,
    target: Any = None,
    *,
    tools: Tools | Iterable[Any] | None = None,
    choice: str = "auto",
    parallel: bool = True,
    final: Any = None,
    thinking: Mode = "auto",
    family: str | Family | None = None,
    max_tokens: int = 512,
    on_budget: OnBudget = "finish",
    min_tokens: int = 0,
    guard: Guard | None = None,
    sampler: Sampler | None = None,
    seed: int = 0,
    stop: str | Sequence[str] = (),
    jump_forward: bool = True,
    describe: bool | Style = False,
    limits: Limits | None = None,
    heal: bool = False,
    strategy: Strategy | None = None,
    on_step: Callable[[Step], object] | None = None,
    allow_partial: bool = False,
) -> Any:
    """The model's answer as a value: of the type `target`, parsed JSON for a schema (dict or bool), or the text.

        ticket = frisket.generate(frisket.models.embedded(), "My card was charged twice", Triage)

    `target` is a type (a class, `Literal["a", "b"]`, `int | None` …), a JSON Schema, a list of texts to choose from, a
    compiled regular expression or a Grammar. Greedy unless a `sampler` (`Sampler(temperature=0.7)`) or the `strategy`
    says otherwise; one `seed` is one answer. The text ends before a `stop`, which is one text or several. `on_step`
    sees every step as it is made.

    `prompt` is a text, or the messages of a chat: dicts with `role` and `content`, messages of the openai package,
    answers of `tools=`. The model's chat template writes them; without one they are lines.

    `tools` are those that the model may call, in place of a `target`: functions, Pydantic models, or dicts as
    `frisket.tools` takes them. The prompt tells the model of them, and the answer is a `frisket.tools.Message`:

        answer = frisket.generate(model, [{"role": "user", "content": "Is it warm in Rome?"}], tools=[weather])

    `choice`, `parallel`, `final` and `thinking` are those of `Grammar.from_tools`. `family` is the format of calls: its
    name, a model's id or a `Family`. Without it, the chat template tells the format; a model whose template knows no
    tools is told of `hermes`.

    An answer is whole after `max_tokens` tokens at the latest, or fewer where the model's context ends: the masks keep
    only tokens after which it can still be finished. Where so few tokens finish no answer, BudgetError says how many
    would, before the model is asked. `min_tokens` keeps the model from ending before, `guard=Guard()` from repeating
    itself.

    With `on_budget="cut"` the text ends where the tokens do. An answer that was cut (so, or by a stop string) before it
    was whole is a LimitExceededError, or with `allow_partial` the text as far as it got; `stream` returns everything
    that is known about it.

    `describe` writes the schema into the prompt, as `Grammar.describe` words it (True: as TypeScript), where the model
    otherwise reads the names of the properties alone.

    `limits` bound the grammar of a target that is none yet, its description and every call of its matchers; their
    cancellation ends the answer at the next token.

    `strategy`: how whole answers are found, where token by token under the mask is not enough: `Exact`, `Particles`,
    `Beams`, `Best`, `Draft`, or one of them within another. An answer longer than `max_tokens` is then cut or left out.
    `on_step` sees the steps of the answer that was chosen, once it is. `sample` returns several answers with their
    weights.

    `heal`: the last tokens of the prompt that some longer token begins with are taken back, and the answer's first
    tokens spell them again as the model prefers; the answer is the text after the prompt as ever.

    `jump_forward`: text that must come next is read in one call of the network with the token before it, where the
    model's sessions can (`DraftSession`). Each token is still the one that the sampler chooses from the model's logits,
    so answers stay what they are, as far as a network computes the same for tokens together as one by one.
    """
    check_seed(seed)
    check_strategy(strategy)
    check_on_step(on_step)
    asked = ToolRequest(tools, choice, parallel, final, thinking, family)
    said, grammar = read_request(model, prompt, target, asked, limits, describe=describe)
    task = Task(
        model,
        said,
        grammar,
        max_tokens=max_tokens,
        on_budget=on_budget if strategy is None else "cut",
        min_tokens=min_tokens,
        guard=guard,
        sampler=sampler,
        stop=stop_texts(stop),
        jump_forward=jump_forward,
        describe=describe,
        limits=limits,
        heal=heal,
    )
    if strategy is None:
        answer = begin_stream(task, task.begin(partial=allow_partial), seed)
        for step in answer:
            if on_step is not None:
                on_step(step)
        result = answer.generation()
    else:
        result = strategy.answer(task, seed)
        if on_step is not None:
            for step in result.steps:
                on_step(step)
    if not result.whole and allow_partial:
        return result.text
    return result.value()


@overload
def stream(
    model: Model,
    prompt: Prompt,
    target: type[T],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler | None = ...,
    seed: int = ...,
    stop: str | Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    limits: Limits | None = ...,
    heal: bool = ...,
) -> Stream[T]: ...
@overload
def stream(
    model: Model,
    prompt: Prompt,
    target: list[str] | tuple[str, ...] | re.Pattern[str],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler | None = ...,
    seed: int = ...,
    stop: str | Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    limits: Limits | None = ...,
    heal: bool = ...,
) -> Stream[str]: ...
@overload
def stream(
    model: Model,
    prompt: Prompt,
    target: TypeForm[T],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler | None = ...,
    seed: int = ...,
    stop: str | Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    limits: Limits | None = ...,
    heal: bool = ...,
) -> Stream[T]: ...
@overload
def stream(
    model: Model,
    prompt: Prompt,
    target: Grammar | Mapping[str, Any] | bool,
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler | None = ...,
    seed: int = ...,
    stop: str | Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    limits: Limits | None = ...,
    heal: bool = ...,
) -> Stream[Any]: ...
@overload
def stream(
    model: Model,
    prompt: Prompt,
    target: None = ...,
    *,
    tools: Tools | Iterable[Any],
    choice: str = ...,
    parallel: bool = ...,
    final: Any = ...,
    thinking: Mode = ...,
    family: str | Family | None = ...,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler | None = ...,
    seed: int = ...,
    stop: str | Sequence[str] = ...,
    jump_forward: bool = ...,
    limits: Limits | None = ...,
    heal: bool = ...,
) -> Stream[Message]: ...
def stream(
    model: Model,
    prompt: Prompt,
    target: Any = None,
    *,
    tools: Tools | Iterable[Any] | None = None,
    choice: str = "auto",
    parallel: bool = True,
    final: Any = None,
    thinking: Mode = "auto",
    family: str | Family | None = None,
    max_tokens: int = 512,
    on_budget: OnBudget = "finish",
    min_tokens: int = 0,
    guard: Guard | None = None,
    sampler: Sampler | None = None,
    seed: int = 0,
    stop: str | Sequence[str] = (),
    jump_forward: bool = True,
    describe: bool | Style = False,
    limits: Limits | None = None,
    heal: bool = False,
) -> Stream[Any]:
    """An iterator over the steps of an answer; its `generation()` is the whole result.

        for step in (answer := frisket.stream(model, prompt, Triage)):
            print(step.text, end="", flush=True)
        ticket = answer.generation().value()

    The prompt is read at once, tokens are made as they are asked for.
    """
    check_seed(seed)
    asked = ToolRequest(tools, choice, parallel, final, thinking, family)
    said, grammar = read_request(model, prompt, target, asked, limits, describe=describe)
    task = Task(
        model,
        said,
        grammar,
        max_tokens=max_tokens,
        on_budget=on_budget,
        min_tokens=min_tokens,
        guard=guard,
        sampler=sampler,
        stop=stop_texts(stop),
        jump_forward=jump_forward,
        describe=describe,
        limits=limits,
        heal=heal,
    )
    return begin_stream(task, task.begin(), seed)


def begin_stream(task: Task, beginning: Beginning, seed: int) -> Stream[Any]:
    """The steps of one answer to a task by the decode loop, which from now on owns the session of its beginning."""
    session, matcher = beginning.session, beginning.compiled.matcher()
    steps = decode(
        session,
        matcher,
        task.vocabulary,
        beginning.budget,
        sampler=task.sampler or Sampler.GREEDY,
        seed=seed,
        stop=task.stop,
        drafter=drafter(task.model, session) if task.jump_forward else None,
        head=beginning.head,
    )
    return Stream(steps, task.grammar, beginning.limit, matcher)
