"""How many tokens a text still takes: what `Matcher.least_tokens` returns."""

from dataclasses import dataclass

#: Tokens of a median answer for each of the schema's shortest text, and at least. MaskBench: `benchmarks/answers.py`.
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
    """The number of tokens that suffice, special ones included, an end-of-sequence token not."""
    exact: bool
    """Whether no fewer suffice."""


def median_tokens(least: int) -> int:
    """Tokens of the median answer to a schema whose shortest text takes `least`: reasoning leaves them for it."""
    return max(MEDIAN_TIMES * least, MEDIAN_LEAST)
