"""Arguments of `generate`, `stream` and `sample` → nothing, or a TypeError that says what to pass instead.

They are checked before the model is called, since an error from deep inside would name things the caller never saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from frisket.decoding.guard import Guard
from frisket.decoding.sampler import Sampler
from frisket.language import Language
from frisket.limit import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from frisket.decoding.task import Task

#: Methods of a model that a task calls.
_METHODS = ("encode", "prompt", "start")


def check_task(task: Task) -> None:
    """TypeError if an argument of a task has the wrong type."""
    check_model(task.model, task.prompt)
    check_integer("max_tokens", task.max_tokens)
    check_integer("min_tokens", task.min_tokens)
    _check_instance("guard", task.guard, Guard, "Guard()")
    _check_instance("sampler", task.sampler, Sampler, "Sampler(temperature=0.7)")


def check_model(model: Any, prompt: Any) -> None:
    """TypeError unless this is a model."""
    if _is_model(model):
        if isinstance(prompt, type | Language) or (isinstance(prompt, Mapping) and "role" not in prompt):
            got = f"the class {prompt.__name__}" if isinstance(prompt, type) else kind(prompt)
            raise TypeError(f"the prompt comes second, then the target: got {got} as prompt")
        return
    if _is_model(prompt):
        raise TypeError(f"the model comes first, then the prompt: got {kind(model)} as model, {kind(prompt)} as prompt")
    if callable(model):
        advice = "call it, as in frisket.models.embedded()"
    elif isinstance(model, str):
        advice = "load it first, as in frisket.models.embedded() or frisket.models.transformers(path)"
    else:
        advice = "take one of frisket.models, such as models.transformers(model, tokenizer) for one of Hugging Face"
    raise TypeError(f"model is a frisket.models.Model, got {kind(model)}: {advice}")


def _is_model(value: Any) -> bool:
    return not isinstance(value, type) and all(hasattr(value, name) for name in _METHODS)


def check_integer(name: str, value: object) -> None:
    """TypeError unless this is an integer of Python or numpy. A bool is refused: `True` would mean one token."""
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        advice = ": leave it out for the default" if value is None else ""
        raise TypeError(f"{name} is an int, got {kind(value)}{advice}")


def check_flags(options: Mapping[str, Any]) -> None:
    """TypeError for a switch that is neither on nor off: Python would take the text `no` for on."""
    for name in ("heal", "jump_forward", "allow_partial"):
        if not isinstance(options.get(name), bool | None):
            raise TypeError(f"{name} is True or False, got {kind(options[name])}")


def check_limits(limits: object) -> None:
    """TypeError unless these are limits or None."""
    _check_instance("limits", limits, Limits, "Limits(seconds=1)")


def check_seed(seed: Any) -> None:
    """TypeError or ValueError unless this is a seed."""
    check_integer("seed", seed)
    if seed < 0:
        raise ValueError(f"seed is at least 0, not {seed}")


def check_strategy(strategy: object) -> None:
    """TypeError unless this is a strategy or None."""
    if strategy is not None:
        from frisket.strategies.strategy import Strategy

        _check_instance("strategy", strategy, Strategy, "strategies.Beams(4)")


def check_on_step(on_step: Callable[..., object] | None) -> None:
    """TypeError unless this is a function or None."""
    if on_step is not None and not callable(on_step):
        raise TypeError(f"on_step is a function that takes a Step, got {kind(on_step)}")


def stop_texts(stop: str | Iterable[str]) -> Sequence[str]:
    """The stop strings as a sequence; a single str is one stop string, not one for each of its letters.

    >>> stop_texts("END"), stop_texts(["a", "b"])
    (('END',), ('a', 'b'))
    """
    if isinstance(stop, str):
        return (stop,)
    if not isinstance(stop, Iterable) or isinstance(stop, bytes | Mapping):
        raise TypeError(f"stop is a text or a list of texts, got {kind(stop)}")
    texts = tuple(stop)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"stop is a text or a list of texts, got one of {kind(text)}")
    return texts


def kind(value: object) -> str:
    """How a message names an argument of the wrong type: by its class, or a class or function by its own name.

    >>> kind(5), kind(int), kind(kind)
    ('int', 'the class int', 'the function kind')
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if callable(value) and hasattr(value, "__name__"):
        return f"the function {value.__name__}"
    return type(value).__name__


def _check_instance(name: str, value: object, cls: type, example: str) -> None:
    if value is not None and not isinstance(value, cls):
        raise TypeError(f"{name} is a {cls.__name__}, got {kind(value)}: write {name}=frisket.{example}, for instance")
