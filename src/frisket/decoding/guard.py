"""Tokens so far → the tokens that would repeat a block of them once too often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from frisket.argument_name import explain_fields

#: Fields as other libraries name them → what to write instead.
_SLIPS = {
    **dict.fromkeys(("ngram", "n", "no_repeat_ngram_size", "window", "length", "block"), "write period={value}"),
    **dict.fromkeys(("repeat", "repeats", "max_repeats", "count", "limit"), "write times={value}"),
}


@explain_fields(_SLIPS)
@dataclass(frozen=True, slots=True)
class Guard:
    """Ends repetition: a block of at most `period` tokens comes at most `times` times in a row.

    >>> Guard(period=2, times=3).refused([5, 7, 8, 7, 8, 7, 8])
    {7}
    >>> Guard(period=2, times=3).refused([7, 8, 7, 8])
    set()

    A token is refused only where the grammar leaves another one.

    Blocks are compared token by token. So blanks or line breaks without end are no repetition if their tokens have
    different lengths, one space and then three; to take all blanks for equal would refuse tables and code, too. The
    grammar bounds them exactly: `JSONSchemaOptions(whitespace="compact")` or `max_whitespace` between values, and
    `maxLength` inside strings.
    """

    period: int = 64
    times: int = 4

    def __post_init__(self) -> None:
        for name in ("period", "times"):
            if not hasattr(type(getattr(self, name)), "__index__"):
                raise TypeError(f"{name} is an int, got {type(getattr(self, name)).__name__}")
        if self.period < 1 or self.times < 1:
            raise ValueError(f"period and times are at least 1, not {self.period} and {self.times}")

    def refused(self, history: Sequence[int]) -> set[int]:
        """The tokens that would begin one repetition too many."""
        refused = set()
        for length in range(1, min(self.period, len(history) // self.times) + 1):
            tail = history[-length * self.times :]
            # A block repeats where each token equals the one a block before it.
            if tail[length:] == tail[:-length]:
                refused.add(tail[-length])
        return refused
