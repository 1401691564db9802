"""Inputs made to hurt: answered, or refused by a limit that is named, in a bounded number of steps."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from frisket import Grammar, Limits
from frisket._core import GrammarBuilder, Vocabulary
from frisket.errors import LimitExceededError

VOCABULARY = Vocabulary([*(bytes([value]) for value in range(256)), None], eos=[256])


def test_counts_of_counts_are_the_sums_of_their_parts() -> None:
    """(a{low,high}){least,most} and a third count around it, for all small counts."""
    spans = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (0, None), (1, None), (2, None)]
    top = 14

    def counts(inner: set[int], low: int, high: int | None) -> set[int]:
        reached, all_reached = {0}, {0} if low == 0 else set()
        for copies in range(1, (top + 1 if high is None else high) + 1):
            reached = {a + b for a in reached for b in inner if a + b <= top}
            all_reached |= reached if copies >= low else set()
        return all_reached

    for first, second, third in product(spans, repeat=3):
        builder = GrammarBuilder()
        node, expected = builder.literal(b"a"), {1}
        for low, high in (first, second, third):
            node, expected = builder.repeat(node, low, high), counts(expected, low, high)
        found = {length for length in range(top + 1) if builder.accepts(node, b"a" * length)}
        assert found == expected, (first, second, third)


def test_nested_counts_stay_small() -> None:
    compiled = Grammar.from_regex("((a{0,100}){0,100}){0,100}").compile(VOCABULARY)
    matcher = compiled.matcher()
    for _ in range(300):
        matcher.advance(ord("a"))
        assert matcher.allowed() == [ord("a"), 256]
    assert compiled.memory_bytes < 10_000_000


def test_a_chain_of_dependencies_is_followed_to_its_end() -> None:
    names = [f"p{number:03}" for number in range(400)]
    chain = {"dependentRequired": {one: [two] for one, two in pairwise(names)}}
    schema = {"type": "object", "properties": {name: {"const": 1} for name in names}, **chain}
    matcher = Grammar.from_json_schema(schema).compile(VOCABULARY).matcher()
    for name in names[-3:]:
        matcher.advance_bytes(b'%b"%b":1' % (b"{" if name == names[-3] else b",", name.encode()))
        assert matcher.try_advance(ord("}")) == (name == names[-1])


def test_a_dependency_on_what_cannot_come_cannot_come_either() -> None:
    names = [f"p{number}" for number in range(50)]
    chain = {"dependentRequired": {one: [two] for one, two in pairwise(names)}}
    properties = {name: {"const": 1} for name in names[:-1]} | {names[-1]: False, "free": {"const": 1}}
    grammar = Grammar.from_json_schema({"type": "object", "properties": properties, **chain})
    assert grammar.accepts("{}") and grammar.accepts('{"free":1}')
    assert not any(grammar.accepts_prefix(f'{{"{name}"') for name in names)


@pytest.mark.parametrize("pattern", ["ab?" * 20_000, "(?:a|b)" * 20_000, "[a-z]{1,9}" * 5_000])
def test_long_chains_are_walked_without_recursion(pattern: str) -> None:
    grammar = Grammar.from_regex(pattern)
    assert grammar.accepts_prefix("aaaa" if "?" in pattern else "abab")


def test_a_long_run_of_what_may_be_left_out_is_refused_not_overflown() -> None:
    builder = GrammarBuilder()
    letters = [builder.repeat(builder.literal(bytes([97 + place % 26])), 0, 1) for place in range(50_000)]
    with pytest.raises(LimitExceededError, match="nesting"):
        builder.cat(letters)
    rules = [builder.rule(f"r{place}") for place in range(20_000)]
    for rule in rules:
        builder.define(rule, builder.alt([builder.epsilon(), builder.special("x")]))
    row = builder.seq([*rules, builder.literal(b"end")])
    assert builder.build(row).accepts(b"end")


def test_braces_that_bound_nothing_are_text_however_many_they_are() -> None:
    for many in ("{" * 5_000, "{1" * 3_000, "{1,,2}" * 1_000):
        grammar = Grammar.from_json_schema({"type": "string", "pattern": f"^{many}$"})
        assert grammar.accepts(f'"{many}"') and not grammar.accepts(f'"{many[:-1]}"')


def test_alternatives_that_are_constants_are_not_compared_each_with_each() -> None:
    for values in (range(3_000), [f"v{number}" for number in range(3_000)]):
        doubled = [{"const": value} for value in [*values, values[7]]]
        grammar = Grammar.from_json_schema({"oneOf": doubled})
        for place, value in enumerate(values):
            text = f'"{value}"' if isinstance(value, str) else str(value)
            assert place % 100 > 9 or grammar.accepts(text) == (place != 7)


def test_what_is_refused_is_refused_again_and_more_steps_are_more() -> None:
    pattern = "(?=.*a.{9})(?=.*b.{9})(?=.*a.{8}d)(?!.*dcb)[a-d]{12,40}"
    for _ in range(2):
        with pytest.raises(LimitExceededError, match=r"steps of one call \(2000\)"):
            Grammar.from_regex(pattern, limits=Limits(steps=2_000))
    assert Grammar.from_regex(pattern).accepts("abcabcabcdabcabcabcd")
