"""Model × prompt × type × Strategy → several answers with weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket.decoding.argument import check_integer, check_seed, check_strategy, stop_texts
from frisket.decoding.request import ToolRequest, read_request
from frisket.decoding.sampler import Sampler
from frisket.decoding.task import Task
from frisket.strategies.masked import Masked, pooled
from frisket.strategies.strategy import Answers, Strategy, nothing_found

if TYPE_CHECKING:
    from frisket.decoding.request import Prompt
    from frisket.description import Style
    from frisket.limit import Limits
    from frisket.models.protocol import Model
    from frisket.thinking import Mode
    from frisket.tools import Family, Tools


def sample(
    model: Model,
    prompt: Prompt,
    target: Any = None,
    n: int = 1,
    strategy: Strategy | None = None,
    *,
    tools: Tools | Iterable[Any] | None = None,
    choice: str = "auto",
    parallel: bool = True,
    final: Any = None,
    thinking: Mode = "auto",
    family: str | Family | None = None,
    max_tokens: int = 512,
    sampler: Sampler | None = None,
    seed: int = 0,
    stop: str | Sequence[str] = (),
    jump_forward: bool = True,
    describe: bool | Style = False,
    limits: Limits | None = None,
    heal: bool = False,
) -> Answers:
    """Answers of `n` runs of a strategy: a list of `Weighted` answers, whose `weights` have the sum 1.

        for one in frisket.sample(model, "My card was charged twice", Triage, 20, frisket.strategies.Exact()):
            print(one.value.value(), one.value.logprob)

    `prompt`, `target`, `tools` and the options are those of `generate`. A run of `Exact`, `Best` or `Draft` is one
    answer. A run of `Particles` is all of its particles, and a run of `Beams` all answers that were found; their
    weights say which matter. Without a strategy, answers are drawn under the mask and weighted by Π α. All runs read
    the prompt once, and those of `Exact` share what they learn.

    Answers are drawn from the model's own distribution, unless there is a `sampler`.
    """
    check_integer("n", n)
    check_seed(seed)
    check_strategy(strategy)
    if n < 1:
        raise ValueError(f"there is at least 1 run, not {n}")
    asked = ToolRequest(tools, choice, parallel, final, thinking, family)
    said, grammar = read_request(model, prompt, target, asked, limits, describe=describe)
    task = Task(
        model,
        said,
        grammar,
        max_tokens=max_tokens,
        on_budget="cut",
        sampler=sampler,
        stop=stop_texts(stop),
        jump_forward=jump_forward,
        describe=describe,
        limits=limits,
        heal=heal,
    )
    if strategy is None:
        strategy = Masked()
        task = replace(task, sampler=sampler or Sampler())
    found = pooled(strategy.search(task, n, np.random.default_rng(seed)))
    if not found:
        raise nothing_found()
    return found
