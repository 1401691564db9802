"""Hostile grammars × calls of a Matcher."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import frisket
from frisket import Grammar, Matcher

from .case import Case
from .constructors import PRIMES, ambiguous_rules, switches, wide_words
from .vocabulary import large_vocabulary

#: Name, grammar, and the text that was read before the call.
GRAMMARS: list[tuple[str, Callable[[], Grammar], bytes]] = [
    ("(a{1000000}){1000000}", lambda: Grammar.from_regex("(a{1000000}){1000000}"), b"aaa"),
    ("ten nested {9}", lambda: Grammar.from_regex("(" * 10 + "a" + "){9}" * 10), b"aaa"),
    ("x{1000000} of a recursive x", lambda: Grammar.from_gbnf('root ::= x{1000000}\nx ::= "a" | "(" x ")"'), b"(a)"),
    ("wide words before nested comments", lambda: Grammar.from_gbnf(wide_words()), b"ab"),
    ("nested comments", lambda: Grammar.from_gbnf('root ::= e*\ne ::= [^()] | "(" e* ")"'), b"ab"),
    ("oneOf of 12 multipleOf", lambda: Grammar.from_json_schema(one_of_multiples()), b"1"),
    ("nested counts over an empty rule", lambda: Grammar.from_gbnf(ambiguous_rules()), b"aab"),
    (
        "500 letters of an ambiguous rule",
        lambda: Grammar.from_gbnf('root ::= "a" root "b" | "a" root | "a"'),
        b"a" * 500,
    ),
    (".{1,500}", lambda: Grammar.from_regex(".{1,500}"), b""),
    ("no word of two anywhere", lambda: Grammar.from_regex(r"(?!.*\b(foo|bar)\b).{1,200}"), b"fo"),
    ("40 switches on one member", lambda: Grammar.from_json_schema(switches(40)), b'{"k": 1'),
    ("2,000 tags", lambda: many_tags(2_000), b"Let me see: <f1"),
    ("strings of which none repeats", lambda: Grammar.from_json_schema(unique_strings()), b'["abbcc", "ab'),
]


def one_of_multiples() -> dict[str, Any]:
    """Numbers that are a multiple of exactly one prime."""
    return {"oneOf": [{"type": "integer", "multipleOf": prime} for prime in PRIMES]}


def unique_strings() -> dict[str, Any]:
    """Arrays of different strings that several patterns narrow."""
    patterns = [{"pattern": pattern} for pattern in ("a", "[bc]{2}", "^.{5,60}$")]
    return {"type": "array", "items": {"type": "string", "allOf": patterns}, "uniqueItems": True, "minItems": 50}


def many_tags(count: int) -> Grammar:
    """Free text with so many tags, each with a schema of its own."""
    return frisket.parts.tags(
        {f"<f{place}>": frisket.parts.seq(frisket.parts.json({"const": place}), "</f>") for place in range(count)}
    )


#: Calls of a matcher. Those that take the text run on a matcher that has read none.
CALLS: dict[str, Callable[[Matcher], Any]] = {
    "mask": lambda matcher: matcher.mask(),
    "mask(60)": lambda matcher: matcher.mask(60),
    "can_finish": lambda matcher: matcher.can_finish(60),
    "least_tokens": lambda matcher: matcher.least_tokens(),
    "completion": lambda matcher: matcher.completion(),
    "forced_bytes": lambda matcher: matcher.forced_bytes(),
    "path": lambda matcher: matcher.path,
    "explain": lambda matcher: matcher.explain("\x01"),
}


def _at(grammar: Callable[[], Grammar], text: bytes, call: Callable[[Matcher], Any]) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        matcher = grammar().compile(large_vocabulary()).matcher()
        matcher.advance_bytes(text)
        return lambda: call(matcher)

    return prepare


def _reading(grammar: Callable[[], Grammar], text: bytes) -> Callable[[], Callable[[], Any]]:
    def prepare() -> Callable[[], Any]:
        matcher = grammar().compile(large_vocabulary()).matcher()
        return lambda: matcher.advance_bytes(text * (20_000 // len(text) + 1))

    return prepare


def _cases() -> Iterator[Case]:
    for name, grammar, text in GRAMMARS:
        for call, made in CALLS.items():
            yield Case(f"Matcher.{call}", name, _at(grammar, text, made))
        if text:
            yield Case("Matcher.advance_bytes", name, _reading(grammar, text))


MATCHERS = list(_cases())
