"""Every public call whose cost its input decides takes limits and a cancellation; all others say why they need none."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from typing_extensions import TypedDict

import frisket
import frisket.hosted
import frisket.lint
import frisket.tools
from frisket import Cancellation, Grammar, Limits, Matcher, Vocabulary
from frisket.errors import LimitExceededError
from frisket.events import Events

SPACES = (
    *("frisket", "frisket.events", "frisket.hosted", "frisket.lint", "frisket.parts", "frisket.reports"),
    *("frisket.strategies", "frisket.thinking", "frisket.tools"),
)
LETTERS = Vocabulary.from_bytes([*(bytes([value]) for value in range(256)), None], eos=[256])

MEMBERS: Any = {"type": "object", "properties": {f"member {n}": {"type": "string"} for n in range(200)}}
RULES = "\n".join(["root ::= r0", *(f'r{n} ::= "a" r{n + 1}?' for n in range(200)), 'r200 ::= "b"'])
LARK = RULES.replace("::=", ":").replace("root", "start")
ABNF = "\n".join(f'r{n} = "a" [r{n + 1}]' for n in range(200)) + '\nr200 = "b"'
TAG: Any = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<"],
        "tags": [
            {"type": "tag", "begin": f"<{n}>", "content": {"type": "regex", "pattern": "[0-9]+"}, "end": "</>"}
            for n in range(50)
        ],
    },
}
TOOLS = [{"name": f"tool_{n}", "parameters": MEMBERS} for n in range(5)]
WORDS = [f"{n:04}" for n in range(1_000)]
TYPE = TypedDict("TYPE", {f"member_{n}": str for n in range(200)})  # type: ignore[misc]
PART = frisket.parts.repeat(frisket.parts.capture("x", frisket.parts.regex("a|b")))


class _Model:
    """Asked for nothing: the limits end the call before."""

    vocabulary = LETTERS
    eos = (256,)
    context = 1_000

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def decode(self, ids: Any) -> str:
        return bytes(ids).decode()

    def prompt(self, text: str, keys: Any = None) -> str:
        return text

    def start(self, ids: Any) -> Any:
        raise AssertionError("the model was asked")


#: Each public call with a hostile input, under limits.
CALLS: dict[str, Callable[[Limits], Any]] = {
    "Grammar.from_choices": lambda limits: Grammar.from_choices(WORDS, limits=limits),
    "Grammar.from_regex": lambda limits: Grammar.from_regex("(?=.*a)(?=.*b)[a-z]{3,}", limits=limits),
    "Grammar.from_gbnf": lambda limits: Grammar.from_gbnf(RULES, limits=limits),
    "Grammar.from_abnf": lambda limits: Grammar.from_abnf(ABNF, limits=limits),
    "Grammar.from_ebnf": lambda limits: Grammar.from_ebnf(RULES, limits=limits),
    "Grammar.from_lark": lambda limits: Grammar.from_lark(LARK, limits=limits),
    "Grammar.from_json_schema": lambda limits: Grammar.from_json_schema(MEMBERS, limits=limits),
    "Grammar.from_type": lambda limits: Grammar.from_type(TYPE, limits=limits),
    "Grammar.from_tools": lambda limits: Grammar.from_tools(TOOLS, "qwen3", limits=limits),
    "Grammar.from_structural_tag": lambda limits: Grammar.from_structural_tag(TAG, limits=limits),
    "Grammar.with_schema": lambda limits: Grammar.from_json_schema({}).with_schema(MEMBERS, limits=limits),
    "Grammar.compile": lambda limits: nested_counts(limits).advance_bytes(b"ab" * 50),
    "Grammar.accepts": lambda limits: Grammar.from_gbnf(RULES).accepts("a" * 200, limits=limits),
    "Grammar.accepts_prefix": lambda limits: Grammar.from_gbnf(RULES).accepts_prefix("a" * 200, limits=limits),
    "Grammar.captures": lambda limits: PART.captures("ab" * 200, limits=limits),
    "Grammar.describe": lambda limits: Grammar.from_json_schema(MEMBERS).describe(limits=limits),
    "Grammar.dump": lambda limits: Grammar.from_gbnf(RULES).dump(limits=limits),
    "Grammar.open_rules": lambda limits: Grammar.from_gbnf(RULES).open_rules("a" * 20, limits=limits),
    "Grammar.to_gbnf": lambda limits: Grammar.from_gbnf(RULES).to_gbnf(limits=limits),
    "Grammar.to_ebnf": lambda limits: Grammar.from_gbnf(RULES).to_ebnf(limits=limits),
    "Events": lambda limits: Events(PART, limits=limits).feed("ab" * 200),
    "Tools.report": lambda limits: frisket.tools.Tools(TOOLS).report(limits=limits),
    "convert": lambda limits: frisket.hosted.convert(MEMBERS, "openai", limits=limits),
    "lint": lambda limits: frisket.lint.lint(MEMBERS, limits=limits),
    "repair": lambda limits: frisket.lint.repair(MEMBERS, limits=limits),
    "regex": lambda limits: frisket.parts.regex("(?=.*a)(?=.*b)[a-z]{3,}", limits=limits),
    "json": lambda limits: frisket.parts.json(MEMBERS, limits=limits),
    "tags": lambda limits: frisket.parts.tags({word: "" for word in WORDS}, limits=limits),
    "text": lambda limits: frisket.parts.text(forbidden=WORDS, limits=limits),
    "until": lambda limits: frisket.parts.until(*WORDS, limits=limits),
    "think": lambda limits: frisket.think(MEMBERS, limits=limits),
    "generate": lambda limits: frisket.generate(_Model(), "a", MEMBERS, limits=limits),  # type: ignore[call-overload]
    "stream": lambda limits: frisket.stream(_Model(), "a", MEMBERS, limits=limits),  # type: ignore[call-overload]
    "generate_many": lambda limits: frisket.generate_many(_Model(), ["a"], MEMBERS, limits=limits),  # type: ignore[arg-type]
    "sample": lambda limits: frisket.sample(_Model(), "a", MEMBERS, 1, limits=limits),  # type: ignore[arg-type]
}


#: The same of a matcher: its grammar is compiled within limits, and they are those of each of its calls.
MATCHER_CALLS: dict[str, Callable[[Matcher], Any]] = {
    "advance": lambda matcher: matcher.advance(97),
    "advance_bytes": lambda matcher: matcher.advance_bytes(b"ab"),
    "allowed": lambda matcher: matcher.allowed(),
    "can_finish": lambda matcher: matcher.can_finish(60),
    "captures": lambda matcher: matcher.captures(),
    "completion": lambda matcher: matcher.completion(),
    "explain": lambda matcher: matcher.explain("c"),
    "fill_mask": lambda matcher: matcher.fill_mask(np.zeros(LETTERS.mask_words, np.uint32)),
    "forced_bytes": lambda matcher: matcher.forced_bytes(),
    "least_tokens": lambda matcher: matcher.least_tokens(),
    "likely_bytes": lambda matcher: matcher.likely_bytes(),
    "mask": lambda matcher: matcher.mask(),
    "mask_bytes": lambda matcher: matcher.mask_bytes(),
    "path": lambda matcher: matcher.path,
    "try_advance": lambda matcher: matcher.try_advance(97),
    "validate": lambda matcher: matcher.validate([97, 98]),
}

#: Why a public call takes no limits, and which ones.
FREE: dict[str, set[str]] = {
    "it takes limits, or is one": {"CompiledGrammar.matcher", "Limits.started", "Cancellation.cancel"},
    "it makes a part in constant time; its rules are made within the limits of `compile`, `accepts` or `captures`": {
        "capture", "choice", "lit", "optional", "repeat", "seq", "special", "template",
    },
    "its time is in proportion to its input": {
        "Converted.decode", "Description.tokens", "Events.feed", "Events.finish", "Explanation.as_dict",
        "Finding.to_json", "Grammar.value", "PartialValue.feed", "PartialValue.finish", "Pressure.as_dict",
        "Pressure.of", "Pressure.of_all", "PressureReport.from_json", "PressureReport.of", "PressureReport.to_html",
        "PressureReport.to_json", "Report.beside", "Report.check_asks", "Report.to_json", "Rule.finding",
        "Thinking.of_prompt", "Tool.of", "Tool.value", "ToolCall.to_openai",
        "ToolReport.to_json", "JSONSchemaOptions.changes", "JSONSchemaOptions.free",
        "Family.problem_of", "Family.prompt_says", "Sampler.adjust", "Sampler.choose", "Samples.pick", "Guard.refused",
        "Vocabulary.from_bytes", "Vocabulary.from_huggingface", "Vocabulary.from_mistral",
        "Vocabulary.from_sentencepiece", "Vocabulary.from_tiktoken", "Vocabulary.token",
    },
    "it looks up what is there": {
        "Matcher.fork", "Matcher.reset", "Matcher.rollback", "dialect", "dialects", "families", "family",
    },
    "it runs a model's own chat template, which is a program": {
        "Family.from_chat_template", "Family.from_tokenizer", "family_of",
    },
    "it goes on with an answer that was begun within limits": {
        "AsyncStream.events", "AsyncStream.generation", "Generation.value", "Stream.events",
        "Stream.generation",     },
    "a strategy takes a task, which has limits": {
        f"{name}.{call}" for name in ("Beams", "Best", "Draft", "Exact", "Particles", "Strategy")
        for call in ("answer", "choose", "search")
    },
    "it takes the options of `generate` and `stream`, or a client of another service": {
        "agenerate", "astream", "connect", "Connection.generate", "hosted.generate",
    },
}  # fmt: skip


def _is_ours(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).startswith("frisket")


def _public() -> Iterator[str]:
    """The public functions, and the methods of public classes that frisket itself defines."""
    for space in SPACES:
        module = importlib.import_module(space)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) and not issubclass(value, BaseException):
                owners = [owner for owner in value.__mro__ if _is_ours(owner)]
                found = {method for owner in owners for method in vars(owner) if not method.startswith("_")}
                yield from (f"{name}.{method}" for method in found if callable(getattr(value, method, None)))
            elif inspect.isroutine(value):
                yield f"hosted.{name}" if (space, name) == ("frisket.hosted", "generate") else name


def test_every_public_call_takes_limits_or_says_why_not() -> None:
    known = {*CALLS, *(f"Matcher.{name}" for name in MATCHER_CALLS), "fill_masks", *set().union(*FREE.values())}
    public = {*_public(), "Events", "Matcher.path"}
    assert public - known == set(), "neither in CALLS nor in FREE"
    assert known - public == set(), "no public call"


@pytest.mark.parametrize("name", CALLS)
def test_few_steps_end_a_call(name: str) -> None:
    if not name.startswith(("generate", "stream", "sample")):
        CALLS[name](Limits())
    with pytest.raises(LimitExceededError, match=r"steps|memory"):
        CALLS[name](Limits(steps=20))


@pytest.mark.parametrize("name", CALLS)
def test_a_cancellation_ends_a_call(name: str) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(LimitExceededError) as caught:
        CALLS[name](Limits(cancellation=cancellation))
    assert caught.value.code == "cancelled"


def nested_counts(limits: Limits | None = None, cancellation: Cancellation | None = None) -> Matcher:
    grammar = Grammar.from_gbnf('root ::= (x{0,1000}){0,1000} "z"\nx ::= "a"? y?\ny ::= "b" y?')
    return grammar.compile(LETTERS, limits=limits).matcher(cancellation=cancellation)


@pytest.mark.parametrize("name", MATCHER_CALLS)
def test_a_cancellation_ends_a_call_of_a_matcher(name: str) -> None:
    cancellation = Cancellation()
    matcher = nested_counts(cancellation=cancellation)
    cancellation.cancel()
    with pytest.raises(LimitExceededError) as caught:
        MATCHER_CALLS[name](matcher)
    assert caught.value.code == "cancelled"


def test_a_cancellation_ends_masks_of_many_matchers() -> None:
    cancellation = Cancellation()
    matchers = [nested_counts(cancellation=cancellation) for _ in range(2)]
    cancellation.cancel()
    with pytest.raises(LimitExceededError, match="cancelled"):
        frisket.fill_masks(matchers, np.zeros((2, LETTERS.mask_words), np.uint32))


@pytest.mark.parametrize("name", ["path", "explain"])
def test_the_limits_of_a_matcher_end_what_python_computes(name: str) -> None:
    matcher = nested_counts(Limits(steps=200_000))
    matcher.advance_bytes(b"aab")
    with pytest.raises(LimitExceededError, match="200000"):
        MATCHER_CALLS[name](matcher)
    assert matcher.try_advance(97), "the matcher is as it was"


def test_a_matcher_says_its_limits_with_either_cancellation() -> None:
    for first in (True, False):
        compiled, own = Cancellation(), Cancellation()
        limits = Limits(steps=10**6, cancellation=compiled)
        matcher = Grammar.from_choices(["a"]).compile(LETTERS, limits=limits).matcher(cancellation=own)
        assert matcher.limits.steps == 10**6
        assert matcher.limits.cancellation is not None and not matcher.limits.cancellation.cancelled
        (compiled if first else own).cancel()
        assert matcher.limits.cancellation.cancelled
    assert Grammar.from_choices(["a"]).compile(LETTERS).matcher().limits == Limits()
