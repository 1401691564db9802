"""Model × prompt × type → a value of that type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

from frisket.decoding.answer import Stream
from frisket.decoding.budget import Budget, OnBudget
from frisket.decoding.draft import drafter
from frisket.decoding.guard import Guard
from frisket.decoding.loop import Step, decode
from frisket.decoding.sampler import GREEDY, Sampler
from frisket.errors import BudgetError, LimitExceededError
from frisket.grammar import Grammar
from frisket.models.prompt import described, property_names

if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from frisket.description import Style
    from frisket.models.protocol import Model

T = TypeVar("T")


@overload
def generate(
    model: Model,
    prompt: str,
    target: type[T],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    wrap_up: float = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> T: ...
@overload
def generate(
    model: Model,
    prompt: str,
    target: list[str] | tuple[str, ...] | re.Pattern[str],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    wrap_up: float = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> str: ...
@overload
def generate(
    model: Model,
    prompt: str,
    target: TypeForm[T],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    wrap_up: float = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> T: ...
@overload
def generate(
    model: Model,
    prompt: str,
    target: Grammar | Mapping[str, Any] | bool,
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    wrap_up: float = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
    on_step: Callable[[Step], object] | None = ...,
    allow_partial: bool = ...,
) -> Any: ...
def generate(
    model: Model,
    prompt: str,
    target: Any,
    *,
    max_tokens: int = 512,
    on_budget: OnBudget = "finish",
    wrap_up: float = 0.0,
    min_tokens: int = 0,
    guard: Guard | None = None,
    sampler: Sampler = GREEDY,
    seed: int = 0,
    stop: Sequence[str] = (),
    jump_forward: bool = True,
    describe: bool | Style = False,
    on_step: Callable[[Step], object] | None = None,
    allow_partial: bool = False,
) -> Any:
    """The model's answer as a value: of the type `target`, parsed JSON for a schema (dict or bool), or the text.

        ticket = frisket.generate(frisket.models.embedded(), "My card was charged twice", Triage)

    `target` is a type (a class, `Literal["a", "b"]`, `int | None` …), a JSON Schema, a list of texts to choose from, a
    compiled regular expression or a Grammar. Greedy unless a `sampler` says otherwise; one `seed` is one answer.
    `on_step` sees every step as it is made.

    An answer is whole after `max_tokens` tokens at the latest, or fewer where the model's context ends: the masks keep
    only tokens after which it can still be finished. Where so few tokens finish no answer, BudgetError says how many
    would, before the model is asked. `wrap_up=0.2` makes it brief in the last fifth: tokens that make the rest longer
    lose 5 of their logit. `min_tokens` keeps the model from ending before, `guard=Guard()` from repeating itself.

    With `on_budget="cut"` the text ends where the tokens do. An answer that was cut (so, or by a stop string) before it
    was whole is a LimitExceededError, or with `allow_partial` the text as far as it got; `stream` returns everything
    that is known about it.

    `describe` writes the schema into the prompt, as `Grammar.describe` words it (True: as TypeScript), where the model
    otherwise reads the names of the properties alone.

    `jump_forward`: text that must come next is read in one call of the network with the token before it, where the
    model's sessions can (`DraftSession`). Each token is still the one that the sampler chooses from the model's logits,
    so answers stay what they are, as far as a network computes the same for tokens together as one by one.
    """

    def begin(on_budget: OnBudget) -> Stream[Any]:
        return stream(
            model,
            prompt,
            target,
            max_tokens=max_tokens,
            on_budget=on_budget,
            wrap_up=wrap_up if on_budget == "finish" else 0.0,
            min_tokens=min_tokens,
            guard=guard,
            sampler=sampler,
            seed=seed,
            stop=stop,
            jump_forward=jump_forward,
            describe=describe,
        )

    try:
        answer = begin(on_budget)
    except BudgetError:
        if not allow_partial:
            raise
        answer = begin("cut")
    for step in answer:
        if on_step is not None:
            on_step(step)
    result = answer.generation()
    if not result.whole and allow_partial:
        return result.text
    return result.value()


@overload
def stream(
    model: Model,
    prompt: str,
    target: type[T],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    wrap_up: float = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
) -> Stream[T]: ...
@overload
def stream(
    model: Model,
    prompt: str,
    target: list[str] | tuple[str, ...] | re.Pattern[str],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    wrap_up: float = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
) -> Stream[str]: ...
@overload
def stream(
    model: Model,
    prompt: str,
    target: TypeForm[T],
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    wrap_up: float = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
) -> Stream[T]: ...
@overload
def stream(
    model: Model,
    prompt: str,
    target: Grammar | Mapping[str, Any] | bool,
    *,
    max_tokens: int = ...,
    on_budget: OnBudget = ...,
    wrap_up: float = ...,
    min_tokens: int = ...,
    guard: Guard | None = ...,
    sampler: Sampler = ...,
    seed: int = ...,
    stop: Sequence[str] = ...,
    jump_forward: bool = ...,
    describe: bool | Style = ...,
) -> Stream[Any]: ...
def stream(
    model: Model,
    prompt: str,
    target: Any,
    *,
    max_tokens: int = 512,
    on_budget: OnBudget = "finish",
    wrap_up: float = 0.0,
    min_tokens: int = 0,
    guard: Guard | None = None,
    sampler: Sampler = GREEDY,
    seed: int = 0,
    stop: Sequence[str] = (),
    jump_forward: bool = True,
    describe: bool | Style = False,
) -> Stream[Any]:
    """An iterator over the steps of an answer; its `generation()` is the whole result.

        for step in (answer := frisket.stream(model, prompt, Triage)):
            print(step.text, end="", flush=True)
        ticket = answer.generation().value()

    The prompt is read at once, tokens are made as they are asked for.
    """
    grammar = target if isinstance(target, Grammar) else _grammar(target)
    keys = None if grammar.schema is None else property_names(grammar.schema)
    if describe:
        style: Style = "typescript" if describe is True else describe
        prompt, keys = described(prompt, style, grammar.describe(style)), None
    prompt_ids = model.encode(model.prompt(prompt, keys))
    room = model.context - len(prompt_ids)
    if room < 1:
        raise LimitExceededError(
            f"the prompt has {len(prompt_ids)} tokens; the model has room for {model.context}, the answer included",
            where="prompt",
            hint="shorten the prompt, or use a model with a longer context",
        )
    compiled = grammar.compile(model.vocabulary)
    limit = min(max_tokens, room)
    matcher = compiled.matcher()
    budget = Budget(max_tokens, on_budget, wrap_up, min_tokens, guard)
    budget = replace(budget, max_tokens=limit, min_tokens=min(min_tokens, limit))
    budget.check(matcher)
    session = model.start(prompt_ids)
    steps = decode(
        session,
        matcher,
        compiled.vocabulary,
        max_tokens=limit,
        on_budget=on_budget,
        wrap_up=wrap_up,
        min_tokens=budget.min_tokens,
        guard=guard,
        sampler=sampler,
        seed=seed,
        stop=stop,
        drafter=drafter(model, session) if jump_forward else None,
    )
    return Stream(steps, grammar, limit, matcher)


def _grammar(target: Any) -> Grammar:
    if isinstance(target, Mapping | bool):
        return Grammar.from_json_schema(target)
    if isinstance(target, re.Pattern):
        return Grammar.from_regex(target)
    if isinstance(target, list | tuple):
        return Grammar.from_choices(target)
    if isinstance(target, str):
        raise TypeError("a str is ambiguous here: use Grammar.from_json_schema, from_regex, or a list for choices")
    return Grammar.from_type(target)
