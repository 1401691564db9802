"""Hostile tools, messages, tags, templates and combinations."""

from __future__ import annotations

from typing import Any

import frisket
from frisket import Grammar
from frisket.tools import Tools

from .case import Case, given
from .constructors import PRIMES
from .matchers import many_tags


def _core(grammar: Grammar) -> Any:
    return grammar.core


def _tool(schema: Any) -> list[dict[str, Any]]:
    return [{"name": "tool", "parameters": {"type": "object", "properties": {"a": schema}, "required": ["a"]}}]


def _qwen(tools: Any) -> Grammar:
    return Grammar.from_tools(tools, "qwen3")


def _message(pair: tuple[Grammar, str]) -> Any:
    return pair[0].value(pair[1])


def _many_calls(family: str, call: str, count: int) -> tuple[Grammar, str]:
    return Grammar.from_tools([{"name": "f", "parameters": {"properties": {"a": {}}}}], family), call * count


def _doubling(depth: int) -> Grammar:
    """A combination that holds the one below it twice."""
    part = frisket.parts.lit("a")
    for _ in range(depth):
        part = frisket.parts.seq(part, part)
    return part


def _deep(depth: int) -> Grammar:
    part = frisket.parts.seq("a")
    for _ in range(depth):
        part = frisket.parts.choice(frisket.parts.seq("(", part, ")"), "b")
    return part


QWEN_CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>\n'
CODER_CALL = "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>\n"

PARTS: list[Case] = [
    given("frisket.parts.tags", "2,000 tags with a schema each", _core, lambda: many_tags(2_000)),
    given(
        "frisket.parts.tags",
        "2,000 tags and one trigger",
        _core,
        lambda: frisket.parts.tags({f"<f{n}>": f"{n}" for n in range(2_000)}, triggers=["<"]),
    ),
    given(
        "frisket.parts.tags",
        "a forbidden text of 1 MB",
        _core,
        lambda: frisket.parts.tags({"<a>": "b"}, forbidden=["c" * 1_000_000]),
    ),
    given(
        "frisket.parts.tags",
        "20,000 forbidden texts",
        _core,
        lambda: frisket.parts.tags({"<a>": "b"}, forbidden=[f"{n:05}" for n in range(20_000)]),
    ),
    given(
        "frisket.parts.tags",
        "10^9 tags at least",
        _core,
        lambda: frisket.parts.tags({"<a>": "b"}, at_least=10**9),
        quick=True,
    ),
    given(
        "frisket.parts.text", "10^9 characters at most", _core, lambda: frisket.parts.text(max_chars=10**9), quick=True
    ),
    given(
        "frisket.parts.text",
        "2^70 characters at least",
        lambda n: frisket.parts.text(min_chars=n).core,
        lambda: 2**70,
        quick=True,
    ),
    given(
        "frisket.parts.text",
        "300 forbidden texts, counted",
        _core,
        lambda: frisket.parts.text(forbidden=[f"{n:03}" for n in range(300)], max_chars=10_000),
    ),
    given(
        "frisket.parts.until",
        "300 triggers, counted",
        _core,
        lambda: frisket.parts.until(*(f"{n:03}" for n in range(300)), max_chars=10_000),
    ),
    given("frisket.parts.repeat", "2^70 times", lambda n: frisket.parts.repeat("a", n).core, lambda: 2**70, quick=True),
    given("frisket.parts.seq", "a tree that doubles 60 times", _core, lambda: _doubling(60), quick=True),
    given("frisket.parts.choice", "5,000 levels", _core, lambda: _deep(5_000), quick=True),
    given("repr", "a tree that doubles 60 times", repr, lambda: _doubling(60)),
    given(
        "frisket.parts.template",
        "20,000 holes",
        lambda text: frisket.parts.template(text, **{f"h{n}": int for n in range(20_000)}).core,
        lambda: " ".join(f"{{h{n}}}" for n in range(20_000)),
    ),
    given(
        "frisket.parts.template",
        "a text of 10 MB",
        lambda text: frisket.parts.template(text, a=int).core,
        lambda: "a" * 10_000_000 + "{a}",
    ),
    given(
        "frisket.parts.template",
        "300 braces of one hole",
        lambda text: frisket.parts.template(text, a=str).core,
        lambda: "{" * 301 + "a" + "}" * 301,
        quick=True,
    ),
    given(
        "frisket.think",
        "10^9 characters at most",
        lambda answer: frisket.think(answer, max_chars=10**9).core,
        lambda: Grammar.from_regex("a"),
        quick=True,
    ),
    given(
        "Tools.report",
        "5,000 tools",
        lambda tools: Tools(tools).report("qwen3"),
        lambda: [t | {"name": f"t{n}"} for n in range(5_000) for t in _tool({"type": "string"})],
    ),
    given(
        "Tools.report",
        "patterns of primes",
        lambda tools: Tools(tools).report("qwen3_coder"),
        lambda: _tool({"allOf": [{"type": "string", "pattern": f"^(a{{{p}}})+$"} for p in PRIMES]}),
    ),
    given(
        "Tools.report",
        "minItems of 10^9",
        lambda tools: Tools(tools).report("qwen3"),
        lambda: _tool({"type": "array", "minItems": 10**9}),
        quick=True,
    ),
    given(
        "Tools.report",
        "a bound of 10^400",
        lambda tools: Tools(tools).report("qwen3_coder"),
        lambda: _tool({"type": "number", "minimum": 10**400, "multipleOf": 0.5}),
        quick=True,
    ),
    given("Grammar.value", "20,000 calls of qwen3", _message, lambda: _many_calls("qwen3", QWEN_CALL, 20_000)),
    given(
        "Grammar.value", "20,000 calls of qwen3_coder", _message, lambda: _many_calls("qwen3_coder", CODER_CALL, 20_000)
    ),
    given(
        "Grammar.value", "1 MB that nearly ends a call", _message, lambda: _many_calls("qwen3", "<tool_cal", 110_000)
    ),
]
