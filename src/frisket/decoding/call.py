"""Keyword arguments of `generate`, `stream`, `sample` and their twins → `Task`; all of them are read here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from frisket.decoding.argument import check_flags, check_limits, check_on_step, check_seed, check_strategy, stop_texts
from frisket.decoding.option_name import check_names
from frisket.decoding.request import ToolRequest, read_request
from frisket.decoding.task import Task
from frisket.errors import StrategyError

if TYPE_CHECKING:
    from frisket.models.protocol import Model
    from frisket.strategies import Strategy

#: Options that say how tools are called, and options that are fields of `Task`.
_TOOLS = {field.name for field in fields(ToolRequest)}
_TASK = {field.name for field in fields(Task)}


def read_task(call: str, model: Model, prompt: Any, target: Any, options: Mapping[str, Any]) -> Task:
    """The task of a call; TypeError, with the reason, for an option that is unknown or that this call cannot use."""
    check_names(call, options)
    check_seed(options.get("seed", 0))
    strategy = options.get("strategy")
    check_strategy(strategy)
    check_on_step(options.get("on_step"))
    asked = ToolRequest(**{name: value for name, value in options.items() if name in _TOOLS})
    check_flags(options)
    limits, describe = options.get("limits"), options.get("describe", False)
    check_limits(limits)
    said, grammar = read_request(model, prompt, target, asked, limits, describe=describe)
    kept = {name: value for name, value in options.items() if name in _TASK}
    kept["stop"] = stop_texts(kept.get("stop", ()))
    if call == "sample" or strategy is not None:
        kept.setdefault("on_budget", "cut")
    task = Task(model, said, grammar, **kept)
    if strategy is not None and not strategy.is_masked:
        _check_whole(task, strategy)
    return task


def _check_whole(task: Task, strategy: Strategy) -> None:
    """StrategyError for an option that works token by token, and so only in the decode loop."""
    name = next(
        (
            name
            for name, is_set in (
                ("on_budget", task.on_budget != "cut"),
                ("min_tokens", task.min_tokens != 0),
                ("guard", task.guard is not None),
            )
            if is_set
        ),
        None,
    )
    if name is not None:
        raise StrategyError(
            f"{type(strategy).__name__} compares whole answers, and {name} changes them token by token",
            where=name,
            hint=f"leave {name} out: an answer longer than max_tokens is cut or left out"
            if name == "on_budget"
            else f"leave {name} out, or bound the answer in its schema or grammar",
        )
