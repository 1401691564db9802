"""How many tokens a text still needs: the result of `Matcher.least_tokens`."""

from dataclasses import dataclass

#: A median answer has this many times the tokens of the shortest, and at least so many (MaskBench:
#: `benchmarks/answers.py`).
MEDIAN_TIMES, MEDIAN_LEAST = 4, 64


@dataclass(frozen=True)
class Least:
    """The fewest tokens after which a text may end.

    >>> import frisket
    >>> grammar = frisket.Grammar.from_regex("[0-9]{3}")
    >>> digits = frisket.Vocabulary.from_bytes([b"0", b"12", None], eos=[2])
    >>> grammar.compile(digits).matcher().least_tokens()
    Least(count=2, exact=True)
    """

    count: int
    """A number of tokens that suffices; special tokens count, an end-of-sequence token does not."""
    exact: bool
    """Whether no smaller number suffices."""


def median_tokens(least: int) -> int:
    """Tokens of the median answer to a schema whose shortest text takes `least`; reasoning leaves this many."""
    return max(MEDIAN_TIMES * least, MEDIAN_LEAST)
