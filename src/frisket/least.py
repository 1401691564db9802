"""How many tokens a text still takes: what `Matcher.least_tokens` returns."""

from dataclasses import dataclass


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
