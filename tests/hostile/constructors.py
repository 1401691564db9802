"""Hostile inputs of each constructor of Grammar."""

from __future__ import annotations

import json
from typing import Any

from frisket import Grammar, JSONSchemaOptions

from .case import Case, given

#: Primes whose multiples only meet in their product.
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def parametric(bits: int) -> str:
    """A rule in Lark's notation for each set of so many bits, as llguidance writes permutations."""
    calls = [f'    | "i" p::set_bit({bit}) %if bit_clear({bit})' for bit in range(bits)]
    return "\n".join(["start: p::0", f'p::_: "" %if is_ones([0:{bits}])', *calls])


def counted(bits: int) -> str:
    """A rule for each number of so many bits, which counts up."""
    return f'start: p::0\np::_: "a" p::incr([0:{bits}]) %if lt([0:{bits}], {2**bits - 1}) | "b"'


def growing_template() -> str:
    """A template whose argument doubles at each call."""
    return 'start: t{"a"}\nt{x}: x | t{pair{x, x}}\npair{a, b}: a b'


def chained_rules(count: int) -> str:
    """Rules of GBNF that call the next one each."""
    rules = [f'r{place} ::= "a" r{place + 1}' for place in range(count)]
    return "\n".join(["root ::= r0", *rules, f'r{count} ::= "z"'])


def ambiguous_rules() -> str:
    """Nested counts over a rule that may be empty: each letter can be read in a million ways."""
    return 'root ::= (x{0,1000}){0,1000} "z"\nx ::= "a"? y?\ny ::= "b" y?'


def wide_words() -> str:
    """A repeated wide class, repeated again, before an optional recursive rule."""
    return 'root ::= w+\nw ::= [!-\'*-~]+ c?\nc ::= "(" c* ")"'


def alternatives(count: int) -> str:
    """A rule of ABNF that goes on in so many lines."""
    return "\n".join(['a = "0"', *(f'a =/ "{place}"' for place in range(1, count))])


def switches(count: int) -> dict[str, Any]:
    """Conditions that look at one member's constant each."""
    return {
        "allOf": [
            {"if": {"properties": {"k": {"const": place}}, "required": ["k"]}, "then": {"required": [f"m{place}"]}}
            for place in range(count)
        ]
    }


def doubled_references(depth: int) -> dict[str, Any]:
    """Definitions that refer to the next one twice."""
    pairs = {f"d{place}": {"prefixItems": [{"$ref": f"#/$defs/d{place + 1}"}] * 2} for place in range(depth)}
    return {"$ref": "#/$defs/d0", "$defs": {**pairs, f"d{depth}": {"type": "null"}}}


def nested(depth: int) -> str:
    """The text of a schema that nests so deep."""
    return '{"items":' * depth + "{}" + "}" * depth


def required_primes(primes: tuple[int, ...] = PRIMES) -> dict[str, Any]:
    """Lists whose lengths are multiples of different primes, all at once."""
    return {"allOf": [{"type": "string", "pattern": f"^(a{{{prime}}})+$"} for prime in primes]}


def _schema(schema: Any) -> Grammar:
    return Grammar.from_json_schema(schema)


CONSTRUCTORS: list[Case] = [
    given("Grammar.from_choices", "300,000 texts", Grammar.from_choices, lambda: [f"{n:x}" for n in range(300_000)]),
    given("Grammar.from_choices", "one text of 10 MB", Grammar.from_choices, lambda: ["a" * 10_000_000]),
    given(
        "Grammar.from_regex", "(a{1000000}){1000000}", Grammar.from_regex, lambda: "(a{1000000}){1000000}", quick=True
    ),
    given("Grammar.from_regex", "100,000 open groups", Grammar.from_regex, lambda: "(" * 100_000 + "a" + ")" * 100_000),
    given("Grammar.from_regex", "12 look-aheads of primes", Grammar.from_regex, lambda: _look_aheads()),
    given("Grammar.from_regex", "a pattern of 5 MB", Grammar.from_regex, lambda: "ab?" * 1_700_000),
    given(
        "Grammar.from_regex",
        "look-behinds in look-behinds",
        Grammar.from_regex,
        lambda: "(?<=" * 500 + "a" + ")" * 500 + "b",
    ),
    given("Grammar.from_gbnf", "50,000 chained rules", Grammar.from_gbnf, lambda: chained_rules(50_000)),
    given("Grammar.from_gbnf", "a literal of 10 MB", Grammar.from_gbnf, lambda: f'root ::= "{"a" * 10_000_000}"'),
    given("Grammar.from_gbnf", "nested counts over an empty rule", Grammar.from_gbnf, ambiguous_rules, quick=True),
    given(
        "Grammar.from_gbnf",
        "100,000 open groups",
        Grammar.from_gbnf,
        lambda: "root ::= " + "(" * 100_000 + '"a"' + ")" * 100_000,
    ),
    given("Grammar.from_gbnf", "an error in line 100,000", Grammar.from_gbnf, lambda: 'root ::= "a"\n' * 100_000),
    given("Grammar.from_abnf", "20,000 lines of =/", Grammar.from_abnf, lambda: alternatives(20_000)),
    given("Grammar.from_abnf", "a text of 1 MB without case", Grammar.from_abnf, lambda: f'a = "{"b" * 1_000_000}"'),
    given("Grammar.from_abnf", "50,000 chained rules", Grammar.from_abnf, lambda: _chained_abnf(50_000)),
    given("Grammar.from_ebnf", "20,000 exceptions", Grammar.from_ebnf, lambda: "a ::= [a-z]*" + " - 'b'" * 20_000),
    given("Grammar.from_ebnf", "exceptions of long texts", Grammar.from_ebnf, lambda: _exceptions(300)),
    given("Grammar.from_ebnf", "50,000 chained rules", Grammar.from_ebnf, lambda: _chained_w3c(50_000)),
    given("Grammar.from_lark", "20 bits of a parameter", Grammar.from_lark, lambda: parametric(20)),
    given("Grammar.from_lark", "14 bits of a parameter", Grammar.from_lark, lambda: parametric(14)),
    given("Grammar.from_lark", "64 bits of a parameter", Grammar.from_lark, lambda: parametric(64)),
    given("Grammar.from_lark", "a counter of 14 bits", Grammar.from_lark, lambda: counted(14)),
    given("Grammar.from_lark", "a template that doubles", Grammar.from_lark, growing_template, quick=True),
    given("Grammar.from_lark", "50,000 chained rules", Grammar.from_lark, lambda: _chained_lark(50_000)),
    given(
        "Grammar.from_lark",
        "12 terminals of primes at once",
        Grammar.from_lark,
        lambda: "start: " + " & ".join(f"/(a{{{p}}})+/" for p in PRIMES),
    ),
    given("Grammar.from_json_schema", "150 switches on one member", _schema, lambda: switches(150)),
    given("Grammar.from_json_schema", "12 patterns of primes", _schema, required_primes),
    given(
        "Grammar.from_json_schema",
        "oneOf of 12 multipleOf",
        _schema,
        lambda: {"oneOf": [{"type": "integer", "multipleOf": p} for p in PRIMES]},
    ),
    given(
        "Grammar.from_json_schema",
        "references that double 64 times",
        _schema,
        lambda: doubled_references(64),
        quick=True,
    ),
    given("Grammar.from_json_schema", "a text that nests 1,000,000 deep", _schema, lambda: nested(1_000_000)),
    given(
        "Grammar.from_json_schema",
        "100,000 properties in any order",
        lambda schema: Grammar.from_json_schema(schema, JSONSchemaOptions(property_order="any")),
        lambda: {"properties": {f"p{n}": {"type": "integer"} for n in range(100_000)}},
    ),
    given(
        "Grammar.from_json_schema",
        "a bound of 10 MB of digits",
        _schema,
        lambda: '{"minimum": ' + "1" * 10_000_000 + "}",
    ),
    given(
        "Grammar.from_json_schema",
        "an enum of one array of 1,000,000 numbers",
        _schema,
        lambda: {"enum": [list(range(1_000_000))]},
    ),
    given(
        "Grammar.from_json_schema",
        "minItems 1e30 of unique items",
        _schema,
        lambda: {"type": "array", "uniqueItems": True, "minItems": 1e30},
        quick=True,
    ),
    given("Grammar.from_type", "a Literal of 50,000 texts", Grammar.from_type, lambda: _literal(50_000)),
    given("Grammar.from_tools", "5,000 tools", lambda tools: Grammar.from_tools(tools, "qwen3"), lambda: _tools(5_000)),
    given(
        "Grammar.from_tools",
        "a tool with minItems of 10^9",
        lambda tools: Grammar.from_tools(tools, "qwen3_coder"),
        lambda: _tool_of({"type": "array", "items": {"type": "string"}, "minItems": 10**9}),
    ),
    given(
        "Grammar.from_structural_tag",
        "2,000 tags in a dispatch",
        Grammar.from_structural_tag,
        lambda: structural_tags(2_000),
    ),
    given(
        "Grammar.from_structural_tag",
        "10,000 tags with one trigger",
        Grammar.from_structural_tag,
        lambda: structural_tags(10_000),
    ),
]


def structural_tags(count: int) -> str:
    """Free text with so many tags, each with a schema of its own."""
    tags = [
        {
            "type": "tag",
            "begin": f"<f{place}>",
            "content": {"type": "json_schema", "json_schema": {"const": place}},
            "end": "</f>",
        }
        for place in range(count)
    ]
    format_ = {"type": "triggered_tags", "triggers": ["<f"], "tags": tags}
    return json.dumps({"type": "structural_tag", "format": format_})


def _look_aheads() -> str:
    return "".join(f"(?=(?:a{{{prime}}})+$)" for prime in PRIMES) + "a+"


def _exceptions(count: int) -> str:
    return "a ::= [a-z]*" + "".join(f" - ([a-z]* 'x{'y' * place}' [a-z]*)" for place in range(count))


def _chained_abnf(count: int) -> str:
    return "\n".join([*(f'r{place} = "a" r{place + 1}' for place in range(count)), f'r{count} = "z"'])


def _chained_w3c(count: int) -> str:
    return "\n".join([*(f"r{place} ::= 'a' r{place + 1}" for place in range(count)), f"r{count} ::= 'z'"])


def _chained_lark(count: int) -> str:
    rules = [f'r{place}: "a" r{place + 1}' for place in range(count)]
    return "\n".join(["start: r0", *rules, f'r{count}: "z"'])


def _literal(count: int) -> Any:
    from typing import Literal

    return Literal.__getitem__(tuple(f"v{place}" for place in range(count)))


def _tools(count: int) -> list[dict[str, Any]]:
    return [
        {"name": f"tool_{place}", "parameters": {"type": "object", "properties": {f"p{place}": {"type": "string"}}}}
        for place in range(count)
    ]


def _tool_of(schema: Any) -> list[dict[str, Any]]:
    return [{"name": "tool", "parameters": {"type": "object", "properties": {"a": schema}, "required": ["a"]}}]
