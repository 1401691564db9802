"""Texts to choose from → regular node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from frisket.errors import EmptyGrammarError, GrammarSyntaxError

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

#: Limit steps per text, for sorting the texts.
_STEPS_PER_TEXT = 10


def lower_choices(builder: GrammarBuilder, choices: Sequence[str]) -> int:
    """A regular node of exactly these texts; repeats count once."""
    if isinstance(choices, str):
        raise TypeError("choices are several texts: write [text] for one")
    for place, choice in enumerate(choices):
        if not isinstance(choice, str):
            raise TypeError(f"choices are texts; number {place} is no text")
    if not choices:
        raise EmptyGrammarError("there is nothing to choose from", hint="give at least one text")
    builder.check(_STEPS_PER_TEXT * len(choices) + sum(map(len, choices)))
    return builder.words([_encoded(choice, place) for place, choice in enumerate(choices)])


def _encoded(choice: str, place: int) -> bytes:
    try:
        return choice.encode()
    except UnicodeEncodeError as error:
        raise GrammarSyntaxError(
            "a lone surrogate has no UTF-8 form", where=f"choice {place}, offset {error.start}", hint="leave it out"
        ) from None
