"""Masks that took long once → the slowest of MaskBench in any order of properties, and first masks of grammars."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import frisket
from frisket.errors import FrisketError, TokenRejectedError

from ..corpus import Case, Tokenizer, encoder
from ..languages import languages
from . import apart
from .bound import Row

PART = "Slow masks"
#: The masks of MaskBench whose mean is shown beside that of the slowest one.
MANY = 1_000
#: Tokens of one instance that are walked.
LONGEST = 1_500
#: Tokens beyond the fewest that a mask with room is asked for.
ROOMS = (0, 3, 60)
#: By name a grammar, and a text in it. The names are the grammars themselves.
FIRST: dict[str, tuple[Callable[[], frisket.Grammar], str]] = {
    'e ::= [^()] | "(" e* ")"': (
        lambda: frisket.Grammar.from_gbnf('root ::= e+\ne ::= [^()] | "(" e* ")"'),
        "hello (world (foo) bar), (été)",
    ),
    ".{1,500}": (lambda: frisket.Grammar.from_regex(".{1,500}"), "hello world, this is a text"),
    r"^(?!.*\b(foo|bar)\b).{1,200}$": (
        lambda: frisket.Grammar.from_regex(r"^(?!.*\b(foo|bar)\b).{1,200}$"),
        "hello world, this is barn food and foot, été",
    ),
    "format regex": (
        lambda: frisket.Grammar.from_json_schema(
            {"properties": {"TestPattern": {"format": "regex", "type": "string"}}}
        ),
        r'{"TestPattern": "^\\s*(it|describe)\\b"}',
    ),
    'root ::= "a" root "b" | "a" root | "a"': (
        lambda: frisket.Grammar.from_gbnf('root ::= "a" root "b" | "a" root | "a"'),
        "a" * 1_300,
    ),
}


def rows(tokenizer: Tokenizer, sample: Sequence[Case]) -> Iterator[Row]:
    outcome = apart.run(slowest, tokenizer, sample, seconds=3_600)
    found = outcome.value or {}
    name = f"MaskBench in any order, {len(sample):,} schemas"
    yield Row(PART, name, "slowest mask", found.get("max"), 5, "ms", "issue", note=found.get("where", outcome.error))
    yield Row(PART, name, f"slowest {MANY:,}, mean", found.get("many"), 1, "ms")
    yield Row(PART, name, "mask mean", found.get("mean"), None, "ms")
    for name in FIRST:
        outcome = apart.run(masks_of, tokenizer, name)
        yield Row(PART, name, "slowest mask", outcome.value, 20, "ms", "issue", note=outcome.error)
    outcome = apart.run(masks_of_sql, tokenizer, seconds=600)
    for place, quantity, bound in ((0, "slowest mask", 20), (1, "slowest mask with room", 50)):
        value = outcome.value[place] if outcome.value else None
        yield Row(PART, "SQL", quantity, value, bound, "ms", "issue", note=outcome.error)
    outcome = apart.run(masks_of_languages, tokenizer, seconds=600)
    yield Row(PART, "programming languages", "mask mean", outcome.value, 0.15, "ms", note=outcome.error)


def slowest(tokenizer: Tokenizer, sample: Sequence[Case]) -> dict[str, Any]:
    """The slowest masks of all instances, in milliseconds of the thread; refused schemas are left out."""
    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    options = frisket.JSONSchemaOptions(property_order="any")
    taken: list[tuple[float, str]] = []
    for case in sample:
        try:
            compiled = frisket.Grammar.from_json_schema(case.schema, options).compile(vocabulary)
        except FrisketError:
            continue
        for instance in case.instances:
            taken += [(each, case.name) for each in _timed(compiled, instance.tokens[:LONGEST])]
    taken.sort(reverse=True)
    each = [value for value, _ in taken]
    return {"max": each[0], "where": taken[0][1], "many": float(np.mean(each[:MANY])), "mean": float(np.mean(each))}


def masks_of(tokenizer: Tokenizer, name: str) -> float:
    """The slowest mask along a text, in milliseconds of the thread."""
    make, text = FIRST[name]
    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    ids = [tokenizer.tokens.index(b"a")] * len(text) if set(text) == {"a"} else encoder(tokenizer)(text)
    return max(_timed(make().compile(vocabulary), ids))


def masks_of_sql(tokenizer: Tokenizer) -> tuple[float, float]:
    """The slowest mask, and the slowest with room, along texts in SQL."""
    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    (case,) = [case for case in languages(tokenizer) if case.name == "SQL"]
    (notation, text), *_ = (case.rules or {}).items()
    grammar: frisket.Grammar = getattr(frisket.Grammar, f"from_{notation}")(text)
    compiled, roomy = grammar.compile(vocabulary), grammar.compile(vocabulary)
    plain = max(max(_timed(compiled, instance.tokens)) for instance in case.instances)
    with_room = max(max(_timed(roomy, instance.tokens, ROOMS)) for instance in case.instances)
    return plain, with_room


def masks_of_languages(tokenizer: Tokenizer) -> float:
    """The mean of all masks along the texts of all languages, each with a grammar new to the process."""
    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    taken = list[float]()
    for case in languages(tokenizer):
        (notation, text), *_ = (case.rules or {}).items()
        compiled = getattr(frisket.Grammar, f"from_{notation}")(text).compile(vocabulary)
        taken += [each for instance in case.instances for each in _timed(compiled, instance.tokens)]
    return float(np.mean(taken))


def _timed(compiled: frisket.CompiledGrammar, ids: Sequence[int], rooms: Sequence[int] = ()) -> list[float]:
    """What each mask along the tokens took, until a token is refused."""
    matcher, bitmask, taken = compiled.matcher(), np.zeros(compiled.vocabulary.mask_words, dtype=np.uint32), []
    for token in ids:
        least = matcher.least_tokens() if rooms else 0
        for room in [least + more for more in rooms] or [None]:
            began = time.thread_time_ns()
            matcher.fill_mask(bitmask, room=room)
            taken.append((time.thread_time_ns() - began) / 1e6)
        try:
            matcher.advance(token)
        except TokenRejectedError:
            break
    return taken
