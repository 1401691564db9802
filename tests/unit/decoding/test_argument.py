"""Arguments that a newcomer gets wrong: each error says what to pass instead, and the model is never asked."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import frisket
from frisket import Grammar, Guard, Sampler, Thought, generate, generate_many, sample, stream, think
from frisket.errors import InvalidSchemaError
from frisket.strategies import Beams

MODEL: Any = frisket.models.embedded()
WORDS = ["yes", "no"]
CHAT = [{"role": "user", "content": "Is water wet?"}]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"model": "embedded"}, r"model is a frisket.models.Model, got str: load it first"),
    ({"model": frisket.models.embedded}, r"got the function embedded: call it"),
    ({"model": type(MODEL)}, r"got the class Embedded: call it"),
    ({"model": object()}, r"got object: take one of frisket.models"),
    ({"model": "Is water wet?", "prompt": MODEL}, "the model comes first"),
    ({"prompt": int, "target": "?"}, "the prompt comes second, then the target: got the class int as prompt"),
    ({"prompt": Grammar.from_regex("a"), "target": "?"}, "the prompt comes second, .* got Grammar as prompt"),
    ({"prompt": {"type": "integer"}, "target": "?"}, "the prompt comes second, .* got dict as prompt"),
    ({"prompt": None}, "prompt is a str or a list of messages, got NoneType$"),
    ({"prompt": ["Is water wet?", "Is fire hot?"]}, "prompt is a str or a list of messages, got list of str: use gen"),
    ({"target": None}, r"nothing is asked for: give a target such as a type, or tools=\["),
    ({"tools": [len]}, r"with tools the answer is a Message: give the target as final="),
    ({"target": None, "tools": [], "describe": True}, "the prompt describes them; leave describe out"),
    ({"target": None, "tools": len}, r"tools are a list of tools: write \[tool\] for one"),
    ({"target": None, "tools": int}, r"tools are a list of tools: write \[tool\] for one"),
    ({"choice": "required"}, r"choice is for tools: give tools=\[…\], too$"),
    ({"thinking": "on"}, r"thinking is for tools: .* write frisket.think\(target\)"),
    ({"prompt": [*CHAT, {"role": "assistant", "content": "Ye", "prefix": True}]}, "is for `frisket serve`"),
    ({"max_tokens": None}, "max_tokens is an int, got NoneType: leave it out for the default"),
    ({"heal": "no"}, "heal is True or False, got str"),
    ({"target": None, "tools": [], "parallel": "no"}, "parallel is True or False, not 'no'"),
    ({"limits": {"seconds": 1}}, r"limits is a Limits, got dict: write limits=frisket.Limits\(seconds=1\)"),
    ({"max_tokens": "5"}, "max_tokens is an int, got str"),
    ({"max_tokens": True}, "max_tokens is an int, got bool"),
    ({"max_tokens": 5.0}, "max_tokens is an int, got float"),
    ({"sampler": {"temperature": 1}}, r"sampler is a Sampler, got dict: write sampler=frisket.Sampler\("),
    ({"sampler": 0.7}, "sampler is a Sampler, got float"),
    ({"sampler": Sampler}, "sampler is a Sampler, got the class Sampler"),
    ({"seed": None}, "seed is an int, got NoneType"),
    ({"stop": None}, "stop is a text or a list of texts, got NoneType"),
    ({"stop": [5]}, "stop is a text or a list of texts, got one of int"),
]
#: Options that `sample` does not have.
WRONG_OF_ONE: list[tuple[dict[str, Any], str]] = [
    ({"min_tokens": 1.5}, "min_tokens is an int, got float"),
    ({"guard": True}, r"guard is a Guard, got bool: write guard=frisket.Guard\(\)"),
]


@pytest.mark.parametrize(("given", "message"), [*WRONG, *WRONG_OF_ONE])
def test_the_error_says_what_to_pass(given: dict[str, Any], message: str) -> None:
    arguments = {"model": MODEL, "prompt": "Is water wet?", "target": WORDS, **given}
    for call in (generate, stream):
        with pytest.raises(TypeError, match=message):
            call(**arguments)


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_sample_checks_the_same(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        sample(**{"model": MODEL, "prompt": "Is water wet?", "target": WORDS, "n": 2, **given})


@pytest.mark.parametrize("strategy", ["beams:4", Beams, 4])
def test_a_strategy_is_no_spelling_of_one(strategy: Any) -> None:
    with pytest.raises(
        TypeError, match=r"strategy is a Strategy, got .*: write strategy=frisket.strategies.Beams\(4\)"
    ):
        generate(MODEL, "?", WORDS, strategy=strategy)
    with pytest.raises(TypeError, match="strategy is a Strategy"):
        sample(MODEL, "?", WORDS, 2, strategy=strategy)


def test_what_else_is_refused() -> None:
    with pytest.raises(TypeError, match="on_step is a function"):
        generate(MODEL, "?", WORDS, on_step=5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="n is an int, got str"):
        sample(MODEL, "?", WORDS, "3")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed is at least 0"):
        generate(MODEL, "?", WORDS, seed=-1)


def test_what_is_right_passes() -> None:
    seed: Any = np.int64(3)
    most: Any = np.int64(5)
    options: dict[str, Any] = {"max_tokens": most, "guard": Guard(), "seed": seed}
    assert generate(MODEL, "?", WORDS, sampler=Sampler(), **options) in WORDS


def test_one_stop_string_is_not_its_letters() -> None:
    text = Grammar.from_regex("[a-z]{5}")
    free = generate(MODEL, "?", text)
    assert len(set(free)) > 1
    end = free[2:4]
    stopped = stream(MODEL, "?", text, stop=end).generation()
    assert stopped.text == stream(MODEL, "?", text, stop=[end]).generation().text == free[: free.index(end)]
    # None of its letters alone ends the answer.
    assert generate(MODEL, "?", text, stop=end[0] + "!") == free


def test_prompts_are_several() -> None:
    with pytest.raises(TypeError, match=r"prompts are a list of texts, got str: write \[prompt\]"):
        generate_many(MODEL, "ab", WORDS)
    with pytest.raises(TypeError, match="prompts are a list of texts, got NoneType"):
        generate_many(MODEL, None, WORDS)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="workers is an int"):
        generate_many(MODEL, ["a"], WORDS, workers=2.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"got messages: write \[messages\] for one"):
        generate_many(MODEL, CHAT, WORDS)  # type: ignore[arg-type]
    assert len(generate_many(MODEL, (letter for letter in "ab"), WORDS)) == 2


def test_think_takes_every_target() -> None:
    assert think(WORDS) == think(Grammar.from_choices(WORDS))
    assert think({"type": "integer"}).value("<think>6 * 7</think>42") == Thought("6 * 7", 42)
    pytest.importorskip("pydantic", reason="pydantic is not installed")
    assert think(int).value("42") == Thought(None, 42)
    with pytest.raises(TypeError, match="a str is ambiguous"):
        think("yes")


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"name": {"type": "string"}, "age": {"type": "integer"}}, 'write {"type": "object", "properties"'),
        ({"name": str}, "for a class, pass the class"),
        ({"any_of": [{"type": "string"}]}, "do you mean anyOf"),
        ({"$defs": {"a": {"type": "string"}}}, 'write {"$ref": "#/$defs/a"'),
    ],
)
def test_a_target_that_asks_nothing_is_a_slip(schema: dict[str, Any], hint: str) -> None:
    with pytest.raises(InvalidSchemaError, match=re.escape(hint)):
        generate(MODEL, "?", schema)
    assert Grammar.from_json_schema({"name": {}}).accepts("5"), "as JSON Schema says"
