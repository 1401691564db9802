"""Names of keyword arguments → nothing, or a TypeError that says what to write instead.

Python names the argument that it does not know, and not the one that was meant.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

Call = TypeVar("Call", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

#: The slips of a call, or a function that returns them: a module may not import another only for its errors.
Slips = Mapping[str, str] | Callable[[], Mapping[str, str]]


def explained(call: str, name: str, value: object, taken: Iterable[str], slips: Mapping[str, str]) -> TypeError:
    """The error for an argument that a call does not take, with what to write instead.

    >>> explained("Sampler", "temp", 0.7, ["temperature", "top_k"], {})
    TypeError('Sampler takes no temp: do you mean temperature?')
    >>> explained("generate", "temperature", 0.7, [], {"temperature": "write sampler=Sampler({name}={value})"})
    TypeError('generate takes no temperature: write sampler=Sampler(temperature=0.7)')
    >>> explained("generate", "temprature", 0.7, [], {"temperature": "write sampler=Sampler({name}={value})"})
    TypeError('generate takes no temperature: write sampler=Sampler(temperature=0.7)')
    """
    taken = list(taken)
    if name in slips:
        shown = repr(value) if isinstance(value, str | int | float | list | tuple) else "…"
        return TypeError(f"{call} takes no {name}: {slips[name].format(name=name, value=shown)}")
    near = difflib.get_close_matches(name, taken, 1) or [one for one in taken if name in one or one in name]
    misspelt = difflib.get_close_matches(name, slips, 1)
    if misspelt and not near:
        return explained(call, misspelt[0], value, taken, slips)
    advice = f": do you mean {near[0]}?" if near else f"; it takes {', '.join(taken)}"
    return TypeError(f"{call} takes no {name}{advice}")


def unknown_limit(name: str, value: object) -> TypeError:
    """The error for an argument that Limits does not take."""
    seconds, tokens = "write seconds={value}", "write max_tokens={value} in the call of generate"
    slips = {"timeout": seconds, "time": seconds, "max_seconds": seconds, "max_tokens": tokens, "tokens": tokens}
    return explained("Limits", name, value, ["memory_bytes", "steps", "seconds", "cancellation"], slips)


def explain_slips(name: str, slips: Slips = {}) -> Callable[[Call], Call]:  # noqa: B006
    """A decorator: a keyword argument that the function does not take is told with what to write instead.

    >>> @explain_slips("greet", {"to": "write name={value}"})
    ... def greet(name: str) -> str:
    ...     return f"hello, {name}"
    >>> greet(to="Ada")
    Traceback (most recent call last):
    TypeError: greet takes no to: write name='Ada'

    A function that takes any keyword checks its own; this adds the slips of a call that lacks an argument. The slip `*`
    is that of a call with too many arguments by position, and `()` that of one without an argument that it needs.
    """

    def decorate(call: Call) -> Call:
        code = call.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        taken = [one for one in names if one not in ("self", "cls")]
        takes_others = code.co_flags & inspect.CO_VARKEYWORDS
        if name.endswith(f".{call.__name__}"):
            # Errors of Python's own name the class that programs know.
            call.__qualname__ = name

        @functools.wraps(call)
        def checked(*arguments: Any, **options: Any) -> Any:
            try:
                return call(*arguments, **options)
            except TypeError as error:
                known = slips() if callable(slips) else slips
                if len(arguments) > code.co_argcount and "*" in known:
                    raise TypeError(f"{name}: {known['*']}") from None
                for option, value in options.items():
                    if option in known if takes_others else option not in taken:
                        raise explained(name, option, value, taken, known) from None
                if "()" in known and f"{call.__name__}() missing" in str(error):
                    raise TypeError(f"{error}: {known['()']}") from None
                raise

        return cast("Call", checked)

    return decorate


def explain_fields(slips: Slips = {}) -> Callable[[Class], Class]:  # noqa: B006
    """A decorator of a dataclass: a field that it does not have is told with what to write instead."""

    def decorate(kind: Class) -> Class:
        kind.__init__ = explain_slips(kind.__name__, slips)(kind.__init__)  # type: ignore[misc]
        return kind

    return decorate
