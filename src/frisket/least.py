"""Tokens of the shortest answer known → those of a median one."""

#: A median answer has this many times the tokens of the shortest, and at least so many (MaskBench:
#: `benchmarks/answers.py`).
MEDIAN_TIMES, MEDIAN_LEAST = 4, 64


def median_tokens(least: int) -> int:
    """Tokens of the median answer to a schema whose shortest text takes `least`; reasoning leaves this many."""
    return max(MEDIAN_TIMES * least, MEDIAN_LEAST)
