"""Items that must differ: texts that end their array, and how many tokens these take."""

from __future__ import annotations

import pytest

from frisket import Grammar, Vocabulary

BYTES = Vocabulary.from_bytes([bytes([byte]) for byte in range(256)], eos=())
ITEMS = {
    "numbers": ({}, "[0,1,2,3,4]"),
    "texts": ({"type": "string"}, '["","a","b","c","d"]'),
    "objects": (
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False},
        "[" + ",".join(f'{{"n":{n}}}' for n in range(5)) + "]",
    ),
}


@pytest.mark.parametrize("items", ITEMS)
def test_items_that_must_differ_are_completed_by_the_next_digit(items: str) -> None:
    """Not by forty zeros: the digits of a number are alike for all but the items before."""
    schema, text = ITEMS[items]
    grammar = Grammar.from_json_schema({"type": "array", "items": schema, "minItems": 5, "uniqueItems": True})
    matcher = grammar.compile(BYTES).matcher()
    completion = matcher.completion()
    assert completion is not None and grammar.accepts(completion) and len(completion) == len(text)
    least = matcher.least_tokens()
    assert len(text) <= least <= len(text) + 3
    assert matcher.can_finish(least) and matcher.allowed(room=least)


def test_where_the_text_is_whole_and_nothing_may_follow_no_token_is_allowed() -> None:
    matcher = Grammar.from_regex("a?").compile(BYTES).matcher()
    assert matcher.allowed(room=0) == [] and matcher.allowed(room=1) == [ord("a")]
    matcher.advance_bytes(b"a")
    assert matcher.can_end and matcher.allowed() == [] and matcher.allowed(room=5) == []
