"""Arguments that a constructor or a class of options does not take: the error says which one was meant."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from frisket import Grammar, Guard, JSONSchemaOptions, Limits, Sampler, Vocabulary, models, parts, think
from frisket.strategies import Beams, Best, Draft, Exact, Particles

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
GRAMMAR = Grammar.from_json_schema(SCHEMA)


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: Grammar.from_json_schema(SCHEMA, whitespace="free"), r"JSONSchemaOptions\(whitespace='free'\)"),  # type: ignore[call-arg]
        (lambda: Grammar.from_json_schema(SCHEMA, strict=True), "closed_objects=True"),  # type: ignore[call-arg]
        (lambda: Grammar.from_json_schema(SCHEMA, any_whitespace=False), 'whitespace="compact" for none'),  # type: ignore[call-arg]
        (lambda: Grammar.from_json_schema(SCHEMA, regstry=None), "do you mean registry?"),  # type: ignore[call-arg]
        (lambda: Grammar.from_type(int, indent=4), r"JSONSchemaOptions\(indent=4\)"),  # type: ignore[call-overload]
        (lambda: GRAMMAR.with_schema(SCHEMA, indent=4), r"JSONSchemaOptions\(indent=4\)"),  # type: ignore[call-arg]
        (lambda: GRAMMAR.compile(tokenizer=None), "Vocabulary.from_huggingface"),  # type: ignore[call-arg]
        (lambda: Grammar.from_regex("a", flags=2), "re.compile"),  # type: ignore[call-arg]
        (lambda: Grammar.from_gbnf('root ::= "a"', start="root"), "write root='root'"),  # type: ignore[call-arg]
        (lambda: Grammar.from_lark('start: "a"', root="start"), "write start='start'"),  # type: ignore[call-arg]
        (lambda: Grammar.from_tools([], "hermes", tool_choice="auto"), "write choice='auto'"),  # type: ignore[call-arg]
        (lambda: Grammar.from_choices(values=["a"]), "write choices="),  # type: ignore[call-arg]
        (lambda: parts.json(SCHEMA, whitespace="free"), r"JSONSchemaOptions\(whitespace='free'\)"),  # type: ignore[call-overload]
        (lambda: parts.regex("a", flags=2), "re.compile"),  # type: ignore[call-arg]
        (lambda: Vocabulary.from_bytes([b"a"], eos_token_id=0), "write eos=0"),  # type: ignore[call-arg]
        (lambda: Limits(timeout=3), "write seconds=3"),  # type: ignore[call-arg]
        (lambda: Limits(memory=3), "do you mean memory_bytes?"),  # type: ignore[call-arg]
        (lambda: JSONSchemaOptions(closed=True), "do you mean closed_objects?"),  # type: ignore[call-arg]
        (lambda: JSONSchemaOptions(order="any"), "property_order is"),  # type: ignore[call-arg]
        (lambda: JSONSchemaOptions(colour="red"), "it takes property_order, closed_objects"),  # type: ignore[call-arg]
        (lambda: replace(JSONSchemaOptions(), whitespaces="free"), "do you mean whitespace?"),  # type: ignore[call-arg]
        (lambda: Sampler(temp=0.3), "write temperature=0.3"),  # type: ignore[call-arg]
        (lambda: Sampler(temprature=0.3), "do you mean temperature?"),  # type: ignore[call-arg]
        (lambda: Sampler(seed=3), "it is an argument of the call"),  # type: ignore[call-arg]
        (lambda: Guard(ngram=8), "write period=8"),  # type: ignore[call-arg]
        (lambda: Guard(perod=8), "do you mean period?"),  # type: ignore[call-arg]
        (lambda: Beams(num_beams=4), "write n=4"),  # type: ignore[call-arg]
        (lambda: Best(best_of=4), "write n=4"),  # type: ignore[call-arg]
        (lambda: Best(4, score="logprob"), "write by='logprob'"),  # type: ignore[call-arg]
        (lambda: Draft(max_tokens=9), "write tokens=9"),  # type: ignore[call-arg]
        (lambda: Exact(n=9), r"frisket\.sample\(model, prompt, target, 9"),  # type: ignore[call-arg]
        (lambda: Exact(max_attempts=9), "write attempts=9"),  # type: ignore[call-arg]
        (lambda: Particles(num_particles=9), "write n=9"),  # type: ignore[call-arg]
        (lambda: Particles(9, potential=abs), "write critic="),  # type: ignore[call-arg]
        (lambda: think(["a"], budget_tokens=9), "by max_chars"),  # type: ignore[call-overload]
        (lambda: think(target=["a"]), r"think\(target\)"),  # type: ignore[call-overload]
    ],
)
def test_the_error_says_what_was_meant(call: Callable[[], Any], advice: str) -> None:
    with pytest.raises(TypeError, match=f"takes no .*{advice}"):
        call()


def test_a_missing_argument_is_told_of_the_class_that_programs_know() -> None:
    with pytest.raises(TypeError, match=r"^Grammar\.compile\(\) missing .* 'vocabulary'"):
        GRAMMAR.compile()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^Grammar\.accepts\(\) missing .* 'text'"):
        GRAMMAR.accepts()  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Beams("4"), "n is an int, got str"),  # type: ignore[arg-type]
        (lambda: Draft(tokens=1.5), "tokens is an int, got float"),  # type: ignore[arg-type]
        (lambda: Exact(attempts="9"), "attempts is an int, got str"),  # type: ignore[arg-type]
        (lambda: Best(3, of=Beams), "of is a Strategy, got the class Beams"),  # type: ignore[arg-type]
        (lambda: Draft(then="exact"), "then is a Strategy, got str"),  # type: ignore[arg-type]
        (lambda: Particles(3, where="short"), r"where is a function of \(text, whole\), got str"),  # type: ignore[arg-type]
        (lambda: Guard(1.5), "period is an int, got float"),  # type: ignore[arg-type]
        (lambda: Guard(times="4"), "times is an int, got str"),  # type: ignore[arg-type]
        (lambda: think(), r"think\(\) missing .*'answer': write think\(target\)"),  # type: ignore[call-overload]
        (lambda: think(["a"], "<think>"), "everything but the target is named"),  # type: ignore[call-overload, misc]
    ],
)
def test_a_value_of_another_kind_is_told(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        call()


def test_choices_are_one_list() -> None:
    with pytest.raises(TypeError, match=r"^Grammar\.from_choices: choices are one list of texts"):
        Grammar.from_choices("a", "b")  # type: ignore[call-arg, misc]


@pytest.mark.parametrize("name", ["mask", "matcher"])
def test_what_a_matcher_has_is_no_attribute_of_a_grammar(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{name}': .*compile\(vocabulary\)\.matcher\(\)"):
        getattr(GRAMMAR, name)
    assert not hasattr(GRAMMAR, "nothing")


@pytest.mark.parametrize(("name", "advice"), [("openai", "frisket.hosted"), ("llamacpp", "gguf"), ("vllm", "plug-in")])
def test_a_model_of_another_place_is_named(name: str, advice: str) -> None:
    with pytest.raises(AttributeError, match=advice):
        getattr(models, name)


@pytest.mark.parametrize("name", [one.name for one in fields(JSONSchemaOptions)])
def test_every_option_of_schemas_has_its_place(name: str) -> None:
    with pytest.raises(TypeError, match=rf"options=frisket\.JSONSchemaOptions\({name}="):
        Grammar.from_json_schema({}, **{name: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [Sampler(0.5, 3), Guard(2, 3), JSONSchemaOptions("any")])
def test_known_fields_are_taken_as_before(value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)) == value == replace(value)
