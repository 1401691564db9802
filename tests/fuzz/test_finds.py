"""What the fuzzer found once, as small as it gets."""

from __future__ import annotations

from typing import Any

import pytest

from frisket._core import GrammarBuilder, Vocabulary
from frisket.errors import EmptyGrammarError, VocabularyError

TOKENS = [b"{", b'"', b"}", b"x", b'{"', b'{"a', b":1", b'":1', b",", b"b", None]


def members(*properties: tuple[str, bool, list[int]], **rules: Any) -> tuple[GrammarBuilder, int]:
    """An object of 1s; for each property its marks, one for each way to have it."""
    builder = GrammarBuilder()
    one = builder.literal(b"1")
    node = builder.object(
        [(key, required, [(one, marks) for marks in ways]) for key, required, ways in properties],
        [],
        open=builder.literal(b"{"),
        close=builder.literal(b"}"),
        colon=builder.literal(b":"),
        comma=builder.literal(b","),
        empty=builder.literal(b"{}"),
        **rules,
    )
    return builder, node


NOTHING: list[tuple[tuple[tuple[str, bool, list[int]], ...], dict[str, Any]]] = [
    # A property that must come and cannot.
    ((("a", False, [0]), ("b", True, [])), {}),
    # The mark needs b, b needs a, and there is room for one.
    ((("a", False, [0]), ("b", False, [1])), {"max_properties": 1, "required_marks": 1, "implies": [(1, 0)]}),
    ((("a", False, [2]), ("b", False, [1])), {"max_properties": 1, "required_marks": 1, "implies": [(1, 0), (0, 1)]}),
    # Both or neither, and exactly one.
    ((("a", False, [0]), ("b", False, [0])), {"min_properties": 1, "max_properties": 1, "implies": [(1, 0), (0, 1)]}),
]


@pytest.mark.parametrize("any_order", [False, True])
@pytest.mark.parametrize(("properties", "rules"), NOTHING)
def test_an_object_that_can_hold_nothing_is_never_begun(properties: Any, rules: Any, any_order: bool) -> None:
    builder, node = members(*properties, **rules, any_order=any_order)
    assert builder.is_empty(node)
    with pytest.raises(EmptyGrammarError):
        builder.build(node)
    builder, node = members(*properties, **rules, any_order=any_order)
    compiled = builder.build(builder.alt([node, builder.literal(b"x")])).compile(Vocabulary(TOKENS, eos=[10]))
    assert compiled.matcher().allowed() == [3]


def test_lumps_that_fit_are_found() -> None:
    """Three that come together, one alone: two members are impossible, one, three and four are not."""
    ring = [(0, 1), (1, 2), (2, 0)]
    properties = [(key, False, [0]) for key in "abcd"]
    for count, possible in ((1, True), (2, False), (3, True), (4, True)):
        builder, node = members(*properties, implies=ring, min_properties=count, max_properties=count)
        assert builder.is_empty(node) is not possible
    builder, node = members(*properties, implies=ring, min_properties=3, max_properties=3)
    grammar = builder.build(node)
    assert grammar.accepts(b'{"a":1,"b":1,"c":1}')
    assert not grammar.accepts_prefix(b'{"d') and not grammar.accepts_prefix(b'{"b')


@pytest.mark.parametrize("size", [1 << 25, 1 << 33, 1 << 40])
def test_a_vocabulary_of_a_size_that_nobody_has_is_refused(size: int) -> None:
    with pytest.raises(VocabularyError, match="is not possible"):
        Vocabulary([b"a"], size=size)
