"""Model × prompt × target × Strategy → several answers with weights."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from frisket import Sampler
from frisket.extension import check_integer, read_task
from frisket.strategies.masked import Masked, pooled
from frisket.strategies.strategy import nothing_found

if TYPE_CHECKING:
    from typing_extensions import TypeForm, Unpack

    from frisket import Generation, Grammar
    from frisket.models import Model
    from frisket.options import AllOptions, Options, Prompt, ToolOptions
    from frisket.strategies.weighted import Samples
    from frisket.tools import Message, Tools

T = TypeVar("T")


@overload
def sample(
    model: Model, prompt: Prompt, target: Grammar[T] | type[T], n: int = 1, **options: Unpack[Options]
) -> Samples[Generation[T]]: ...
@overload
def sample(
    model: Model,
    prompt: Prompt,
    target: list[str] | tuple[str, ...] | re.Pattern[str],
    n: int = 1,
    **options: Unpack[Options],
) -> Samples[Generation[str]]: ...
@overload
def sample(
    model: Model, prompt: Prompt, target: TypeForm[T], n: int = 1, **options: Unpack[Options]
) -> Samples[Generation[T]]: ...
@overload
def sample(
    model: Model, prompt: Prompt, target: Mapping[str, Any] | bool, n: int = 1, **options: Unpack[Options]
) -> Samples[Generation[Any]]: ...
@overload
def sample(
    model: Model,
    prompt: Prompt,
    target: None = None,
    n: int = 1,
    *,
    tools: Tools | Iterable[Any],
    **options: Unpack[ToolOptions],
) -> Samples[Generation[Message]]: ...
def sample(
    model: Model, prompt: Prompt, target: Any = None, n: int = 1, **options: Unpack[AllOptions]
) -> Samples[Generation[Any]]:
    """The answers of `n` runs of a strategy: a list of `Weighted` answers, whose `weights` have the sum 1.

        for one in frisket.sample(model, "My card was charged twice", Triage, 20, strategy=Exact()):
            print(one.value.value(), one.value.logprob)

    `prompt`, `target`, `tools` and `options` are those of `generate`, without `on_step` and `allow_partial`. A run of
    `Exact`, `Best` or `Draft` gives one answer, a run of `Particles` all of its particles, and a run of `Beams` all
    answers that it found; their weights say how much each counts. Without a strategy, answers are drawn under the mask
    and weighted by Π α. The prompt is read once for all runs, and runs of `Exact` share what they learn.

    Answers are drawn from the model's own distribution, unless a `sampler` is given.
    """
    check_integer("n", n)
    if n < 1:
        raise ValueError(f"there is at least 1 run, not {n}")
    task = read_task("sample", model, prompt, target, options)
    strategy = options.get("strategy")
    if strategy is None:
        strategy, task = Masked(), replace(task, sampler=task.sampler or Sampler())
    found = pooled(strategy.search(task, n, np.random.default_rng(options.get("seed", 0))))
    if not found:
        raise nothing_found()
    return found
