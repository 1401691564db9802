"""What the requests of an engine share is found again, and weighs no more than it may."""

from __future__ import annotations

import random

import pytest

import frisket
from frisket import Limits, Vocabulary
from frisket.engines.compiler import Compiler
from frisket.engines.structured_output import StructuredOutput
from frisket.grammar import CompiledGrammar


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return frisket.models.embedded().vocabulary


def wanted(number: int) -> StructuredOutput:
    """An output that shares nothing with that of another number."""
    words = "|".join("".join(random.Random(number * 99 + n).choices("abcdefgh", k=6)) for n in range(40))
    return StructuredOutput("regex", f"(({words})[0-9]{{{number + 1}}} ){{3}}")


def use(compiled: CompiledGrammar) -> None:
    """Write a text: the grammar learns its masks."""
    matcher, rng = compiled.matcher(), random.Random(0)
    while not matcher.can_end:
        matcher.advance(rng.choice(matcher.allowed()))


def test_equal_requests_share_a_grammar(vocabulary: Vocabulary) -> None:
    compiler = Compiler(lambda _: vocabulary)
    assert compiler.compile(wanted(1)) is compiler.compile(wanted(1)) is not compiler.compile(wanted(2))
    assert (compiler.hits, compiler.misses) == (1, 2)


def test_the_least_recently_used_goes_first(vocabulary: Vocabulary) -> None:
    compiler = Compiler(lambda _: vocabulary, count=2)
    for number in (1, 2, 1, 3, 1, 2):
        compiler.compile(wanted(number))
    assert (compiler.hits, compiler.misses) == (2, 4), "2 was let go of for 3, 1 never was"


def test_what_grammars_learn_counts_against_the_bound(vocabulary: Vocabulary) -> None:
    alone = Compiler(lambda _: vocabulary)
    fresh = alone.compile(wanted(0)).memory_bytes
    use(alone.compile(wanted(0)))
    used = alone.memory_bytes
    assert used > 2 * fresh, "what is weighed when it is put has weighed little"
    bound = 5 * used
    compiler = Compiler(lambda _: vocabulary, weight=bound)
    for number in range(40):
        use(compiler.compile(wanted(number)))
        compiler.compile(wanted(number))
        assert compiler.memory_bytes <= bound
    compiler.compile(wanted(39))
    assert compiler.hits == 41, "the newest one stays"


def test_a_grammar_that_alone_weighs_too_much_serves_its_request(vocabulary: Vocabulary) -> None:
    compiler = Compiler(lambda _: vocabulary, weight=100, limits=Limits())
    for _ in range(2):
        use(compiler.compile(wanted(1)))
    assert (compiler.misses, compiler.memory_bytes) == (2, 0)
