"""Grammars, vocabularies, limits and options × pickle, copy, ==, hash, repr; what holds a handle says what to send."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

import pytest

import frisket
from frisket import (
    Cancellation,
    Generation,
    Grammar,
    JSONSchemaOptions,
    Limits,
    Vocabulary,
    _core,
    generate,
    models,
    think,
    tools,
)
from frisket.errors import LimitExceededError

OBJECT = {"type": "object", "properties": {"b": {"type": "integer"}, "a": {"enum": ["x", 1]}}, "required": ["a"]}

RULES = 'root ::= other+\nother ::= "a" root? "b"'


@dataclass
class Order:
    size: Literal["small", "large"]
    count: int = 1


TOOL = {"name": "order", "parameters": OBJECT}
THINKER = Vocabulary.from_bytes(
    [*(bytes([value]) for value in range(256)), None, None], special={"</think>": 256}, eos=[257]
)


def now(zone: str) -> None:
    """The time."""


MAKERS: dict[str, Callable[[], Grammar]] = {
    "choices": lambda: Grammar.from_choices(["low", "high"]),
    "pattern": lambda: Grammar.from_regex("[a-z]+"),
    "pattern, anywhere": lambda: Grammar.from_regex("[a-z]+", search=True),
    "pattern, flags": lambda: Grammar.from_regex(re.compile("[a-z]+", re.IGNORECASE)),
    "pattern, dialect": lambda: Grammar.from_regex("[a-z]+$", dialect="ecma"),
    "gbnf": lambda: Grammar.from_gbnf(RULES),
    "gbnf, root": lambda: Grammar.from_gbnf(RULES, root="other"),
    "abnf": lambda: Grammar.from_abnf('a = %xE9\nb = "b"'),
    "abnf, values": lambda: Grammar.from_abnf('a = %xE9\nb = "b"', values="bytes"),
    "abnf, root": lambda: Grammar.from_abnf('a = %xE9\nb = "b"', root="b"),
    "ebnf": lambda: Grammar.from_ebnf("a ::= 'a' a?"),
    "ebnf, dialect": lambda: Grammar.from_ebnf("a = 'a', [a];", dialect="iso"),
    "schema": lambda: Grammar.from_json_schema(OBJECT),
    "schema, options": lambda: Grammar.from_json_schema(OBJECT, JSONSchemaOptions(whitespace="compact")),
    "schema, with a report of its own": lambda: Grammar.from_json_schema({**OBJECT, "not": {"required": ["c"]}}),
    "schema, refused without relaxed": lambda: Grammar.from_json_schema(
        {"type": "string", "pattern": r"(a+)\1"}, JSONSchemaOptions(relaxed=True)
    ),
    "no schema at all": lambda: Grammar.from_json_schema(True),
    "type": lambda: Grammar.from_type(Order),
    "type, options": lambda: Grammar.from_type(Order, JSONSchemaOptions(indent=4, whitespace="pretty")),
    "literal": lambda: Grammar.from_type(Literal["a", "b"]),
    "tools": lambda: Grammar.from_tools([TOOL, now], "qwen3"),
    "tools, choice": lambda: Grammar.from_tools([TOOL, now], "qwen3", choice="order", parallel=False),
    "tools, family": lambda: Grammar.from_tools([TOOL, now], "llama3"),
    "tools, a family of one's own": lambda: Grammar.from_tools([TOOL], replace(tools.family("qwen3"), name="mine")),
    "tools, final": lambda: Grammar.from_tools([TOOL, now], "qwen3", final=Order, thinking="on"),
    "tools, policy": lambda: Grammar.from_tools(
        tools.Tools([TOOL, {"name": "bad", "parameters": {"type": "nope"}}], policy="reject"), "qwen3"
    ),
    "tools, prompt": lambda: Grammar.from_tools([TOOL, now], "qwen3", prompt="<think>"),
    "tools, vocabulary": lambda: Grammar.from_tools([TOOL], "qwen3", vocabulary=THINKER),
    "thinking": lambda: think(Grammar.from_type(Order)),
    "thinking, prompt": lambda: think(Grammar.from_type(Order), prompt="<think>"),
    "thinking, vocabulary": lambda: think(Grammar.from_type(Order), vocabulary=THINKER, max_chars=20),
    "thinking, markers": lambda: think(Grammar.from_choices(["a"]), start="<a>", end="</a>", mode="on"),
    "thinking in a combination": lambda: frisket.parts.seq("a", think(Grammar.from_choices(["a"]))),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_pickled_grammar_is_an_equal_one(name: str) -> None:
    grammar = MAKERS[name]()
    again = pickle.loads(pickle.dumps(grammar))
    assert again is not grammar and again == grammar and hash(again) == hash(grammar)
    assert again.core.fingerprint == grammar.core.fingerprint
    assert again.schema == grammar.schema and repr(again) == repr(grammar)
    assert (again.report is None) == (grammar.report is None)
    if grammar.report is not None:
        assert again.report.entries == grammar.report.entries and again.report.notes == grammar.report.notes
    assert copy.copy(grammar) is grammar and copy.deepcopy(grammar) is grammar


@pytest.mark.parametrize("name", MAKERS)
def test_grammars_of_other_arguments_are_other_grammars(name: str) -> None:
    equal = [other for other, make in MAKERS.items() if make() == MAKERS[name]()]
    assert equal == [name]


def test_values_survive() -> None:
    again = pickle.loads(pickle.dumps(Grammar.from_type(Order)))
    assert again.value('{"size": "small", "count": 2}') == Order("small", 2)


def test_a_schema_is_sent_as_it_was() -> None:
    schema: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
    grammars = [Grammar.from_json_schema(schema), Grammar.from_json_schema(schema, JSONSchemaOptions(max_items=3))]
    schema["items"]["type"] = "string"
    for grammar in grammars:
        again = pickle.loads(pickle.dumps(grammar))
        assert again.accepts("[1]") and not again.accepts('["a"]')
        assert again.schema == {"type": "array", "items": {"type": "integer"}}
    assert grammars[0] != Grammar.from_json_schema(schema)


def test_a_schema_that_is_not_plain_json() -> None:
    ordered = OrderedDict(type="integer")
    grammar = Grammar.from_json_schema(ordered)
    ordered["type"] = "string"
    assert pickle.loads(pickle.dumps(grammar)).accepts("1")
    decimal = {"const": Decimal("1.5")}
    assert pickle.loads(pickle.dumps(Grammar.from_json_schema(decimal))).accepts("1.5")
    odd = {"type": "integer", "title": {1, 2}}
    assert pickle.loads(pickle.dumps(Grammar.from_json_schema(odd))) == Grammar.from_json_schema(odd)


def test_a_deep_schema_is_sent() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(600):
        schema = {"type": "array", "items": schema}
    grammar = Grammar.from_json_schema(schema)
    assert pickle.loads(pickle.dumps(grammar)) == grammar


def test_the_order_of_keywords_is_nothing_and_that_of_properties_something() -> None:
    turned = {"required": ["a"], "type": "object", "properties": OBJECT["properties"]}
    assert Grammar.from_json_schema(OBJECT) == Grammar.from_json_schema(turned)
    assert hash(Grammar.from_json_schema(OBJECT)) == hash(Grammar.from_json_schema(turned))
    properties = {"a": OBJECT["properties"]["a"], "b": OBJECT["properties"]["b"]}  # type: ignore[index]
    other = {**OBJECT, "properties": properties}
    assert other == OBJECT and Grammar.from_json_schema(OBJECT) != Grammar.from_json_schema(other)


def test_equal_arguments_make_equal_grammars_whatever_the_limits() -> None:
    assert Grammar.from_json_schema({"type": "integer"}) == Grammar.from_json_schema('{"type": "integer"}')
    limited = Grammar.from_json_schema({"type": "integer"}, limits=Limits(steps=10**7))
    assert limited == Grammar.from_json_schema({"type": "integer"}, JSONSchemaOptions())
    assert Grammar.from_choices(["a", "b"]) == Grammar.from_choices(["b", "a"])
    assert Grammar.from_regex(re.compile("a")) == Grammar.from_regex("a")
    assert Grammar.from_regex("a") != "a"
    # True == 1 in Python, and a set of its keywords cannot tell.
    assert Grammar.from_json_schema({"const": True}) != Grammar.from_json_schema({"const": 1})


def test_schemas_that_say_the_same_are_told_apart_by_what_they_are() -> None:
    plain = Grammar.from_json_schema({"type": "integer"})
    titled = Grammar.from_json_schema({"type": "integer", "title": "a number"})
    assert plain != titled and plain.core.fingerprint == titled.core.fingerprint


def test_steps_and_memory_go_with_a_grammar_and_time_stays() -> None:
    schema = {"type": "object", "properties": {f"key {number}": {"type": "string"} for number in range(50)}}
    made = Grammar.from_json_schema(schema, limits=Limits(steps=10**8, seconds=60, cancellation=Cancellation()))
    _, arguments = made.__reduce__()
    assert arguments[-1]["limits"] == Limits(steps=10**8)
    with pytest.raises(LimitExceededError):
        arguments[0].from_json_schema(arguments[2], limits=Limits(steps=0, memory_bytes=1))


def test_grammars_built_node_by_node() -> None:
    def built(special: str) -> Grammar:
        builder = _core.GrammarBuilder()
        return Grammar(builder.build(builder.seq([builder.literal(b"a"), builder.special(special)])))

    assert built("<end>") == built("<end>") and hash(built("<end>")) == hash(built("<end>"))
    assert built("<end>") != built("<eot>")
    with pytest.raises(TypeError, match="send what it is built from"):
        pickle.dumps(built("<end>"))
    assert built("<end>") != Grammar.from_choices(["a"])


def test_what_tools_and_thinking_make_of_a_text_survives() -> None:
    called = pickle.loads(pickle.dumps(Grammar.from_tools([TOOL, now], "qwen3")))
    text = '<tool_call>\n{"name": "now", "arguments": {"zone": "UTC"}}\n</tool_call>'
    assert called.value(text).calls[0].arguments == {"zone": "UTC"}
    thought = pickle.loads(pickle.dumps(think(Grammar.from_type(Order), prompt="<think>")))
    assert thought.value('so</think>\n{"size": "small", "count": 2}') == frisket.Thought("so", Order("small", 2))


def test_tools_are_sent_as_they_were() -> None:
    tool: dict[str, Any] = {"name": "order", "parameters": {"type": "object", "properties": {"a": {"type": "null"}}}}
    given = tools.Tools([tool])
    grammar = Grammar.from_tools(given, "qwen3")
    assert pickle.loads(pickle.dumps(given)) == given and hash(pickle.loads(pickle.dumps(given))) == hash(given)
    assert repr(given) == "<Tools order>" and given != tools.Tools([tool], policy="relaxed")
    tool["parameters"]["properties"]["a"]["type"] = "integer"
    assert pickle.loads(pickle.dumps(grammar)) == grammar != Grammar.from_tools([tool], "qwen3")


def test_a_registry_is_not_pickled() -> None:
    referencing = pytest.importorskip("referencing")
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    resource = referencing.Resource.from_contents({**draft, "type": "integer"})
    registry = referencing.Registry().with_resource("http://x/y", resource)
    grammar = Grammar.from_json_schema({"$ref": "http://x/y"}, registry=registry)
    assert grammar == Grammar.from_json_schema({"$ref": "http://x/y"}, registry=registry)
    assert repr(grammar) == '<Grammar.from_json_schema({"$ref": "http://x/y"}, registry=…)>'
    assert copy.deepcopy(grammar) is grammar
    with pytest.raises(TypeError, match=r"into \$defs"):
        pickle.dumps(grammar)


def test_grammars_are_keys() -> None:
    kept = {make(): name for name, make in MAKERS.items()}
    assert [kept[make()] for make in MAKERS.values()] == list(MAKERS)


@pytest.mark.filterwarnings("ignore:the stop token .* is the text")
def test_a_vocabulary_is_pickled_once() -> None:
    vocabulary = Vocabulary.from_bytes(
        [b"a", "é".encode(), b" a", None, b""], special={"<end>": 3}, eos="<end>", size=40
    )
    data = pickle.dumps(vocabulary)
    again = pickle.loads(data)
    assert again == vocabulary and hash(again) == hash(vocabulary) and again is pickle.loads(data)
    assert [again.token(number) for number in range(40)] == [vocabulary.token(number) for number in range(40)]
    assert (again.special, again.eos, again.size) == ({"<end>": 3}, [3], 40)
    assert copy.deepcopy(vocabulary) is vocabulary and copy.copy(vocabulary) is vocabulary
    assert vocabulary != Vocabulary.from_bytes([b"a", b"b"], eos=[1]) and vocabulary != "a"


def test_the_embedded_models_vocabulary() -> None:
    vocabulary = models.embedded().vocabulary
    again = pickle.loads(pickle.dumps(vocabulary))
    assert again == vocabulary and again.prepends_space == vocabulary.prepends_space
    assert again.fingerprint == vocabulary.fingerprint


def _checks(grammar: Grammar, vocabulary: Vocabulary, tokens: list[int]) -> tuple[Grammar, list[int], bool]:
    matcher = grammar.compile(vocabulary).matcher()
    for token in tokens:
        matcher.advance(token)
    return grammar, matcher.allowed(), matcher.can_end


def test_a_pool_of_fresh_processes() -> None:
    vocabulary = Vocabulary.from_bytes([bytes([value]) for value in range(256)] + [None], eos=[256])
    tokens = list(b'{"size": "sm')
    grammars = [Grammar.from_type(Order), Grammar.from_json_schema({"type": "object"})]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.starmap(_checks, [(grammar, vocabulary, tokens) for grammar in grammars])
    assert there == [_checks(grammar, vocabulary, tokens) for grammar in grammars]


@pytest.mark.parametrize(
    "limits", [Limits(), Limits(steps=5), Limits(memory_bytes=1 << 20, seconds=0.1), Limits(seconds=1e9 + 0.1)]
)
def test_limits(limits: Limits) -> None:
    again = pickle.loads(pickle.dumps(limits))
    assert again == limits and hash(again) == hash(limits) and repr(again) == repr(limits)
    assert copy.copy(limits) is limits and copy.deepcopy(limits) is limits


def test_options() -> None:
    options = JSONSchemaOptions(whitespace="pretty", indent=4)
    assert pickle.loads(pickle.dumps(options)) == options == copy.deepcopy(options)
    assert repr(options) == "JSONSchemaOptions(whitespace='pretty', indent=4)" and eval(repr(options)) == options
    assert repr(JSONSchemaOptions()) == "JSONSchemaOptions()"
    assert len({options, JSONSchemaOptions(), JSONSchemaOptions(indent=2)}) == 2


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_what_is_compiled_says_what_to_send(act: Callable[[Any], Any]) -> None:
    compiled = Grammar.from_choices(["a"]).compile(Vocabulary.from_bytes([b"a", None], eos=[1]))
    with pytest.raises(TypeError, match="grammar and its vocabulary"):
        act(compiled)
    with pytest.raises(TypeError, match=r"fork\(\)"):
        act(compiled.matcher())
    with pytest.raises(TypeError, match="send Limits without it"):
        act(Cancellation())


def test_limits_with_a_cancellation_are_not_pickled() -> None:
    limits = Limits(cancellation=Cancellation())
    with pytest.raises(TypeError, match="send Limits without it"):
        pickle.dumps(limits)
    assert copy.deepcopy(limits) is limits


def test_an_answer_is_pickled() -> None:
    from frisket import stream

    answer: Generation[Order] = stream(models.embedded(), "a small one", Order).generation()
    again = pickle.loads(pickle.dumps(answer))
    assert again == answer and again.value() == answer.value()
    assert isinstance(generate(models.embedded(), "a small one", Order), Order)


def test_representations() -> None:
    assert repr(Grammar.from_choices(["low", "high"])) == "<Grammar.from_choices(['high', 'low'])>"
    assert repr(Grammar.from_regex("[a-z]+", search=True)) == "<Grammar.from_regex('[a-z]+', search=True)>"
    assert repr(Grammar.from_json_schema({"type": "integer"})) == '<Grammar.from_json_schema({"type": "integer"})>'
    assert repr(Grammar.from_json_schema(True, JSONSchemaOptions(max_items=3))) == (
        "<Grammar.from_json_schema(true, JSONSchemaOptions(max_items=3))>"
    )
    assert repr(Grammar.from_type(Order)) == "<Grammar.from_type(Order)>"
    assert len(repr(Grammar.from_choices([f"choice {number}" for number in range(100)]))) < 100
    builder = _core.GrammarBuilder()
    assert re.fullmatch(r"<Grammar of \d+ nodes>", repr(Grammar(builder.build(builder.literal(b"a")))))

    vocabulary = Vocabulary.from_bytes([b"a", None], eos=[1], size=1200)
    compiled = Grammar.from_choices(["aa"]).compile(vocabulary)
    matcher = compiled.matcher()
    assert repr(matcher) == "<Matcher for 1,200 tokens, 0 steps taken, cannot end yet>"
    matcher.advance_bytes(b"aa")
    assert repr(matcher) == "<Matcher for 1,200 tokens, 1 steps taken, can end>"
    matcher.advance(1)
    assert repr(matcher) == "<Matcher for 1,200 tokens, 2 steps taken, ended>"
    composed = compiled.masks_composed
    assert repr(compiled) == (
        f"<CompiledGrammar of <Grammar.from_choices(['aa'])> for 1,200 tokens, {composed} masks composed>"
    )
    assert compiled.masks_composed == composed


def test_the_vocabulary_of_a_compiled_grammar_is_the_one_given() -> None:
    vocabulary = Vocabulary.from_bytes([b"a", None], eos=[1])
    compiled = Grammar.from_choices(["a"]).compile(vocabulary)
    assert compiled.vocabulary is vocabulary
    assert Grammar.from_choices(["a"]).compile(vocabulary.core).vocabulary is vocabulary.core
