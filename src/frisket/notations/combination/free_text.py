"""Begins of tags, triggers and forbidden strings → which trigger a begin has; strings that can never be found.

The engine makes the nodes of free text.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from frisket._core import front_end
from frisket.errors import GrammarSyntaxError

if TYPE_CHECKING:
    from frisket.limit import Limits, Meter

#: Bytes copied per limit step.
_COPIED = 256


def trigger_of(begin: str, triggers: Container[str]) -> str:
    """The trigger that a tag starts with; KeyError if there is none."""
    for end in range(1, len(begin) + 1):
        if begin[:end] in triggers:
            return begin[:end]
    raise KeyError(begin)


def shortest(begins: Iterable[str]) -> list[str]:
    """The shortest begins of tags; every other begin starts with one of them, so they can serve as triggers."""
    found: dict[str, None] = {}
    for begin in sorted(set(begins), key=len):
        if not any(begin[:end] in found for end in range(1, len(begin))):
            found[begin] = None
    return list(found)


def spend_for(strings: Sequence[str], meter: Meter) -> None:
    """Spend the limits' steps and bytes for all prefixes and suffixes of the strings."""
    squares = sum(len(string) ** 2 for string in strings)
    meter.spend(sum(map(len, strings)) + squares // _COPIED, squares)


def check_strings(where: str, triggers: Sequence[str], forbidden: Sequence[str], limits: Limits | None) -> None:
    """GrammarSyntaxError for a string that can never be found, since another one always ends before it."""
    for kind, strings in (("trigger", triggers), ("forbidden string", forbidden)):
        for place, string in enumerate(strings):
            at = f"{where}, {kind} {place}"
            if not string:
                raise GrammarSyntaxError(f"a {kind} is empty", where=at, hint="every text holds the empty one")
            try:
                string.encode()
            except UnicodeEncodeError:
                raise GrammarSyntaxError("a lone surrogate has no UTF-8 form", where=at) from None
    try:
        front_end.check_strings(triggers, forbidden, limits)
    except front_end.Fault as fault:
        message, number, hint, _ = fault.args
        raise GrammarSyntaxError(message, where=f"{where}, trigger {number}", hint=hint) from None
