"""Hostile texts × what reads a text by a grammar: accepts, captures, open_rules, path, explain, value, transcripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import frisket
from frisket import Grammar, Matcher
from frisket.events import PartialValue
from frisket.events.event import Events

from .case import Case, given
from .constructors import PRIMES, alternatives, ambiguous_rules, chained_rules, structural_tags
from .vocabulary import large_vocabulary

_EMPTY_RULES = ambiguous_rules()


def _matcher(grammar: Callable[[], Grammar], text: bytes) -> Callable[[], Matcher]:
    def make() -> Matcher:
        matcher = grammar().compile(large_vocabulary()).matcher()
        matcher.advance_bytes(text)
        return matcher

    return make


def _path(matcher: Matcher) -> str:
    return matcher.path


def _explained(matcher: Matcher) -> Any:
    return matcher.explain("\x01")


def _rules(text: str, begin: str) -> Callable[[], tuple[Grammar, str]]:
    return lambda: (Grammar.from_gbnf(text), begin)


def _open_rules(pair: tuple[Grammar, str]) -> Any:
    return pair[0].open_rules(pair[1])


def _accepts(pair: tuple[Grammar, str]) -> bool:
    return pair[0].accepts(pair[1])


def _captured(pair: tuple[Grammar, str]) -> Any:
    return pair[0].captures(pair[1])


def _nested_captures() -> tuple[Grammar, str]:
    """Counts in counts over a part that may be empty."""
    part = frisket.parts.repeat(frisket.parts.capture("x", frisket.parts.optional("a")), 0, 1000)
    return frisket.parts.seq(frisket.parts.repeat(part, 0, 1000), "z"), "a" * 200 + "z"


def _ambiguous_tags() -> Grammar:
    """Free text with tags whose begins are prefixes of each other, in counted tags."""
    inner = frisket.parts.tags({"a" * place: frisket.parts.text() for place in range(1, 9)})
    return frisket.parts.repeat(frisket.parts.seq(inner, frisket.parts.text()), 0, 1000)


def _tag_tools() -> Grammar:
    tools = [{"name": f"t{n}", "parameters": {"properties": {"a": {"type": "string"}}}} for n in range(500)]
    return Grammar.from_tools(tools, "qwen3_coder")


def _refusing_everything() -> Grammar:
    """Keywords each of which is left out in turn by `explain`."""
    schema: dict[str, Any] = {"properties": {"a": {"allOf": [{"pattern": f"^(a{{{p}}})+$"} for p in PRIMES[:6]]}}}
    return Grammar.from_json_schema({**schema, "$defs": {f"d{n}": {"const": n} for n in range(20_000)}})


def _mixed() -> tuple[Grammar, str]:
    """Conditions between members, and a document of many."""
    schema = {
        "oneOf": [{"dependentSchemas": {f"k{n}": {"required": [f"k{n + 1}"]}}, "minProperties": n} for n in range(8)],
        "unevaluatedProperties": {"type": "array", "uniqueItems": True, "contains": {"multipleOf": 7}},
    }
    return Grammar.from_json_schema(schema), json.dumps({f"k{n}": [*range(300)] for n in range(30)})


def _value_of(text: bytes) -> Any:
    partial = PartialValue()
    partial.feed(text)
    return partial.value


EXPLANATIONS: list[Case] = [
    given(
        "Grammar.accepts",
        "counts in counts",
        _accepts,
        lambda: (Grammar.from_regex("(a{1000000}){1000000}"), "a" * 200_000),
    ),
    given(
        "Grammar.accepts", "200 letters of a rule that may be empty", _accepts, _rules(_EMPTY_RULES, "a" * 200 + "z")
    ),
    given(
        "Grammar.accepts",
        "3,000 letters of an ambiguous rule",
        _accepts,
        _rules('root ::= "a" root "b" | "a" root | "a"', "a" * 3000),
    ),
    given("Grammar.accepts", "conditions between members", _accepts, _mixed),
    given(
        "Grammar.accepts",
        "a document of 50 MB",
        _accepts,
        lambda: (Grammar.from_json_schema({}), json.dumps(["x" * 1000] * 50_000)),
    ),
    given("Grammar.open_rules", "nested counts over an empty rule", _open_rules, _rules(_EMPTY_RULES, "aab")),
    given("Grammar.open_rules", "50,000 chained rules", _open_rules, _rules(chained_rules(50_000), "aaaa")),
    given(
        "Grammar.open_rules",
        "50,000 chained rules, read through",
        _open_rules,
        _rules(chained_rules(50_000), "a" * 50_000),
    ),
    given("Grammar.open_rules", "a literal of 10 MB", _open_rules, _rules(f'root ::= "{"a" * 10_000_000}"', "aaaa")),
    given(
        "Grammar.open_rules",
        "3,000 letters of an ambiguous rule",
        _open_rules,
        _rules('root ::= "a" root "b" | "a" root | "a"', "a" * 3000),
    ),
    given(
        "Grammar.open_rules",
        "a repeated exception",
        _open_rules,
        lambda: (Grammar.from_ebnf("a ::= ([a-z]* - 'b')*"), "a" * 3000),
    ),
    given(
        "Grammar.open_rules",
        "an ABNF rule of 20,000 lines",
        _open_rules,
        lambda: (Grammar.from_abnf(alternatives(20_000)), "1"),
    ),
    given("Grammar.captures", "nested counts over an empty part", _captured, _nested_captures),
    given("Grammar.captures", "500 letters of tags that overlap", _captured, lambda: (_ambiguous_tags(), "a" * 500)),
    given(
        "Grammar.value",
        "JSON that nests 1,000,000 deep",
        lambda text: Grammar.from_json_schema({}).value(text),
        lambda: "[" * 1_000_000,
        quick=True,
    ),
    given(
        "Grammar.value",
        "a number of 1,000,000 digits",
        lambda text: Grammar.from_json_schema({}).value(text),
        lambda: "1" * 1_000_000,
        quick=True,
    ),
    given(
        "Grammar.to_gbnf",
        "20 bits of a parameter",
        lambda grammar: grammar.to_gbnf(),
        lambda: Grammar.from_lark(
            'start: p::0\np::_: "" %if is_ones([0:11])\n'
            + "\n".join(f' | "i" p::set_bit({b}) %if bit_clear({b})' for b in range(11))
        ),
    ),
    given(
        "Grammar.to_ebnf",
        "50,000 chained rules",
        lambda grammar: grammar.to_ebnf(),
        lambda: Grammar.from_gbnf(chained_rules(50_000)),
    ),
    given(
        "Grammar.dump",
        "50,000 chained rules",
        lambda grammar: grammar.dump(),
        lambda: Grammar.from_gbnf(chained_rules(50_000)),
    ),
    given(
        "Grammar.dump",
        "2,000 tags",
        lambda grammar: grammar.dump(),
        lambda: Grammar.from_structural_tag(structural_tags(2_000)),
    ),
    given(
        "Matcher.path",
        "50,000 chained rules",
        _path,
        _matcher(lambda: Grammar.from_gbnf(chained_rules(50_000)), b"aaaa"),
    ),
    given(
        "Matcher.path",
        "a literal of 10 MB",
        _path,
        _matcher(lambda: Grammar.from_gbnf(f'root ::= "{"a" * 10_000_000}"'), b"aaaa"),
    ),
    given("Matcher.path", "500 letters of tags that overlap", _path, _matcher(_ambiguous_tags, b"a" * 500)),
    given(
        "Matcher.path",
        "a tool's arguments in tags",
        _path,
        _matcher(_tag_tools, b"<tool_call>\n<function=t3>\n<parameter=a>\n" + b"<para" * 2_000),
    ),
    given(
        "Matcher.path",
        "2,000 tags of a structural tag",
        _path,
        _matcher(lambda: Grammar.from_structural_tag(structural_tags(2_000)), b"<f17>"),
    ),
    given(
        "Matcher.path",
        "a document that nests 100,000 deep",
        _path,
        _matcher(lambda: Grammar.from_json_schema({}), b"[" * 100_000),
    ),
    given(
        "Matcher.explain",
        "patterns of primes beside 20,000 definitions",
        _explained,
        _matcher(_refusing_everything, b'{"a": "'),
    ),
    given(
        "Matcher.explain",
        "50,000 chained rules",
        _explained,
        _matcher(lambda: Grammar.from_gbnf(chained_rules(50_000)), b"aaaa"),
    ),
    given(
        "Matcher.explain",
        "a text of 1 MB",
        lambda matcher: matcher.explain("a" * 1_000_000 + "\x01"),
        _matcher(lambda: Grammar.from_regex("a*"), b""),
    ),
    given(
        "Matcher.captures",
        "nested counts over an empty part",
        lambda matcher: matcher.captures(),
        _matcher(lambda: _nested_captures()[0], b"a" * 200 + b"z"),
    ),
    given(
        "PartialValue.feed",
        "JSON that nests 1,000,000 deep",
        lambda text: PartialValue().feed(text),
        lambda: b"[" * 1_000_000,
    ),
    given(
        "PartialValue.value",
        "a number of 1,000,000 digits",
        _value_of,
        lambda: b"[" + b"1" * 1_000_000,
    ),
    given(
        "Events.feed",
        "500 letters of tags that overlap",
        lambda events: events.feed(b"a" * 500),
        lambda: Events(_ambiguous_tags()),
    ),
]
