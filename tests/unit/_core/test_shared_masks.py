"""Masks that grammars of one vocabulary share: each grammar has its own tokens, whatever was asked before it."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import Grammar
from frisket._core import GrammarBuilder, Matcher, Vocabulary
from tests.fuzz.runner import fuzz

ONE = {"type": "array", "contains": {"type": "string"}}
TWO = {**ONE, "maxItems": 1}


def small(*texts: bytes) -> Vocabulary:
    return Vocabulary([*texts, None], eos=[len(texts)])


def accepted(matcher: Matcher, size: int) -> list[int]:
    """The tokens that `advance` takes, one by one."""
    return [token for token in range(size) if matcher.fork().try_advance(token)]


@pytest.mark.parametrize("swapped", [False, True])
def test_arrays_with_contains_do_not_get_the_masks_of_others(swapped: bool) -> None:
    schemas: list[dict[str, Any]] = [
        {"type": "array", "minItems": 1},
        {"type": "array", "contains": {"maximum": 0}, "maxItems": 1},
    ]
    vocabulary = small(b"[", b"]", b"1", b"[1")
    allowed = {}
    for schema in reversed(schemas) if swapped else schemas:
        matcher = Grammar.from_json_schema(schema).compile(vocabulary).matcher()
        allowed["contains" in schema] = matcher.allowed()
        assert matcher.allowed() == accepted(matcher, vocabulary.size)
    assert allowed == {False: [0, 3], True: [0]}


def test_two_arrays_with_contains_in_one_grammar() -> None:
    schema = {"type": "object", "properties": {"x": TWO, "y": ONE}, "required": ["x", "y"]}
    vocabulary = small(*(bytes([byte]) for byte in b'{}[]",:xyan1'), b"[n", b"[[", b'["', b"[1", b" [", b'["a"]')
    matcher = Grammar.from_json_schema(schema).compile(vocabulary).matcher()
    matcher.allowed()
    for byte in b'{"x":["a"],"y":':
        matcher.advance_bytes(bytes([byte]))
        assert matcher.allowed() == accepted(matcher, vocabulary.size)
    assert {12, 13, 14, 15} <= set(matcher.allowed())


def test_what_can_never_be_finished_is_no_part_of_a_grammar() -> None:
    builder = GrammarBuilder()
    endless = builder.rule("endless")
    builder.define(endless, builder.seq([builder.literal(b"("), endless]))
    dead = builder.seq([builder.literal(b"1"), endless])
    root = builder.seq([builder.literal(b"["), builder.alt([dead, builder.literal(b"2")])])
    vocabulary = small(b"[", b"1", b"2", b"[1", b"[2", b"(", b"[1(")
    matcher = builder.build(root).compile(vocabulary).matcher()
    assert matcher.allowed() == accepted(matcher, vocabulary.size) == [0, 4]


def test_families_of_grammars_with_every_mask_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mistral_common")
    monkeypatch.setenv("FRISKET_VERIFY_MASKS", "1")
    # 3106 and 4291 showed the defect of arrays with `contains`.
    for start, count in ((1_000_000_000, 60), (1_000_003_106, 1), (1_000_004_291, 1)):
        numbers = range(start, start + count)
        found = fuzz(numbers, cases="tests.hunt.case", share=20, jobs=2, hang=600, quiet=True)
        assert not found.broken
        assert found.cases == count and found.steps > 10 * count


def test_an_array_that_can_never_end_is_no_part_of_a_grammar() -> None:
    # No number is the text that must come, so that the inner array cannot end, and the outer one is empty.
    inner = {"type": "array", "uniqueItems": True, "items": {"type": "number"}, "contains": {"enum": [""]}}
    vocabulary = small(b" ", b"[", b"]", b"1", b",", b"[]", b"[[")
    matcher = Grammar.from_json_schema({"type": "array", "items": inner}).compile(vocabulary).matcher()
    for token in (1, 0):
        assert matcher.allowed() == accepted(matcher, vocabulary.size)
        matcher.advance(token)
    assert matcher.allowed() == accepted(matcher, vocabulary.size)
